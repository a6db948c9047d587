//! All tables and pictures on one page that needs nothing else.

use std::fmt::Write as _;

use super::headline::Headline;
use super::plot;
use super::table::Table;

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>FMB against SAT</title>
<style>
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1d2430; --muted: #5d6675; --grid: #dfe3ea;
  --average: #1f66b0; --hits: #c2570c; --misses: #00754a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --ink: #e4e7ec; --muted: #a0a8b5; --grid: #323a46;
    --average: #6fb3f7; --hits: #f5a35c; --misses: #5fd0a0;
  }
}
body {
  background: var(--paper); color: var(--ink); font: 1rem/1.4 system-ui, sans-serif;
  max-width: 100rem; margin: 2rem auto; padding: 0 1rem;
}
.tables { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 1.5rem; }
figure { margin: 0; }
figure svg { width: 100%; height: auto; }
details { overflow-x: auto; }
summary, caption { color: var(--muted); }
table { border-collapse: collapse; font-size: 0.75rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.4rem; text-align: right; border-bottom: 1px solid var(--grid); }
.headline { font-size: 0.95rem; margin: 1rem 0; }
.headline caption, .headline tbody th { text-align: left; font-weight: normal; }
.headline th, .headline td { padding: 0.3rem 0.8rem; }
</style>
</head>
<body>
<h1>FMB against SAT</h1>
"#;

const EXPLANATION: &str = "\
<p>Whether two frames intersect, decided by Fourier-Motzkin elimination (FMB) and by the separating axis theorem
(SAT) on the same random pairs, as in <cite>The FMB Algorithm</cite> (P. Baillehache, 2020). Every number is a ratio,
the time of FMB over the time of SAT: below 1 FMB is the faster one. Pairs are timed in both orders, FMB and SAT in turns,
each on one thread and by the processor time of that thread.</p>
<ul>
<li>The <em>reference</em> is the row-by-row elimination, timed pair by pair. The <em>batch</em>
test decides many pairs at once; it is timed on blocks of pairs of one class, so its min and max are those of
blocks. <em>With preparation</em> it also checks and packs all its frames, as after a change of each of them.</li>
<li>Inter are pairs that intersect, NoInter pairs that do not. Total weighs their averages by the share of hits,
percPairInter. Every share has random pairs of its own.</li>
<li>C is a parallelogram or parallelepiped, T a triangle or tetrahedron; CT is C against T. To is all pairs.</li>
</ul>
";

/// The page, from tables and their pictures in the order in which they are shown.
pub(super) fn html(tables: &[(Table, String)], headline: &Headline, settings: &str) -> String {
    let mut page = format!("{HEAD}<p>{settings}</p>\n{}{EXPLANATION}", headline.as_html());
    let sections = tables.chunk_by(|(one, _), (two, _)| section(one) == section(two));
    for tables in sections {
        // Writing to a string cannot fail.
        let _ = write!(page, "<h2>{}</h2>\n<div class=\"tables\">\n", section(&tables[0].0));
        for (table, svg) in tables {
            add(&mut page, table, svg);
        }
        page += "</div>\n";
    }
    page + "</body>\n</html>\n"
}

fn section(table: &Table) -> String {
    let near = if table.near { ", overlapping boxes only" } else { "" };
    format!("{}{near}: {} over SAT", table.case.title(), table.contender.name())
}

fn add(page: &mut String, table: &Table, svg: &str) {
    let row = |tag: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = table.cells().map(|cells| row("td", cells)).collect();
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<figure>\n{}\n<details><summary>{}.csv</summary>\n<table>\n{}{body}</table>\n</details>\n</figure>\n",
        plot::for_page(svg),
        table.name(),
        row("th", table.header())
    );
}
