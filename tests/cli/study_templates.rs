//! Every setting that a template only mentions in a comment is accepted once it is one.

use std::fs;

use carom::study::KINDS;

use crate::{Scratch, rows, success};

/// A line of a template: where it stands, and what it sets if it is no comment.
#[derive(Clone)]
struct Setting {
    line: usize,
    table: String,
    text: String,
}

impl Setting {
    fn key(&self) -> &str {
        self.text.split(" = ").next().unwrap().trim()
    }
}

/// A table in brackets, as it is written.
fn header(text: &str) -> Option<&str> {
    let text = text.split(" #").next().unwrap().trim();
    (text.starts_with('[') && text.ends_with(']')).then_some(text)
}

fn is_setting(text: &str) -> bool {
    let key = text.split(" = ").next().unwrap();
    let is_key = |key: &str| key.starts_with('"') || key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    text.contains(" = ") && is_key(key.trim())
}

/// Groups of commented lines that are settings: a table with its keys, or one key of the table above it.
fn commented(template: &str) -> Vec<Vec<Setting>> {
    let (mut groups, mut table, mut open): (Vec<Vec<Setting>>, String, bool) =
        (Vec::new(), String::new(), false);
    for (line, text) in template.lines().enumerate() {
        let Some(comment) = text.strip_prefix('#').map(str::trim_start) else {
            open = false;
            if let Some(name) = header(text) {
                table = name.to_owned();
            }
            continue;
        };
        let setting = Setting { line, table: table.clone(), text: comment.to_owned() };
        if header(comment).is_some() {
            groups.push(vec![setting]);
            open = true;
        } else if is_setting(comment) && open {
            groups.last_mut().unwrap().push(setting);
        } else if is_setting(comment) {
            groups.push(vec![setting]);
        } else {
            open = false;
        }
    }
    groups
}

/// What a line says it stands in for: `# instead of position and velocity`, `# instead of [frames.a] and [frames.b]`.
fn replaced(text: &str) -> Vec<String> {
    let Some((_, words)) = text.split_once("# instead of ") else { return Vec::new() };
    let words = words.split([':', ';']).next().unwrap();
    words.split(" and ").flat_map(|word| word.split(", ")).map(|word| word.trim().to_owned()).collect()
}

/// The template with a group of settings in force, without what it replaces.
fn with(template: &str, group: &[Setting]) -> String {
    let is_table = header(&group[0].text).is_some();
    let first = &group[0];
    let mut gone = replaced(&first.text);
    gone.push(if is_table { header(&first.text).unwrap().to_owned() } else { first.key().to_owned() });
    let (mut out, mut table, mut depth) = (Vec::new(), String::new(), 0_i32);
    let mut dropping = false;
    for (line, text) in template.lines().enumerate() {
        let is_comment = text.starts_with('#');
        if let Some(name) = header(text).filter(|_| !is_comment && depth == 0) {
            table = name.to_owned();
            dropping = gone.contains(&table);
        } else if depth == 0 && !is_comment && !gone.iter().any(|name| name == &table) {
            let key = text.split(" = ").next().unwrap().trim();
            dropping = table == first.table && gone.iter().any(|name| name == key);
        }
        if dropping && !is_comment {
            depth += text.matches('[').count() as i32 - text.matches(']').count() as i32;
            if header(text).is_some() {
                depth = 0;
            }
        } else if !is_table && line == first.line {
            out.push(first.text.clone());
        } else {
            out.push(text.to_owned());
        }
    }
    if is_table {
        out.extend(group.iter().map(|setting| setting.text.clone()));
    }
    out.join("\n") + "\n"
}

#[test]
fn every_commented_setting_is_accepted() {
    let scratch = Scratch::new();
    let mut count = 0;
    for kind in KINDS {
        let file = scratch.name(&format!("{}.toml", kind.name));
        success(&["new", &file, "--kind", kind.name]);
        let template = fs::read_to_string(&file).unwrap();
        let groups = commented(&template);
        assert!(groups.len() >= 4, "{}: {}", kind.name, groups.len());
        for group in groups {
            let study = with(&template, &group);
            assert!(study.contains(&format!("\n{}\n", group[0].text)), "{study}");
            let tried = scratch.file("tried.toml", &study);
            let min: &[&str] = if group[0].text == "[stop]" { &["--min", "8"] } else { &[] };
            let out = scratch.name("out");
            let output = crate::run(
                &[&["run", &tried, "--replicas", "8", "--out", &out, "--force", "--json"], min].concat(),
            );
            // A precision that is not reached is no mistake of the file.
            let code = output.status.code();
            assert!(
                matches!(code, Some(0 | 1)),
                "{}: {}\n{}",
                kind.name,
                group[0].text,
                crate::text(&output.stderr)
            );
            let said = crate::text(&output.stderr);
            assert!(!output.stdout.is_empty(), "{}: {}\n{said}", kind.name, group[0].text);
            let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(summary["failures"], serde_json::json!([]), "{}: {}", kind.name, group[0].text);
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

/// Words in a comment that may stand for a value: `walls = "reflecting"   # or periodic, open`.
#[test]
fn every_other_value_that_a_comment_names_is_accepted() {
    let scratch = Scratch::new();
    let mut count = 0;
    for kind in KINDS {
        let template = kind.template();
        for line in template.lines().filter(|line| !line.starts_with('#')) {
            let Some((setting, comment)) = line.split_once("# or ") else { continue };
            let Some((before, value)) = setting.split_once('"') else { continue };
            let after = &value[value.find('"').unwrap()..];
            for word in comment.split(';').next().unwrap().split(", ").filter(|word| !word.contains(' ')) {
                let study =
                    scratch.file("tried.toml", template.replace(line, &format!("{before}\"{word}{after}")));
                success(&[
                    "run",
                    &study,
                    "--replicas",
                    "8",
                    "--out",
                    &scratch.name("out"),
                    "--force",
                    "--quiet",
                ]);
                count += 1;
            }
        }
    }
    assert!(count >= 10, "{count}");
}

/// With the gravity that templates mention things fall down: along axis 1, towards smaller numbers.
#[test]
fn the_gravity_of_templates_points_down() {
    let scratch = Scratch::new();
    for (kind, body) in [("scene", 1), ("stepped", 1)] {
        let kind = KINDS.iter().find(|known| known.name == kind).unwrap();
        let template = kind.template();
        let groups = commented(&template);
        let gravity = groups.iter().find(|group| group[0].key() == "gravity").unwrap();
        let study = with(&template, gravity).replace("attraction = 1 ", "attraction = 0 ");
        // Nothing else moves it along this axis.
        let study =
            study.split("\n[vary]").next().unwrap().replace("velocity = [0, 0.7]", "velocity = [0, 0]");
        let study = scratch.file(&format!("{}.toml", kind.name), study);
        success(&["run", &study, "--replay", "0", "--out", &scratch.name(kind.name), "--quiet"]);
        let table = scratch.path(kind.name).join("replica-0-0.csv");
        let columns: Vec<String> = crate::header(&table).split(',').map(str::to_owned).collect();
        let column = |start: &str| columns.iter().position(|name| name.starts_with(start)).unwrap();
        let (who, height) = (column("body"), column("position_y"));
        let heights: Vec<f64> =
            rows(&table).iter().filter(|row| row[who] == f64::from(body)).map(|row| row[height]).collect();
        assert!(heights[1] < heights[0], "{}: {:?}", kind.name, &heights[..3]);
    }
}
