//! The identity of a study, and how another one differs from it.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::environment::REVISION;
use super::file::Study;
use crate::error::Result;

/// Keys that may change from one run of a study to the next: its length and the failures allowed. The seed is compared
/// separately, since the caller may override that of the file.
const MAY_CHANGE: [&str; 4] = ["replicas", "stop", "seed", "statistics.max_failed"];

/// All that the bits of the replicas of a study depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    version: String,
    revision: Option<String>,
    seed: u64,
    confidence: f64,
    points: u64,
    text: String,
    /// Names and texts of the files that the study names.
    included: Vec<(String, String)>,
}

impl Identity {
    /// The identity of a study in this build of carom.
    pub(crate) fn of(study: &Study) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            revision: REVISION.map(Into::into),
            seed: study.seed,
            confidence: study.settings.confidence,
            points: study.points.len() as u64,
            text: study.text.clone(),
            included: study.included.clone(),
        }
    }

    /// The study, as its file describes it.
    pub(crate) fn study(&self) -> Result<Study> {
        let mut study = Study::with_files(&self.text, None, self.included.clone())?;
        study.seed = self.seed;
        study.settings.confidence = self.confidence;
        Ok(study)
    }

    /// The difference that keeps `stored` from being continued as `self`, in words.
    pub(crate) fn difference(&self, stored: &Self) -> Option<String> {
        let differ = |what: &str, here: String, there: String| {
            (here != there).then(|| format!("the {what} is {there} there and {here} here"))
        };
        differ("version of carom", self.build(), stored.build())
            .or_else(|| differ("seed", self.seed.to_string(), stored.seed.to_string()))
            .or_else(|| different_text(&self.text, &stored.text))
            .or_else(|| different_files(&self.included, &stored.included))
            .or_else(|| differ("confidence", self.confidence.to_string(), stored.confidence.to_string()))
            .or_else(|| differ("number of points", self.points.to_string(), stored.points.to_string()))
    }

    fn build(&self) -> String {
        let mut build = self.version.clone();
        if let Some(revision) = &self.revision {
            // Writing to a string cannot fail.
            let _ = write!(build, " ({revision})");
        }
        build
    }
}

/// The first difference of two study files, apart from the length of the run.
fn different_text(here: &str, there: &str) -> Option<String> {
    if here == there {
        return None;
    }
    let (Some(mine), Some(theirs)) = (statements(here), statements(there)) else {
        return Some(different_lines("the study file", here, there));
    };
    let changed = mine.iter().filter_map(|(key, (line, value))| match theirs.get(key) {
        Some((_, other)) if other == value => None,
        Some((_, other)) => Some((
            *line,
            format!("line {line} of the study differs: {key} is {other} there and {value} here"),
        )),
        None => Some((*line, format!("line {line} of the study differs: {key} = {value} is not there"))),
    });
    let lost = theirs.iter().filter(|(key, _)| !mine.contains_key(*key)).map(|(key, (line, value))| {
        (*line, format!("line {line} of its study differs: {key} = {value} is not here"))
    });
    changed.chain(lost).min_by_key(|(line, _)| *line).map(|(_, text)| text)
}

/// Line and value of every key, by its path; `None` if it is no TOML.
fn statements(text: &str) -> Option<BTreeMap<String, (usize, &str)>> {
    let table = DeTable::parse(text).ok()?;
    let mut found = BTreeMap::new();
    for (key, value) in table.get_ref() {
        collect(text, key.get_ref().to_string(), value, &mut found);
    }
    Some(found)
}

fn collect<'t>(
    text: &'t str,
    path: String,
    value: &Spanned<DeValue<'_>>,
    found: &mut BTreeMap<String, (usize, &'t str)>,
) {
    match value.get_ref() {
        _ if MAY_CHANGE.contains(&path.as_str()) => {}
        DeValue::Table(table) if !table.is_empty() => {
            for (key, entry) in table {
                collect(text, format!("{path}.{}", key.get_ref()), entry, found);
            }
        }
        DeValue::Array(entries) if !entries.is_empty() => {
            for (n, entry) in entries.iter().enumerate() {
                collect(text, format!("{path}[{n}]"), entry, found);
            }
        }
        _ => {
            let span = value.span();
            let line = 1 + text.get(..span.start).unwrap_or_default().matches('\n').count();
            found.insert(path, (line, text.get(span).unwrap_or_default()));
        }
    }
}

/// Which of the included files differ.
fn different_files(here: &[(String, String)], there: &[(String, String)]) -> Option<String> {
    let find = |files: &[(String, String)], name: &str| {
        files.iter().find(|(known, _)| known == name).map(|(_, text)| text.clone())
    };
    let changed = here.iter().find_map(|(name, text)| match find(there, name) {
        Some(other) if other == *text => None,
        Some(other) => Some(different_lines(name, text, &other)),
        None => Some(format!("the file {name} is not part of it")),
    });
    changed.or_else(|| {
        let lost = there.iter().find(|(name, _)| find(here, name).is_none());
        lost.map(|(name, _)| format!("the file {name} is part of it, but not of this study"))
    })
}

/// The first line in which two texts differ.
fn different_lines(name: &str, here: &str, there: &str) -> String {
    let (mut mine, mut theirs) = (here.lines(), there.lines());
    for line in 1.. {
        let pair = (mine.next(), theirs.next());
        if pair == (None, None) {
            break;
        }
        if pair.0 != pair.1 {
            let quoted =
                |text: Option<&str>| text.map_or("missing".into(), |text| format!("{:?}", text.trim()));
            let (here, there) = (quoted(pair.0), quoted(pair.1));
            return format!("line {line} of {name} differs: it is {there} there and {here} here");
        }
    }
    format!("{name} differs in its line ends")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# a comment\nseed = 1 # first\nreplicas = 100\n[gas]\ndensity = 0.5\nbox = [1, 2]\n[stop]\nrel = 0.1\n";

    #[test]
    fn only_the_length_of_a_run_may_change() {
        let longer =
            TEXT.replace("100", "1_000").replace("rel = 0.1", "abs = 7").replace("a comment", "another");
        assert_eq!(different_text(&longer, TEXT), None);
        let other_words = "[statistics]\nmax_failed = 0.5\n[gas]\nbox = [1,2]\ndensity = 0.5";
        assert_eq!(different_text(other_words, TEXT), None);
    }

    #[test]
    fn the_first_difference_is_named() {
        for (from, to, expected) in [
            (
                "density = 0.5",
                "density = 0.6",
                "line 5 of the study differs: gas.density is 0.5 there and 0.6 here",
            ),
            ("[1, 2]", "[1, 2, 3]", "line 6 of the study differs: gas.box[2] = 3 is not there"),
            ("density = 0.5\n", "", "line 5 of its study differs: gas.density = 0.5 is not here"),
        ] {
            assert_eq!(different_text(&TEXT.replace(from, to), TEXT).as_deref(), Some(expected));
        }
        assert_eq!(
            different_text("a = ", "b = 1").as_deref(),
            Some("line 1 of the study file differs: it is \"b = 1\" there and \"a =\" here")
        );
    }

    #[test]
    fn files_that_a_study_names_are_part_of_it() {
        let files = |text: &str| vec![("scene.toml".to_owned(), text.to_owned())];
        assert_eq!(different_files(&files("a\nb"), &files("a\nb")), None);
        assert_eq!(
            different_files(&files("a\nb"), &files("a\nc")).as_deref(),
            Some("line 2 of scene.toml differs: it is \"c\" there and \"b\" here")
        );
        assert!(different_files(&files("a"), &[]).unwrap().contains("scene.toml is not part of it"));
        assert!(different_files(&[], &files("a")).unwrap().contains("but not of this study"));
    }
}
