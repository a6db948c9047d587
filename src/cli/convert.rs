//! `carom convert`: a world or a space of rigid bodies from one format into another.

use std::io;
use std::path::PathBuf;

use carom::io::file::WholeFile;
use carom::io::{Format, pbphys};
use carom::rigid2d::{Space, SpaceFormat, is_saved_space};

use super::{Failure, FormatName, Outcome, Result};

const EXAMPLES: &str = "\
Examples:
  carom sim --out run                              a world to convert: run/final.json
  carom convert run/final.json world.carom         to a binary snapshot
  carom convert world.carom world.pbphys           to the JSON of PBPhys
  carom convert world.pbphys - --to json           to standard output
  cat world.pbphys | carom convert - world.json    from standard input
  carom sim pyramid --out bodies
  carom convert bodies/final.carom space.json      a saved space of rigid bodies

Extensions: .json is carom's JSON, .pbphys and .pbphys.json the JSON of PBPhys, .carom a snapshot.
carom's JSON and snapshots keep every bit. PBPhys has no room for user data, restitution, softening,
the law of attraction, the integrator and the bound on collisions; a warning says what is lost.
Spaces of rigid bodies are converted between json and snapshot.";

/// Converts a world between carom's JSON, the JSON of PBPhys and binary snapshots, or a saved space of rigid bodies
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The world or space to read, in any format, recognised by its content; - for standard input
    input: PathBuf,
    /// The file to write; - for standard output, which needs --to
    output: PathBuf,
    /// The format to write; without it the extension of OUTPUT decides
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<FormatName>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let format = output_format(arguments)?;
    let bytes = super::load_bytes(&arguments.input, carom::input::sealed_or_json)?;
    if is_saved_space(&bytes) {
        convert_space(arguments, format, &bytes)?;
    } else {
        convert_world(arguments, format, &bytes)?;
    }
    Ok(Outcome::Success)
}

fn convert_world(arguments: &Arguments, format: Format, bytes: &[u8]) -> Result<()> {
    let world = super::world_in(&arguments.input, bytes)?;
    if matches!(format, Format::PbPhys | Format::PbPhysCompact) {
        let lost = pbphys::lost(&world);
        if !lost.is_empty() {
            super::warn(&format!("warning: the JSON of PBPhys cannot hold {}", lost.join(", ")));
        }
    }
    if super::is_stream(&arguments.output) {
        let mut bytes = Vec::new();
        carom::io::write(&world, format, &mut bytes)?;
        return print(&bytes);
    }
    carom::io::save(&world, format, &arguments.output)
        .map_err(|error| Failure::about(&arguments.output, &error))
}

fn convert_space(arguments: &Arguments, format: Format, bytes: &[u8]) -> Result<()> {
    let format = match format {
        Format::Snapshot => SpaceFormat::Snapshot,
        Format::Json => SpaceFormat::Json,
        _ => {
            let name = super::display(&arguments.input);
            let what = "this is a saved space of rigid bodies, which is written as json or as snapshot";
            return Err(Failure(format!("{name}: {what}; choose one with --to")));
        }
    };
    let space = Space::from_bytes(bytes).map_err(|error| Failure::about(&arguments.input, &error))?;
    if super::is_stream(&arguments.output) {
        let mut bytes = Vec::new();
        space.save_as(format, &mut bytes)?;
        return print(&bytes);
    }
    let about_output = |error: &carom::Error| Failure::about(&arguments.output, error);
    let mut file = WholeFile::create(&arguments.output)?;
    space.save_as(format, &mut file).map_err(|error| about_output(&error))?;
    Ok(file.commit()?)
}

fn print(bytes: &[u8]) -> Result<()> {
    Ok(super::written(io::Write::write_all(&mut io::stdout().lock(), bytes))?)
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
