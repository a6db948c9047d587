//! The tables of docs/methods/statistics.md, section 10.

use super::counting;
use super::problems::{self, CHANCES, Count, MEANS, Problem};

/// Fewer studies than this have no share.
const FEW: u64 = 20;

/// All tables, from so many studies of each line.
pub(crate) fn all(studies: u64) -> String {
    let [means, chances] = [problems::means(), problems::chances()].map(|kind| counted(kind, studies));
    let chosen = means.iter().chain(&chances).map(chosen_line);
    let chosen_head = [
        "what is estimated",
        "samples",
        "chosen",
        "covered",
        "with a warning",
        "covered of these",
        "covered without a warning",
        "missed without a warning",
    ];
    let usual = counting::coverage(studies);
    let usual = usual.into_iter().map(|(name, share)| format!("| {name} | {} |", percent(share)));
    [
        table(&chosen_head, chosen),
        table(&asked_head(&MEANS), means.iter().filter_map(asked_line)),
        table(&asked_head(&CHANCES), chances.iter().filter_map(asked_line)),
        table(&["interval", "covered"], usual),
    ]
    .join("\n")
}

fn counted(problems: Vec<Problem>, studies: u64) -> Vec<(Problem, Count)> {
    let count = |problem: Problem| {
        let count = problem.count(studies);
        (problem, count)
    };
    problems.into_iter().map(count).collect()
}

/// The line of a problem whose interval was chosen by itself.
fn chosen_line((problem, count): &(Problem, Count)) -> String {
    let silent = count.studies - count.warned;
    let silent_and_covered = count.covered - count.warned_and_covered;
    let shares = [
        share(count.covered, count.studies),
        share(count.warned, count.studies),
        share(count.warned_and_covered, count.warned),
        share(silent_and_covered, silent),
        share(silent - silent_and_covered, count.studies),
    ];
    let Problem { name, samples, .. } = problem;
    format!("| {name} | {samples} | {} | {} |", most_chosen(count), shares.join(" | "))
}

/// The interval that was chosen most often.
fn most_chosen(count: &Count) -> String {
    let (method, times) = count.chosen.iter().max_by_key(|(_, times)| *times).expect("a study");
    format!("`{method}` in {:.0}%", 100.0 * *times as f64 / count.studies as f64)
}

/// The line of a problem with the intervals on request.
fn asked_line((problem, count): &(Problem, Count)) -> Option<String> {
    let shares: Vec<String> = count.on_request.iter().map(|&covered| share(covered, count.studies)).collect();
    let Problem { name, samples, .. } = problem;
    (!shares.is_empty()).then(|| format!("| {name} | {samples} | {} |", shares.join(" | ")))
}

fn asked_head(methods: &[&str]) -> Vec<String> {
    let names = methods.iter().map(|method| format!("`{method}`"));
    ["what is estimated".to_owned(), "samples".to_owned()].into_iter().chain(names).collect()
}

/// A table in Markdown whose first column is words.
fn table<H: AsRef<str>>(head: &[H], lines: impl Iterator<Item = String>) -> String {
    let names: Vec<&str> = head.iter().map(AsRef::as_ref).collect();
    let rule: String = (0..head.len()).map(|column| if column == 0 { "---|" } else { "---:|" }).collect();
    let lines: String = lines.map(|line| line + "\n").collect();
    format!("| {} |\n|{rule}\n{lines}", names.join(" | "))
}

fn share(part: u64, whole: u64) -> String {
    if whole < FEW { "-".into() } else { percent(part as f64 / whole as f64) }
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}
