//! `gas`: hard rods, disks or spheres in a box, from a lattice with Maxwell's speeds.
//!
//! `[gas]` has `dimension`, `particles`, `density` or `packing`, `radius`, `mass`, `temperature`, `walls`, `mix` and
//! `restitution`; all but the first two and `walls` may be distributions. A replica runs for `equilibrate` collisions per
//! particle; then it is measured for `collisions` per particle, or for `duration` seconds.
//!
//! Observables: `pressure` (by the virial), `compressibility` (P V / N kT), `collision_rate` (of one particle, 1/s),
//! `mean_free_path` (m); on demand `mean_free_time` (s), `diffusion` (mean square displacement over 2 D t, m2/s), `msd` (m2),
//! `temperature` (J), `energy_drift`, and with walls `wall_pressure`.

mod simulator;
mod specification;
mod theory;

pub use self::theory::GasTheory;

use self::simulator::GasSimulator;
use self::specification::{KEYS, Reader, Span, Specification};
use self::theory::Theory;
use super::event_engine::empty_engine;
use super::sequential::{self, Sequential, quantity};
use super::{Common, Kind};
use crate::document::Fields;
use crate::error::Result;
use crate::events::Boundary;
use crate::study::inputs::Inputs;
use crate::study::model::{Declaration, Model, Observable, Worker};
use crate::study::random::{Purpose, Streams};
use crate::study::summary::Reference;

pub(super) const KIND: Kind = Kind {
    name: "gas",
    description: "hard rods, disks or spheres in a box",
    template: include_str!("../templates/gas.toml"),
    swept: "gas.density",
    keys: || KEYS.to_vec(),
    observables: || {
        observables(3, Boundary::Reflecting).into_iter().map(|(_, observable)| observable).collect()
    },
    has_vary: false,
    read,
};

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    Pressure,
    Compressibility,
    CollisionRate,
    MeanFreePath,
    MeanFreeTime,
    Diffusion,
    Msd,
    Temperature,
    EnergyDrift,
    WallPressure,
}

/// How many of the [`observables`] are measured unless the study says which.
const USUAL: usize = 4;

fn observables(dim: usize, walls: Boundary) -> Vec<(Measure, Observable)> {
    let pressure = ["N", "N/m", "Pa"][dim - 1];
    let mut all = vec![
        (Measure::Pressure, quantity("pressure", pressure, "pressure by the virial")),
        (Measure::Compressibility, quantity("compressibility", "", "P V / (N kT)")),
        (Measure::CollisionRate, quantity("collision_rate", "1/s", "collisions of one particle per second")),
        (Measure::MeanFreePath, quantity("mean_free_path", "m", "mean path between two collisions")),
        (Measure::MeanFreeTime, quantity("mean_free_time", "s", "mean time between two collisions")),
        (Measure::Diffusion, quantity("diffusion", "m2/s", "mean square displacement over 2 D t")),
        (Measure::Msd, quantity("msd", "m2", "mean square displacement while it was measured")),
        (Measure::Temperature, quantity("temperature", "J", "2 K / (D N) at the end")),
        (Measure::EnergyDrift, quantity("energy_drift", "", "error of the energy, as a share of it")),
    ];
    if walls == Boundary::Reflecting {
        all.push((Measure::WallPressure, quantity("wall_pressure", pressure, "pressure on the walls")));
    }
    all
}

struct GasModel {
    specification: Specification,
    equilibrate: Span,
    span: Span,
    declaration: Declaration,
    measures: Vec<Measure>,
    theory: Option<Theory>,
}

/// The model in `[gas]`.
fn read(table: &Fields<'_>, common: &Common<'_>) -> Result<Box<dyn Model>> {
    let mut reader = Reader { table, units: &common.units, inputs: Inputs::new() };
    let specification = reader.specification()?;
    let (equilibrate, span) = reader.spans(specification.particles)?;
    let inputs = reader.inputs;
    let theory = specification.theory(&inputs, table)?;
    let all = observables(specification.dim, specification.boundary);
    let batch = sequential::batch_size(equilibrate.work() + span.work());
    let (measures, declaration) = common.declare(&all, USUAL, inputs, batch)?;
    Ok(Box::new(GasModel { equilibrate, span, declaration, measures, theory, specification }))
}

impl Model for GasModel {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn reference(&self, observable: usize) -> Option<Reference> {
        let theory = self.theory.as_ref()?;
        let (name, value) = match self.measures[observable] {
            Measure::Pressure => (theory.equation(), theory.pressure()),
            Measure::Compressibility => (theory.equation(), theory.compressibility()),
            Measure::CollisionRate => ("Enskog", theory.collision_rate()),
            Measure::MeanFreePath => ("Enskog", theory.mean_free_path()),
            Measure::MeanFreeTime => ("Enskog", theory.collision_rate().map(f64::recip)),
            _ => return None,
        };
        value.map(|value| Reference { name: name.into(), value })
    }

    fn worker(&self, seed: u64, point: u64) -> Box<dyn Worker + '_> {
        match self.specification.dim {
            1 => Box::new(self.simulator::<1>(seed, point)),
            2 => Box::new(self.simulator::<2>(seed, point)),
            _ => Box::new(self.simulator::<3>(seed, point)),
        }
    }
}

impl GasModel {
    fn simulator<const D: usize>(&self, seed: u64, point: u64) -> Sequential<'_, GasSimulator<'_, D>> {
        let seeds = Streams::new(seed, point, Purpose::Simulation);
        let simulator = GasSimulator { model: self, seeds, engine: empty_engine() };
        Sequential::new(&self.declaration, D, seed, point, simulator)
    }
}
