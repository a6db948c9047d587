//! `carom completions` and `carom man`: what a shell and a manual know about the tool, made from its options.

use std::path::{Path, PathBuf};

use carom::io::file::write_whole;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff};

use super::{Failure, Outcome, Result, make_directory, say};

const COMPLETION_EXAMPLES: &str = "\
Examples:
  carom completions bash > carom.bash           then: source carom.bash
  carom completions zsh > _carom                in a folder of $fpath
  carom completions fish > carom.fish           in ~/.config/fish/completions

packaging/install.sh tool puts them where the shells look for them.";

const MAN_EXAMPLES: &str = "\
Examples:
  carom man > carom.1                           the page of the tool; then: man ./carom.1
  carom man --out man1                          that page and one for each command, in man1/

packaging/install.sh tool puts them where man looks for them.";

/// Prints the completion of commands and options for a shell
#[derive(clap::Args)]
#[command(after_help = COMPLETION_EXAMPLES)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Prints the manual page of the tool, or writes the pages of all commands
#[derive(clap::Args)]
#[command(after_help = MAN_EXAMPLES)]
pub(super) struct Manual {
    /// Directory for one page per command, which is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn completions(arguments: &Completions, mut tool: Command) -> Result<Outcome> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut tool, "carom", &mut text);
    say(&utf8(text)?)?;
    Ok(Outcome::Success)
}

pub(super) fn manual(arguments: &Manual, mut tool: Command) -> Result<Outcome> {
    tool.build();
    match &arguments.out {
        None => say(&page(&tool, "carom")?)?,
        Some(directory) => {
            make_directory(directory)?;
            write_pages(&tool, "carom", directory)?;
        }
    }
    Ok(Outcome::Success)
}

/// The page of a command, and those of the commands below it.
fn write_pages(command: &Command, name: &str, directory: &Path) -> Result<()> {
    let text = page(command, name)?;
    write_whole(&directory.join(format!("{name}.1")), |out| out.write_all(text.as_bytes()))?;
    for below in command.get_subcommands().filter(|below| is_own(below)) {
        write_pages(below, &format!("{name}-{}", below.get_name()), directory)?;
    }
    Ok(())
}

/// Whether a command is more than the help that every level has.
fn is_own(command: &Command) -> bool {
    command.get_name() != "help" && !command.is_hide_set()
}

/// A page in roff. The text below the options keeps its lines, because it has examples and columns.
fn page(command: &Command, name: &str) -> Result<String> {
    let below = command.get_after_help().map(ToString::to_string);
    let words = name.replace('-', " ");
    let command = command
        .clone()
        .display_name(name.to_owned())
        .bin_name(words)
        .after_help("")
        .version(env!("CARGO_PKG_VERSION"));
    let has_commands = command.get_subcommands().any(is_own);
    let man = Man::new(command).section("1").source(concat!("carom ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    let rendered = man
        .render_title(&mut text)
        .and_then(|()| man.render_name_section(&mut text))
        .and_then(|()| man.render_synopsis_section(&mut text))
        .and_then(|()| man.render_description_section(&mut text))
        .and_then(|()| man.render_options_section(&mut text))
        .and_then(|()| if has_commands { man.render_subcommands_section(&mut text) } else { Ok(()) });
    rendered.map_err(|error| Failure(error.to_string()))?;
    Ok(utf8(text)? + &below.map_or_else(String::new, |below| as_it_stands("EXAMPLES AND NOTES", &below)))
}

/// A section whose lines are not filled.
fn as_it_stands(title: &str, text: &str) -> String {
    let mut section = Roff::new();
    section.control("SH", [title]).control("nf", []);
    for line in text.lines() {
        section.text([Inline::from(line)]);
    }
    section.control("fi", []);
    section.to_roff()
}

fn utf8(text: Vec<u8>) -> Result<String> {
    String::from_utf8(text).map_err(|error| Failure(error.to_string()))
}
