//! What documentation and comments refer to exists: files, headings and, in `ARCHITECTURE.md`, functions.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders and files at the root whose pages are checked.
const PAGES: [&str; 9] = [
    "ARCHITECTURE.md",
    "BENCHMARKS.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "c_examples",
    "docs",
    "examples",
    "tests",
];

/// Folders whose comments refer to the methods.
const SOURCES: [&str; 6] = ["benches", "c_examples", "examples", "include", "src", "tests"];

/// A path in the text of a page starts with one of these.
const PLACES: [&str; 7] = ["benches/", "c_examples/", "docs/", "examples/", "include/", "src/", "tests/"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below these folders with one of these extensions, with their texts.
fn texts(folders: &[&str], extensions: &[&str]) -> Vec<(PathBuf, String)> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| extensions.iter().any(|extension| end == *extension)) {
            let text =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.push((path, text));
        }
    }
    assert!(!found.is_empty());
    found
}

/// The lines of a page with their numbers, without blocks of code and formulas.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(number, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fence && !fenced).then_some((number + 1, line))
    })
}

/// What is between backticks in a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The targets of the links of a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// The anchors that GitHub makes of the headings of a page.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter_map(|(_, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len()).then(|| title.trim())
    });
    headings.map(anchor).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// Whether a page has a heading with this anchor.
fn has_anchor(page: &Path, anchor: &str) -> bool {
    anchors(&fs::read_to_string(page).unwrap_or_default()).iter().any(|known| known == anchor)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[test]
fn links_and_paths_of_pages_exist() {
    let mut broken = Vec::new();
    for (page, text) in texts(&PAGES, &["md"]) {
        for (number, line) in prose(&text) {
            let mut check = |exists: bool, what: &str| {
                if !exists {
                    broken.push(format!("{}:{number}: {what}", page.display()));
                }
            };
            for target in links(line).filter(|target| !target.contains("://")) {
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let file = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
                check(file.exists() && (anchor.is_empty() || has_anchor(&file, anchor)), target);
            }
            for path in code_spans(line).filter(|span| PLACES.iter().any(|place| span.starts_with(place))) {
                let is_plain = path.chars().all(|c| is_word(c) || matches!(c, '/' | '.' | '-'));
                check(!is_plain || root().join(path).exists(), path);
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// A comment names a page of the methods as `docs/methods/contacts.md`, a section of it as `docs/methods/contacts.md#4-rules`
/// or as `docs/methods/contacts.md, section 4`.
#[test]
fn methods_that_comments_refer_to_exist() {
    const METHODS: &str = "docs/methods/";
    let mut broken = Vec::new();
    let mut count = 0;
    for (file, text) in texts(&SOURCES, &["rs", "c", "h", "hpp", "cpp", "toml"]) {
        if file.ends_with(file!()) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            for rest in line.split(METHODS).skip(1) {
                count += 1;
                let end =
                    rest.find(|c: char| !(is_word(c) || matches!(c, '.' | '-' | '#'))).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                let (name, anchor) = name.trim_end_matches('.').split_once('#').unwrap_or((name, ""));
                let page = root().join(METHODS).join(name.trim_end_matches('.'));
                let section = after.strip_prefix(", section ").map(|rest| {
                    let digits: String =
                        rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
                    self::anchor(digits.trim_end_matches('.')) + "-"
                });
                let has_section = section.is_none_or(|start| {
                    let text = fs::read_to_string(&page).unwrap_or_default();
                    anchors(&text).iter().any(|anchor| anchor.starts_with(&start))
                });
                if !(page.exists() && (anchor.is_empty() || has_anchor(&page, anchor)) && has_section) {
                    broken.push(format!("{}:{}: {line}", file.display(), number + 1));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(count > 20, "there were only {count} references");
}

/// In the walks, names follow the file or folder that has them: `src/events/execute.rs`: `next_event`, `execute`.
#[test]
fn functions_of_the_architecture_are_where_it_says() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut broken = Vec::new();
    let mut count = 0;
    for (number, line) in prose(&text) {
        let mut place: Option<(&str, String)> = None;
        for span in code_spans(line) {
            if PLACES.iter().any(|start| span.starts_with(start)) {
                let source: String = texts(&[span], &["rs", "c", "h", "hpp", "js", "md", "toml"])
                    .into_iter()
                    .map(|(_, text)| text)
                    .collect();
                place = Some((span, source));
            } else if let Some((path, source)) = &place
                && span.chars().all(|c| is_word(c) || c == ':')
            {
                count += 1;
                let words = span.split("::").filter(|word| !word.is_empty());
                for word in words.filter(|word| !source.split(|c| !is_word(c)).any(|known| known == *word)) {
                    broken.push(format!("line {number}: no {word} in {path}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(count > 50, "there were only {count} names");
}
