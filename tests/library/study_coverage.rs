//! The tables of docs/methods/statistics.md, section 10, are those of `cargo run --release --example coverage`.

#[path = "../../examples/coverage/counting.rs"]
mod counting;
#[path = "../../examples/coverage/problems.rs"]
mod problems;
#[path = "../../examples/coverage/tables.rs"]
mod tables;

use std::path::Path;

/// Studies of each line of the small version.
const STUDIES: u64 = 200;

/// Lines of a table: the cells of each.
type Table = Vec<Vec<String>>;

/// All tables of a text: blocks of lines that begin with a bar.
fn tables_of(text: &str) -> Vec<Table> {
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    let mut found: Vec<Table> = vec![Vec::new()];
    for line in text.lines() {
        match line.starts_with('|') {
            true => found.last_mut().expect("a table").push(cells(line)),
            false => found.push(Vec::new()),
        }
    }
    found.into_iter().filter(|table| !table.is_empty()).collect()
}

/// The tables of the page.
fn of_page() -> Vec<Table> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/methods/statistics.md");
    let text = std::fs::read_to_string(page).expect("the page");
    let section = text.split("\n## 10 ").nth(1).and_then(|rest| rest.split("\n## 11 ").next());
    tables_of(section.expect("section 10"))
}

/// A share such as `94.5%`.
fn share(cell: &str) -> Option<f64> {
    Some(cell.strip_suffix('%')?.parse::<f64>().ok()? / 100.0)
}

/// How far the share of so many studies may be from that of the page, which has a digit after the point.
fn allowed(share: f64, studies: f64) -> f64 {
    4.0 * (share * (1.0 - share) / studies).sqrt() + 3.0 / studies + 0.0005
}

/// The studies that a column is about, as a share of all, from the cells of a line of the first table.
fn part_of_studies(line: &[String], column: &str) -> f64 {
    let warned = share(&line[4]).expect("a share");
    match column {
        "covered of these" => warned,
        "covered without a warning" => 1.0 - warned,
        _ => 1.0,
    }
}

#[test]
fn the_page_has_what_the_program_prints() {
    let (on_page, printed) = (of_page(), tables_of(&tables::all(STUDIES)));
    assert_eq!(on_page.len(), printed.len(), "tables");
    for (number, (of_page, small)) in on_page.iter().zip(&printed).enumerate() {
        assert_eq!(of_page.len(), small.len(), "lines of table {number}");
        assert_eq!(of_page[..2], small[..2], "head of table {number}");
        for (line, found) in of_page.iter().zip(small).skip(2) {
            compare_lines(&of_page[0], line, found, number == 0);
        }
    }
}

/// Compares the words of two lines, and their shares to within what so few studies can tell.
fn compare_lines(head: &[String], line: &[String], found: &[String], with_warnings: bool) {
    assert_eq!(line.len(), found.len(), "{line:?}");
    for ((column, cell), small) in head.iter().zip(line).zip(found) {
        match (share(cell), share(small)) {
            (Some(expected), Some(counted)) => {
                let part = if with_warnings { part_of_studies(found, column) } else { 1.0 };
                let bound = allowed(expected, part * STUDIES as f64);
                assert!((counted - expected).abs() <= bound, "{column} of {line:?}: {counted}");
            }
            _ if column == "chosen" => {
                assert_eq!(cell.split(' ').next(), small.split(' ').next(), "{line:?}");
            }
            _ if [cell, small].contains(&&"-".to_owned()) => {}
            _ => assert_eq!(cell, small, "{line:?}"),
        }
    }
}

/// Lines whose intervals without a warning may cover less than 92%: the samples do not show how skewed the distribution is.
const CANNOT_BE_HAD: [(&str, &str); 5] = [
    ("log-normal, sigma 1.5", "30"),
    ("log-normal, sigma 1.5", "100"),
    ("log-normal, sigma 2", "30"),
    ("log-normal, sigma 2", "100"),
    ("1 in 20 is 1, else 0", "30"),
];

#[test]
fn intervals_without_a_warning_cover_the_truth_and_good_ones_have_seldom_one() {
    let on_page = of_page();
    for line in &on_page[0][2..] {
        let of = |column: &str| share(&line[on_page[0][0].iter().position(|name| name == column).unwrap()]);
        let (covered, warned) = (of("covered").unwrap(), of("with a warning").unwrap());
        let silent = of("covered without a warning");
        let is_known = CANNOT_BE_HAD.contains(&(&line[0], &line[1]));
        assert_eq!(is_known, silent.is_some_and(|silent| silent < 0.92), "{line:?}");
        assert!(of("missed without a warning").unwrap() <= 0.08, "{line:?}");
        let is_mean = !line[0].starts_with("probability") && !line[0].starts_with("1 in 20");
        assert!(!is_mean || covered < 0.94 || warned <= 0.25, "{line:?}");
    }
    for line in &on_page[3][2..] {
        assert!((0.93..=0.97).contains(&share(&line[1]).unwrap()), "{line:?}");
    }
}
