//! The averages of all cases in one table, for readers in a hurry.

use super::table::{CLASSES, Contender, Ratios, Table};

/// Average ratios of all pairs of each case, over all shares of hits.
pub(super) struct Headline {
    lines: Vec<Line>,
}

struct Line {
    title: String,
    /// Hits and misses of each contender; `None` without such pairs.
    averages: [[Option<f64>; 2]; Contender::ALL.len()],
}

impl Headline {
    /// From the tables of all cases, each with those of all contenders and classes.
    pub(super) fn of(tables: &[Table]) -> Self {
        let line = |of_case: &[Table]| {
            let near = if of_case[0].near { ", overlapping boxes only" } else { "" };
            let total = |contender: Contender| {
                of_case.iter().find(|table| table.class == 0 && table.contender == contender)
            };
            let averages = Contender::ALL.map(|contender| total(contender).map_or([None; 2], averages));
            Line { title: format!("{}{near}", of_case[0].case.title()), averages }
        };
        Self { lines: tables.chunks(Contender::ALL.len() * CLASSES.len()).map(line).collect() }
    }

    /// For a terminal.
    pub(super) fn as_text(&self) -> String {
        let names: String =
            Contender::ALL.iter().map(|contender| format!("{:>24}", contender.name())).collect();
        let outcomes = format!("{:>15}{:>9}", "hits", "misses").repeat(Contender::ALL.len());
        let mut text =
            format!("{:<36}{names}\n{:<36}{outcomes}\n", "time of FMB over time of SAT, average", "");
        for line in &self.lines {
            let cells = line
                .averages
                .iter()
                .map(|[hits, misses]| format!("{:>15}{:>9}", shown(*hits), shown(*misses)));
            text += &format!("{:<36}{}\n", line.title, cells.collect::<String>());
        }
        text
    }

    /// For a page.
    pub(super) fn as_html(&self) -> String {
        let names: String = Contender::ALL
            .iter()
            .map(|contender| format!("<th scope=\"colgroup\" colspan=\"2\">{}</th>", contender.name()))
            .collect();
        let outcomes =
            "<th scope=\"col\">hits</th><th scope=\"col\">misses</th>".repeat(Contender::ALL.len());
        let row = |line: &Line| {
            let cells = line.averages.iter().flatten().map(|ratio| format!("<td>{}</td>", shown(*ratio)));
            format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", line.title, cells.collect::<String>())
        };
        let rows: String = self.lines.iter().map(row).collect();
        format!(
            "<table class=\"headline\">\n<caption>Time of FMB over time of SAT, average of all pairs</caption>\n\
             <thead><tr><td></td>{names}</tr>\n<tr><td></td>{outcomes}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
        )
    }
}

/// Of hits and of misses, over all shares of hits.
fn averages(table: &Table) -> [Option<f64>; 2] {
    [1, 0].map(|outcome| {
        let mut all = Ratios::default();
        table.rows.iter().for_each(|row| all.merge(&row.ratios[outcome]));
        all.spread().map(|spread| spread.avg)
    })
}

fn shown(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "none".into(), |ratio| format!("{ratio:.3}"))
}
