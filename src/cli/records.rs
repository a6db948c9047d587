//! The tables that a run writes: trajectory, collisions, energy. They get their names when the run ends.

use std::path::{Path, PathBuf};

use carom::io::Format;
use carom::io::file::WholeFile;
use carom::{Collision, Field, World};
use serde::Serialize;

use super::{Failure, Result};

const TRAJECTORY: &str = "trajectory.csv";
const COLLISIONS: &str = "collisions.csv";
const ENERGY: &str = "energy.csv";

/// The open tables of a run, in their directory.
pub(super) struct Records {
    directory: PathBuf,
    trajectory: Table,
    collisions: Table,
    energy: Table,
    final_format: Format,
}

impl Records {
    /// Opens the tables in `directory`, which is made if need be. Results that are already there are kept unless
    /// `replace`.
    pub(super) fn create(directory: &Path, dim: usize, final_format: Format, replace: bool) -> Result<Self> {
        let names = [TRAJECTORY, COLLISIONS, ENERGY, final_name(final_format)];
        if let Some(old) = names.iter().find(|name| !replace && directory.join(name).exists()) {
            let old = directory.join(old);
            return Err(Failure(format!(
                "{} is already there: choose another directory with --out, or replace it with --force",
                old.display()
            )));
        }
        std::fs::create_dir_all(directory)
            .map_err(|error| Failure(format!("{}: {error}", directory.display())))?;
        let table =
            |name, scalars, vectors: &[&str]| Table::create(&directory.join(name), scalars, vectors, dim);
        Ok(Self {
            trajectory: table(TRAJECTORY, &["time", "particle"], &["position", "speed"])?,
            collisions: table(COLLISIONS, &["time", "first", "second", "impulse"], &["normal"])?,
            energy: table(ENERGY, &["time", "kinetic", "potential", "total"], &["momentum"])?,
            directory: directory.to_owned(),
            final_format,
        })
    }

    /// Adds the state of the world now: a row a particle to the trajectory, and one to the energy.
    pub(super) fn add_state(&mut self, world: &World) -> Result<()> {
        for index in 0..world.particles().len() {
            let vector = |field| world.particles().value(field, index);
            self.trajectory.add((world.time(), index, vector(Field::Position)?, vector(Field::Speed)?))?;
        }
        let (kinetic, potential) = (world.kinetic_energy(), world.potential_energy());
        let total = potential.map(|potential| kinetic + potential);
        self.energy.add((world.time(), kinetic, potential, total, world.momentum()))
    }

    /// Adds a collision.
    pub(super) fn add_collision(&mut self, hit: &Collision) -> Result<()> {
        self.collisions.add((hit.time, hit.first, hit.second, hit.impulse, hit.normal))
    }

    /// Writes everything out, gives the files their names and saves the state of the world. Returns where that is.
    pub(super) fn finish(self, world: &World) -> Result<String> {
        for table in [self.trajectory, self.collisions, self.energy] {
            table.finish()?;
        }
        let path = self.directory.join(final_name(self.final_format));
        carom::io::save(world, self.final_format, &path)?;
        Ok(path.display().to_string())
    }
}

/// Name of the file of the last state.
fn final_name(format: Format) -> &'static str {
    match format {
        Format::Json | Format::JsonCompact => "final.json",
        Format::PbPhys | Format::PbPhysCompact => "final.pbphys.json",
        Format::Snapshot => "final.carom",
    }
}

struct Table {
    path: PathBuf,
    rows: csv::Writer<WholeFile>,
}

impl Table {
    /// A table with a column for each of `scalars`, and `dim` columns for each of `vectors`.
    fn create(path: &Path, scalars: &[&str], vectors: &[&str], dim: usize) -> Result<Self> {
        let rows = csv::WriterBuilder::new().has_headers(false).from_writer(WholeFile::create(path)?);
        let mut table = Self { path: path.to_owned(), rows };
        let components = vectors.iter().flat_map(|name| (0..dim).map(move |axis| format!("{name}_{axis}")));
        let header: Vec<String> = scalars.iter().map(ToString::to_string).chain(components).collect();
        table.add(header)?;
        Ok(table)
    }

    fn add(&mut self, row: impl Serialize) -> Result<()> {
        self.rows.serialize(row).map_err(|error| Failure(format!("{}: {error}", self.path.display())))
    }

    fn finish(self) -> Result<()> {
        let file = self.rows.into_inner();
        let file = file.map_err(|error| Failure(format!("{}: {}", self.path.display(), error.error())))?;
        Ok(file.commit()?)
    }
}
