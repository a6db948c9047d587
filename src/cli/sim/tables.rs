//! The tables that a run writes: trajectory, events, energy. They get their names when the run ends.

use std::path::{Path, PathBuf};

use carom::events::EventKind;
use carom::io::columns::{column_name, vector_column_names};
use carom::io::file::WholeFile;
use carom::simulation::{Impact, Sink, State};
use carom::{Error, Field};
use serde::Serialize;

use crate::cli::{Result, make_directory, refuse_to_replace};

const TRAJECTORY: &str = "trajectory.csv";
const EVENTS: &str = "events.csv";
const ENERGY: &str = "energy.csv";

/// The open tables of a run, in their directory.
pub(super) struct Tables {
    trajectory: Table,
    events: Table,
    energy: Table,
}

impl Tables {
    /// Opens the tables in `directory`, which is made if need be. Neither they nor the file `last_state` replace older
    /// results unless `replace`.
    pub(super) fn create(directory: &Path, dim: usize, last_state: &Path, replace: bool) -> Result<Self> {
        let paths = [TRAJECTORY, EVENTS, ENERGY].map(|name| directory.join(name));
        for path in paths.iter().map(PathBuf::as_path).chain([last_state]) {
            refuse_to_replace(path, replace, "choose another directory with --out")?;
        }
        make_directory(directory)?;
        let [trajectory, events, energy] = paths;
        let vectors = |vectors: &[(&str, &str)]| -> Vec<String> {
            vectors.iter().flat_map(|(name, unit)| vector_column_names(name, dim, unit)).collect()
        };
        let scalars = |scalars: &[(&str, &str)]| -> Vec<String> {
            scalars.iter().map(|(name, unit)| column_name(name, unit)).collect()
        };
        let energies =
            [("time", "s"), ("kinetic_energy", "J"), ("potential_energy", "J"), ("total_energy", "J")];
        let impact = [("time", "s"), ("kind", ""), ("first", ""), ("second", ""), ("impulse", "N s")];
        Ok(Self {
            trajectory: Table::create(
                trajectory,
                scalars(&[("time", "s"), ("particle", "")]),
                vectors(&[("position", "m"), ("velocity", "m/s")]),
            )?,
            events: Table::create(events, scalars(&impact), vectors(&[("normal", "")]))?,
            energy: Table::create(energy, scalars(&energies), vectors(&[("momentum", "kg m/s")]))?,
        })
    }
}

impl Sink for Tables {
    /// A row per particle in the trajectory, and one in the energy.
    fn state(&mut self, state: &State<'_>) -> carom::Result<()> {
        let State { time, particles, totals, .. } = state;
        for index in 0..particles.len() {
            let vector = |field| particles.value(field, index);
            self.trajectory.add((time, index, vector(Field::Position)?, vector(Field::Velocity)?))?;
        }
        let (kinetic, potential) = (totals.kinetic_energy, totals.potential_energy);
        self.energy.add((time, kinetic, potential, totals.total_energy(), &totals.momentum))
    }

    fn impact(&mut self, impact: &Impact<'_>) -> carom::Result<()> {
        let kind = if impact.kind == EventKind::Wall { "wall" } else { "particle" };
        self.events.add((impact.time, kind, impact.first, impact.second, impact.impulse, impact.normal))
    }

    fn finish(self: Box<Self>) -> carom::Result<()> {
        [self.trajectory, self.events, self.energy].into_iter().try_for_each(Table::finish)
    }
}

struct Table {
    path: PathBuf,
    rows: csv::Writer<WholeFile>,
}

impl Table {
    /// A table with these columns: those of numbers, then those of vectors.
    fn create(path: PathBuf, scalars: Vec<String>, vectors: Vec<String>) -> carom::Result<Self> {
        let rows = csv::WriterBuilder::new().has_headers(false).from_writer(WholeFile::create(&path)?);
        let mut table = Self { path, rows };
        table.add((scalars, vectors))?;
        Ok(table)
    }

    fn add(&mut self, row: impl Serialize) -> carom::Result<()> {
        self.rows.serialize(row).map_err(|error| Error::io(self.path.display(), error))
    }

    fn finish(self) -> carom::Result<()> {
        let Self { path, rows } = self;
        let file = rows.into_inner().map_err(|error| Error::io(path.display(), error.into_error()))?;
        file.commit()
    }
}
