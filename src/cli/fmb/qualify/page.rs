//! All tables and pictures on one page that needs nothing else.

use std::fmt::Write as _;

use super::table::Table;

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>FMB against SAT</title>
<style>
body { font-family: sans-serif; max-width: 100rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.4; }
.tables { display: grid; grid-template-columns: repeat(auto-fill, minmax(30rem, 1fr)); gap: 1.5rem; }
figure { margin: 0; }
figure svg { width: 100%; height: auto; }
details { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.75rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.4rem; text-align: right; border-bottom: 1px solid #ddd; }
</style>
</head>
<body>
<h1>FMB against SAT</h1>
"#;

const EXPLANATION: &str = "\
<p>Whether two frames intersect, decided by Fourier-Motzkin elimination (FMB) and by the separating axis theorem
(SAT) on the same random pairs. Every number is a ratio, the time of FMB over the time of SAT: below 1 FMB is the
faster one. Pairs are timed in both orders, FMB and SAT in turns, on one thread.</p>
<ul>
<li>The <em>reference</em> is the row-by-row elimination, timed pair by pair. The <em>batch</em>
test decides many pairs at once; it is timed on blocks of pairs of one class, so its min and max are those of
blocks.</li>
<li>Inter are pairs that intersect, NoInter pairs that do not. Total weighs their averages by the share of hits,
percPairInter. Every share has random pairs of its own.</li>
<li>C is a parallelogram or parallelepiped, T a triangle or tetrahedron; CT is C against T. To is all pairs.</li>
</ul>
";

/// The page, from tables and their pictures in the order in which they are shown.
pub(super) fn html(tables: &[(Table, String)], settings: &str) -> String {
    let mut page = format!("{HEAD}{EXPLANATION}<p>{settings}</p>\n");
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
        "<figure>\n{svg}\n<details><summary>{}.csv</summary>\n<table>\n{}{body}</table>\n</details>\n</figure>\n",
        table.name(),
        row("th", table.header())
    );
}
