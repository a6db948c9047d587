//! The guide to rigid bodies: its table has every access program of Tamias2D and names what exists, and its code is that of
//! the example.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::hash::{DefaultHasher, Hash};
use std::ops::{Range, RangeFull};
use std::path::{Path, PathBuf};

/// What the table names of Rust itself. The compiler checks the paths.
fn of_rust() -> BTreeSet<&'static str> {
    type Map = HashMap<u8, u8>;
    let _ = (f64::clamp, Option::<u8>::unwrap_or, <u8 as Hash>::hash::<DefaultHasher>);
    let _ = (Vec::<u8>::with_capacity, Vec::<u8>::push, Vec::<u8>::pop, Vec::<u8>::swap_remove);
    let _ = (Vec::<u8>::drain::<RangeFull>, <[u8]>::contains);
    let _ = (Map::new, Map::len, Map::insert, Map::remove::<u8>, Map::get::<u8>, Map::iter);
    let _ = Map::retain::<fn(&u8, &mut u8) -> bool>;
    let _ = (Range::<u8>::min_by::<Order>, Range::<u8>::max_by::<Order>);
    type Order = fn(&u8, &u8) -> std::cmp::Ordering;
    [
        ["f64::clamp", "Option::unwrap_or", "Hash::hash", "Iterator::min_by", "Iterator::max_by"],
        ["Vec", "Vec::with_capacity", "Vec::push", "Vec::pop", "Vec::swap_remove"],
        ["Vec::drain", "Vec::contains", "HashMap", "HashMap::new", "HashMap::len"],
        ["HashMap::insert", "HashMap::remove", "HashMap::get", "HashMap::iter", "HashMap::retain"],
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A row of the tables of the section about Tamias2D.
struct Row {
    program: String,
    rust: Vec<String>,
    c: Vec<String>,
    how: String,
}

fn code_spans(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn rows() -> Vec<Row> {
    let guide = read("docs/rigid2d.md");
    let (_, section) = guide.split_once("\n## From Tamias2D\n").expect("the guide has the section");
    let lines = section.lines().filter(|line| line.starts_with("| `"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [program, rust, c, how] = cells[..] else { panic!("not four cells: {line}") };
        let [program] = &code_spans(program)[..] else { panic!("not one program: {line}") };
        Row { program: program.clone(), rust: code_spans(rust), c: code_spans(c), how: how.to_owned() }
    };
    lines.map(row).collect()
}

#[test]
fn every_access_program_has_a_row() {
    let list = read("tests/data/rigid2d_access_programs.txt");
    let known: Vec<&str> =
        list.lines().map(|line| line.split_once(' ').expect("module and name").1).collect();
    assert_eq!(known.len(), 288);
    let rows = rows();
    let told: Vec<&str> = rows.iter().map(|row| row.program.as_str()).collect();
    let missing: Vec<&&str> = known.iter().filter(|name| !told.contains(name)).collect();
    assert!(missing.is_empty(), "the guide has no row for {missing:?}");
    let unknown: Vec<&&str> = told.iter().filter(|name| !known.contains(name)).collect();
    assert!(unknown.is_empty(), "the document has no {unknown:?}");
    assert_eq!(told.len(), told.iter().collect::<BTreeSet<_>>().len(), "a program has two rows");
    for row in &rows {
        let is_answered = !(row.rust.is_empty() && row.c.is_empty() && row.how.is_empty());
        assert!(is_answered, "the row of {} is empty", row.program);
    }
}

/// The files below a folder of the library.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// The type of `impl<'a> Arbiter<'a> {`, and `None` for implementations of traits.
fn type_of(implementation: &str) -> Option<&str> {
    let rest = implementation.strip_prefix("impl")?;
    let rest = match rest.strip_prefix('<') {
        Some(parameters) => parameters.split_once("> ")?.1,
        None => rest.trim_start(),
    };
    (!rest.contains(" for ")).then(|| word(rest)).filter(|name| !name.is_empty())
}

/// Public types, their fields, variants and methods as `Type::name`, and public functions, by the text of the sources.
fn public_names() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let files = ["src/rigid2d", "src/geometry", "src/broad/tree", "src/error.rs"].map(sources);
    for text in files.iter().flatten().map(|path| fs::read_to_string(path).unwrap()) {
        let mut owner: Option<&str> = None;
        let mut is_enum = false;
        for line in text.lines() {
            let item = ["pub struct ", "pub enum "].iter().find_map(|start| line.strip_prefix(start));
            if let Some(item) = item {
                (owner, is_enum) = (Some(word(item)), line.starts_with("pub enum"));
                names.insert(word(item).to_owned());
            } else if line.starts_with("impl") {
                (owner, is_enum) = (type_of(line), false);
            } else if let Some(function) = line.strip_prefix("pub fn ") {
                names.insert(word(function).to_owned());
            } else if line.starts_with('}') {
                owner = None;
            } else if let Some(owner) = owner {
                let inner = line.trim_start();
                let depth = line.len() - inner.len();
                let function = inner.strip_prefix("pub const fn ").or_else(|| inner.strip_prefix("pub fn "));
                let member = match function.or_else(|| inner.strip_prefix("pub ")) {
                    // Methods, and fields of structs.
                    Some(member) if depth == 4 => member,
                    // Methods that the macro `setters!` makes, which it makes public.
                    None if depth == 8 && inner.starts_with("with_") => inner,
                    None if depth == 4 && is_enum => inner,
                    _ => continue,
                };
                names.insert(format!("{owner}::{}", word(member)));
            }
        }
    }
    names
}

#[test]
fn what_the_table_names_in_rust_exists() {
    let (own, of_rust) = (public_names(), of_rust());
    assert!(own.len() > 300, "only {} names were found", own.len());
    let mut count = 0;
    for row in rows() {
        for name in &row.rust {
            count += 1;
            assert!(
                own.contains(name) || of_rust.contains(name.as_str()),
                "{}: there is no {name}",
                row.program
            );
        }
    }
    assert!(count > 250, "the table names only {count}");
}

#[test]
fn what_the_table_names_in_c_is_in_the_header() {
    let header = read("include/carom.h");
    let functions: BTreeSet<&str> = header
        .match_indices("carom_")
        .map(|(at, _)| word(&header[at..]))
        .filter(|name| header.contains(&format!("{name}(")))
        .collect();
    let mut count = 0;
    for row in rows() {
        for name in &row.c {
            count += 1;
            assert!(functions.contains(name.as_str()), "{}: carom.h has no {name}", row.program);
        }
    }
    assert!(count > 150, "the table names only {count}");
}

/// What the guide quotes without running it is in the example, which is built and run.
#[test]
fn quoted_code_is_in_the_example() {
    let guide = read("docs/rigid2d.md");
    let lines = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let example = lines(&read("examples/rigid2d/main.rs"));
    let quotes: Vec<&str> =
        guide.split("```rust,ignore\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(quotes.len() >= 7);
    for quote in quotes {
        assert!(example.contains(lines(quote).trim()), "examples/rigid2d/main.rs has no\n{quote}");
    }
}
