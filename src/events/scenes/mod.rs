//! Scenes: balls, walls and rules to start from, ready-made, by distribution or from a file.

pub(crate) mod file;
mod gas;
mod lattice;
mod mixture;
mod places;
mod random;
mod ready_made;
mod velocities;

pub use gas::{Filling, Gas, Mix};
pub use ready_made::{ReadyMade, SCENES};

use super::{AnyEngine, Boundary, Enclosure, EventSettings};
use crate::document::Fields;
use crate::document::units::Units;
use crate::error::Result;
use crate::particles::Particles;

/// One axis of the box of a scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// What the two faces do.
    pub boundary: Boundary,
    /// Where the lower face is, in metres; 0 and not used if the faces are open.
    pub lower: f64,
    /// Where the upper face is, in metres; 0 and not used if the faces are open.
    pub upper: f64,
}

impl Axis {
    /// No faces at all.
    pub const OPEN: Self = Self { boundary: Boundary::Open, lower: 0.0, upper: 0.0 };

    /// Faces that reflect, in metres.
    #[must_use]
    pub fn reflecting(lower: f64, upper: f64) -> Self {
        Self { boundary: Boundary::Reflecting, lower, upper }
    }

    /// Faces through which a ball comes back on the other side, in metres.
    #[must_use]
    pub fn periodic(lower: f64, upper: f64) -> Self {
        Self { boundary: Boundary::Periodic, lower, upper }
    }
}

/// The start of a simulation, in 1, 2 or 3 dimensions and SI units.
///
/// ```
/// use carom::events::Limit;
/// use carom::events::scenes::Scene;
///
/// let mut engine = Scene::named("head-on-vertical").expect("a scene of that name").engine()?;
/// engine.run(Limit::collisions(1))?;
/// assert_eq!(engine.synchronise().get(1)?.velocity, [0.0, 0.5]);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Scene {
    /// What it is called.
    pub name: String,
    /// What there is to see, in a line.
    pub description: String,
    /// The balls.
    pub particles: Particles,
    /// The box, one entry an axis.
    pub enclosure: Vec<Axis>,
    /// Gravity and restitution.
    pub settings: EventSettings,
    /// A time at which there has been something to see, in seconds; the scene starts at time 0.
    pub until: f64,
    /// Where its random numbers started.
    pub seed: u64,
}

impl Scene {
    /// The scene of this name: one of [`SCENES`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        SCENES.iter().find(|scene| scene.name == name).map(ReadyMade::scene)
    }

    /// The scene that a scene file in TOML describes; `seed` takes the place of the one in the file.
    ///
    /// `examples/scenes` has commented files. Whatever is wrong is an [`Error::Syntax`](crate::Error::Syntax) that names line, column and field.
    pub fn from_toml(text: &str, seed: Option<u64>) -> Result<Self> {
        file::read(text, seed)
    }

    /// The scene in tables of another file, with no other keys than [`file::TABLES`] and those of that file.
    pub(crate) fn from_tables(fields: &Fields<'_>, units: &Units, seed: u64) -> Result<Self> {
        file::of_tables(fields, units, seed)
    }

    /// Dimension of the space.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.particles.dim()
    }

    /// The box, for the dimension of the scene.
    pub(crate) fn walls<const D: usize>(&self) -> Enclosure<D> {
        Enclosure {
            lower: std::array::from_fn(|axis| self.enclosure[axis].lower),
            upper: std::array::from_fn(|axis| self.enclosure[axis].upper),
            boundaries: std::array::from_fn(|axis| self.enclosure[axis].boundary),
        }
    }

    /// The engine that runs the scene, on a copy of its balls.
    pub fn engine(&self) -> Result<AnyEngine> {
        self.clone().into_engine()
    }

    /// The engine that runs the scene.
    pub fn into_engine(self) -> Result<AnyEngine> {
        let lower: Vec<f64> = self.enclosure.iter().map(|axis| axis.lower).collect();
        let upper: Vec<f64> = self.enclosure.iter().map(|axis| axis.upper).collect();
        let boundaries: Vec<Boundary> = self.enclosure.iter().map(|axis| axis.boundary).collect();
        AnyEngine::new(self.particles, &lower, &upper, &boundaries, self.settings)
    }
}
