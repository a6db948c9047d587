//! `carom new`: a commented study file to start from.

use std::path::{Path, PathBuf};

use carom::io::file::write_whole;
use carom::study::{KINDS, Kind};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::{Outcome, Result, quoted, refuse_to_replace, say};

const EXAMPLES: &str = "\
Examples:
  carom new conjunction --kind encounter        writes conjunction.toml
  carom run conjunction.toml                    runs it

The folder examples/studies of the source has more study files.";

/// Writes a commented study file to start from
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Name of the study; the file is NAME.toml
    #[arg(value_name = "NAME")]
    name: PathBuf,
    /// What is studied
    #[arg(long, value_name = "KIND", default_value = KINDS[0].name, value_parser = kinds())]
    kind: &'static Kind,
    /// Replace a file that is already there
    #[arg(long)]
    force: bool,
}

/// The names of the kinds with their lines of help.
fn kinds() -> impl TypedValueParser<Value = &'static Kind> {
    let names = KINDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.description));
    PossibleValuesParser::new(names)
        .try_map(|name| KINDS.iter().find(|kind| kind.name == name).ok_or("is no kind of study"))
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let path = with_extension(&arguments.name);
    refuse_to_replace(&path, arguments.force, "choose another name")?;
    write_whole(&path, |out| out.write_all(text(&path, arguments.kind).as_bytes()))?;
    say(&format!("{}: edit it, then: carom run {}\n", path.display(), quoted(&path)))?;
    Ok(Outcome::Success)
}

/// The name with the extension, which may already be there.
fn with_extension(name: &Path) -> PathBuf {
    if name.extension().is_some_and(|extension| extension == "toml") {
        return name.to_owned();
    }
    let mut path = name.as_os_str().to_owned();
    path.push(".toml");
    path.into()
}

fn text(path: &Path, kind: &Kind) -> String {
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let head = format!("name = \"{}\"\nkind = ", toml_quoted(&name));
    kind.template().replacen("kind = ", &head, 1)
}

/// Escaped for the quotes of a TOML string.
fn toml_quoted(text: &str) -> String {
    let visible: String = text.chars().filter(|c| !c.is_control()).collect();
    visible.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_extension_and_are_quoted() {
        assert_eq!(with_extension(Path::new("a/b")), Path::new("a/b.toml"));
        assert_eq!(with_extension(Path::new("b.toml")), Path::new("b.toml"));
        assert_eq!(with_extension(Path::new("v1.2")), Path::new("v1.2.toml"));
        assert_eq!(toml_quoted("say \"\\\n\""), "say \\\"\\\\\\\"");
        for kind in KINDS {
            let study = text(Path::new("a/b.toml"), kind);
            assert!(study.contains(&format!("\nname = \"b\"\nkind = \"{}\"\n", kind.name)), "{study}");
        }
    }
}
