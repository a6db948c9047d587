//! The tables of a run of rigid bodies: trajectory, contacts, energy.

use std::path::Path;

use carom::geometry::Vec2;
use carom::rigid2d::space::ArbiterRef;
use carom::rigid2d::{BodyKind, Space};
use carom::simulation::{Sink, State};

use super::super::tables::{ENERGY, TRAJECTORY, Table, open, scalars, vectors};
use crate::cli::Result;

const CONTACTS: &str = "contacts.csv";

/// The open tables of a run, in their directory.
pub(in crate::cli::sim) struct BodyTables {
    trajectory: Table,
    contacts: Table,
    energy: Table,
}

impl BodyTables {
    /// Opens the tables in `directory`, which is made if need be. Neither they nor the file `last_state` replace older
    /// results unless `replace`.
    pub(in crate::cli::sim) fn create(directory: &Path, last_state: &Path, replace: bool) -> Result<Self> {
        let [trajectory, contacts, energy] =
            open(directory, [TRAJECTORY, CONTACTS, ENERGY], last_state, replace)?;
        let pose = [vectors(&[("position", "m")], 2), scalars(&[("angle", "rad")])].concat();
        let motion = [vectors(&[("velocity", "m/s")], 2), scalars(&[("angular_velocity", "rad/s")])].concat();
        let pair = scalars(&[("time", "s"), ("first", ""), ("second", ""), ("points", "")]);
        let place = [vectors(&[("position", "m"), ("normal", "")], 2), scalars(&[("depth", "m")])].concat();
        let impulses = scalars(&[("impulse", "N s"), ("friction_impulse", "N s")]);
        let energies =
            [("time", "s"), ("kinetic_energy", "J"), ("potential_energy", "J"), ("total_energy", "J")];
        let momenta = [vectors(&[("momentum", "kg m/s")], 2), scalars(&[("angular_momentum", "kg m2/s")])];
        Ok(Self {
            trajectory: Table::create(
                trajectory,
                &[scalars(&[("time", "s"), ("body", "")]), pose, motion].concat(),
            )?,
            contacts: Table::create(contacts, &[pair, place, impulses].concat())?,
            energy: Table::create(energy, &[scalars(&energies), momenta.concat()].concat())?,
        })
    }

    fn add_contact(&mut self, time: f64, contact: &ArbiterRef<'_>) -> carom::Result<()> {
        let set = contact.contact_set();
        let points = set.points();
        let share = 1.0 / points.len().max(1) as f64;
        let middle =
            points.iter().fold(Vec2::ZERO, |sum, point| sum + point.point_a.lerp(point.point_b, 0.5) * share);
        let depth = points.iter().map(|point| point.depth).fold(f64::NEG_INFINITY, f64::max);
        let (normal, impulse) = (set.normal, contact.total_impulse());
        let [first, second] = contact.bodies().map(|body| body.index());
        self.contacts.add((
            (time, first, second, points.len()),
            (<[f64; 2]>::from(middle), <[f64; 2]>::from(normal), depth),
            (impulse.dot(normal), impulse.dot(normal.perpendicular())),
        ))
    }
}

/// Contacts that have an effect.
fn contacts(space: &Space) -> impl Iterator<Item = ArbiterRef<'_>> {
    let has_effect = |contact: &ArbiterRef<'_>| !contact.is_sensor() && contact.count() > 0;
    space.arbiters().into_iter().filter(has_effect)
}

impl Sink for BodyTables {
    /// A row per body that is not static in the trajectory, one per contact in the contacts, and one in the energy.
    fn state(&mut self, state: &State<'_>) -> carom::Result<()> {
        let (Some(space), time, totals) = (state.space(), state.time, &state.totals) else { return Ok(()) };
        for body in space.bodies().filter(|body| body.kind() != BodyKind::Static) {
            let (position, velocity) = (<[f64; 2]>::from(body.position()), <[f64; 2]>::from(body.velocity()));
            let motion = (velocity, body.angular_velocity());
            self.trajectory.add((time, body.id().index(), position, body.angle(), motion))?;
        }
        for contact in contacts(space) {
            self.add_contact(time, &contact)?;
        }
        let (kinetic, potential) = (totals.kinetic_energy, totals.potential_energy);
        let momenta = (&totals.momentum, space.angular_momentum());
        self.energy.add((time, kinetic, potential, totals.total_energy(), momenta))
    }

    fn finish(self: Box<Self>) -> carom::Result<()> {
        [self.trajectory, self.contacts, self.energy].into_iter().try_for_each(Table::finish)
    }
}
