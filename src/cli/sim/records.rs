//! The tables that a run writes: trajectory, collisions or events, energy. They get their names when the run ends.

use std::path::{Path, PathBuf};

use carom::io::file::WholeFile;
use carom::{Field, Particles};
use serde::Serialize;

use crate::cli::{Failure, Result, make_directory, refuse_to_replace};

const TRAJECTORY: &str = "trajectory.csv";
const ENERGY: &str = "energy.csv";

/// What a run writes beside trajectory and energy.
pub(super) struct Names {
    /// The table of what happens, and its columns before the normal.
    pub(super) happenings: (&'static str, &'static [&'static str]),
    /// The file of the last state.
    pub(super) last_state: &'static str,
}

/// What does not belong to one particle.
pub(super) struct Totals {
    /// In joules.
    pub(super) kinetic: f64,
    /// In joules, if it is known.
    pub(super) potential: Option<f64>,
    /// In newton seconds, one number an axis.
    pub(super) momentum: Vec<f64>,
}

/// The open tables of a run, in their directory.
pub(super) struct Records {
    trajectory: Table,
    happenings: Table,
    energy: Table,
    last_state: PathBuf,
}

impl Records {
    /// Opens the tables in `directory`, which is made if need be. Results that are already there are kept unless
    /// `replace`.
    pub(super) fn create(directory: &Path, dim: usize, names: &Names, replace: bool) -> Result<Self> {
        let (happenings, columns) = names.happenings;
        for name in [TRAJECTORY, happenings, ENERGY, names.last_state] {
            refuse_to_replace(&directory.join(name), replace, "choose another directory with --out")?;
        }
        make_directory(directory)?;
        let table =
            |name, scalars, vectors: &[&str]| Table::create(&directory.join(name), scalars, vectors, dim);
        Ok(Self {
            trajectory: table(TRAJECTORY, &["time", "particle"], &["position", "velocity"])?,
            happenings: table(happenings, columns, &["normal"])?,
            energy: table(ENERGY, &["time", "kinetic", "potential", "total"], &["momentum"])?,
            last_state: directory.join(names.last_state),
        })
    }

    /// Adds a state: a row a particle to the trajectory, and one to the energy.
    pub(super) fn add_state(&mut self, time: f64, particles: &Particles, totals: &Totals) -> Result<()> {
        for index in 0..particles.len() {
            let vector = |field| particles.value(field, index);
            self.trajectory.add((time, index, vector(Field::Position)?, vector(Field::Velocity)?))?;
        }
        let Totals { kinetic, potential, momentum } = totals;
        let total = potential.map(|potential| kinetic + potential);
        self.energy.add((time, kinetic, potential, total, momentum))
    }

    /// Adds a row to the table of what happens.
    pub(super) fn add_happening(&mut self, row: impl Serialize) -> Result<()> {
        self.happenings.add(row)
    }

    /// Writes everything out, gives the files their names and lets `save` write the last state. Returns where that is.
    pub(super) fn finish(self, save: impl FnOnce(&Path) -> Result<()>) -> Result<String> {
        for table in [self.trajectory, self.happenings, self.energy] {
            table.finish()?;
        }
        save(&self.last_state)?;
        Ok(self.last_state.display().to_string())
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
