//! `carom convert`: a world from one format into another.

use std::io;
use std::path::PathBuf;

use carom::io::{Format, pbphys};

use super::{Failure, FormatName, Outcome, Result};

const EXAMPLES: &str = "\
Examples:
  carom convert world.json world.carom             to a binary snapshot
  carom convert world.carom world.pbphys           to the JSON of PBPhys
  carom convert old.pbphys.json - --to json        to standard output
  curl -s URL | carom convert - world.json         from standard input

Extensions: .json is carom's JSON, .pbphys and .pbphys.json the JSON of PBPhys, .carom a snapshot.
carom's JSON and snapshots keep every bit. PBPhys has no room for user data, restitution, softening,
the law of attraction and the bound on collisions; a warning says what is lost.";

/// Converts a world between carom's JSON, the JSON of PBPhys and binary snapshots
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The world to read, in any format, recognised by its content; - for standard input
    input: PathBuf,
    /// The file to write; - for standard output, which needs --to
    output: PathBuf,
    /// The format to write; without it the extension of OUTPUT decides
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<FormatName>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let format = output_format(arguments)?;
    let world = super::load(&arguments.input)?;
    if matches!(format, Format::PbPhys | Format::PbPhysCompact) {
        let lost = pbphys::lost(&world);
        if !lost.is_empty() {
            super::warn(&format!("warning: the JSON of PBPhys cannot hold {}", lost.join(", ")));
        }
    }
    if super::is_stream(&arguments.output) {
        let mut bytes = Vec::new();
        carom::io::write(&world, format, &mut bytes)?;
        super::written(io::Write::write_all(&mut io::stdout().lock(), &bytes))?;
    } else {
        carom::io::save(&world, format, &arguments.output)
            .map_err(|error| Failure::about(&arguments.output, &error))?;
    }
    Ok(Outcome::Success)
}

fn output_format(arguments: &Arguments) -> Result<Format> {
    let chosen = arguments.to.map(Format::from).or_else(|| Format::from_extension(&arguments.output));
    chosen.ok_or_else(|| {
        let output = arguments.output.display();
        Failure(format!(
            "{output}: unknown extension (known: .json, .pbphys, .pbphys.json, .carom); choose a format with --to"
        ))
    })
}
