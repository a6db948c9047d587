//! The tables that a run writes: trajectory, events, energy. They get their names when the run ends.

use std::path::{Path, PathBuf};

use carom::events::EventKind;
use carom::io::columns::{column_name, vector_column_names};
use carom::io::file::WholeFile;
use carom::simulation::{Impact, Sink, State};
use carom::{Error, Field};
use serde::Serialize;

use crate::cli::{Result, refuse_to_replace};

pub(super) const TRAJECTORY: &str = "trajectory.csv";
const EVENTS: &str = "events.csv";
pub(super) const ENERGY: &str = "energy.csv";

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
        let [trajectory, events, energy] =
            open(directory, [TRAJECTORY, EVENTS, ENERGY], last_state, replace)?;
        let energies =
            [("time", "s"), ("kinetic_energy", "J"), ("potential_energy", "J"), ("total_energy", "J")];
        let impact = [("time", "s"), ("kind", ""), ("first", ""), ("second", ""), ("impulse", "N s")];
        let flight = vectors(&[("position", "m"), ("velocity", "m/s")], dim);
        Ok(Self {
            trajectory: Table::create(
                trajectory,
                &[scalars(&[("time", "s"), ("particle", "")]), flight].concat(),
            )?,
            events: Table::create(events, &[scalars(&impact), vectors(&[("normal", "")], dim)].concat())?,
            energy: Table::create(
                energy,
                &[scalars(&energies), vectors(&[("momentum", "kg m/s")], dim)].concat(),
            )?,
        })
    }
}

/// Paths of tables in `directory`. Neither they nor the file `last_state` may be there already unless `replace`.
pub(super) fn open<const N: usize>(
    directory: &Path,
    names: [&str; N],
    last_state: &Path,
    replace: bool,
) -> Result<[PathBuf; N]> {
    let paths = names.map(|name| directory.join(name));
    for path in paths.iter().map(PathBuf::as_path).chain([last_state]) {
        refuse_to_replace(path, replace, "choose another directory with --out")?;
    }
    Ok(paths)
}

/// Names of columns of vectors by quantities and units.
pub(super) fn vectors(quantities: &[(&str, &str)], dim: usize) -> Vec<String> {
    quantities.iter().flat_map(|(name, unit)| vector_column_names(name, dim, unit)).collect()
}

/// Names of columns of numbers by quantities and units.
pub(super) fn scalars(quantities: &[(&str, &str)]) -> Vec<String> {
    quantities.iter().map(|(name, unit)| column_name(name, unit)).collect()
}

impl Sink for Tables {
    /// A row per particle in the trajectory, and one in the energy.
    fn state(&mut self, state: &State<'_>) -> carom::Result<()> {
        let (Some(particles), time, totals) = (state.particles(), state.time, &state.totals) else {
            return Ok(());
        };
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

/// A table that gets its name when it is complete.
pub(super) struct Table {
    path: PathBuf,
    rows: csv::Writer<WholeFile>,
}

impl Table {
    /// A table with these columns.
    pub(super) fn create(path: PathBuf, columns: &[String]) -> carom::Result<Self> {
        let rows = csv::WriterBuilder::new().has_headers(false).from_writer(WholeFile::create(&path)?);
        let mut table = Self { path, rows };
        table.add(columns)?;
        Ok(table)
    }

    pub(super) fn add(&mut self, row: impl Serialize) -> carom::Result<()> {
        self.rows.serialize(row).map_err(|error| Error::io(self.path.display(), error))
    }

    pub(super) fn finish(self) -> carom::Result<()> {
        let Self { path, rows } = self;
        let file = rows.into_inner().map_err(|error| Error::io(path.display(), error.into_error()))?;
        file.commit()
    }
}
