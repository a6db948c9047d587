//! The tables of values that the distributions of a study name: read before the distributions are, and part of what the study
//! is.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::document::Source;
use crate::error::Result;

/// The key under which a distribution names its file.
const KEY: &str = "table";
/// The largest file, in bytes: some million values.
const LARGEST: u64 = 1 << 26;

/// Reads the files that distributions in this table name, unless they are among `included` already. They are relative to
/// `directory`, or to the working directory.
pub(super) fn include(
    source: Source<'_>,
    table: &DeTable<'_>,
    directory: Option<&Path>,
    included: &mut Vec<(String, String)>,
) -> Result<()> {
    for (key, value) in table {
        match value.get_ref() {
            DeValue::String(name) if key.get_ref() == KEY => {
                if included.iter().any(|(known, _)| known == name) {
                    continue;
                }
                let path = directory.map_or_else(|| Path::new(&**name).to_owned(), |home| home.join(&**name));
                let text = read(&path).map_err(|detail| {
                    source.error_at(
                        value.span().start,
                        format!("{KEY} is {name:?}: {}: {detail}", path.display()),
                    )
                })?;
                included.push((name.to_string(), text));
            }
            _ => include_below(source, value, directory, included)?,
        }
    }
    Ok(())
}

fn include_below(
    source: Source<'_>,
    value: &Spanned<DeValue<'_>>,
    directory: Option<&Path>,
    included: &mut Vec<(String, String)>,
) -> Result<()> {
    match value.get_ref() {
        DeValue::Table(table) => include(source, table, directory, included),
        DeValue::Array(entries) => {
            entries.iter().try_for_each(|entry| include_below(source, entry, directory, included))
        }
        _ => Ok(()),
    }
}

/// The text of a file that is not too large, or what is wrong with it.
fn read(path: &Path) -> std::result::Result<String, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    let length = file.take(LARGEST + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if length as u64 > LARGEST {
        return Err(format!("it must have at most {LARGEST} bytes"));
    }
    Ok(text)
}
