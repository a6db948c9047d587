//! What is measured of a whole space.

use super::{BodyKind, Core, Space};
use crate::geometry::Vec2;
use crate::rigid2d::engine::growth::bytes_of;
use crate::rigid2d::engine::pairs::flag;

impl Space {
    /// Bytes of memory held by all columns and lists, which is what they have room for. Functions of the caller are not counted.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let Core { engine, bodies, shapes, free_bodies, outside, ended, .. } = &self.core;
        let lists = bodies.iter().map(|(.., entry)| entry.shapes.memory_bytes()).sum::<usize>();
        engine.memory_bytes()
            + bodies.memory_bytes()
            + lists
            + shapes.memory_bytes()
            + bytes_of(free_bodies)
            + outside.memory_bytes()
            + bytes_of(ended)
            + self.call_lists.memory_bytes()
    }

    /// The angular momentum of all dynamic bodies about the origin, in kg m^2/s.
    #[must_use]
    pub fn angular_momentum(&self) -> f64 {
        let of_body = |body: super::BodyRef<'_>| {
            let orbital = body.mass() * body.world_centre_of_mass().cross(body.velocity());
            // What has an infinite moment does not turn.
            let spin = body.angular_velocity();
            orbital + if spin == 0.0 { 0.0 } else { body.moment() * spin }
        };
        self.bodies().filter(|body| body.kind() == BodyKind::Dynamic).map(of_body).sum()
    }

    /// The potential energy of all dynamic bodies in the gravity of the space, in joules; 0 at the origin.
    #[must_use]
    pub fn potential_energy(&self) -> f64 {
        let gravity = self.core.settings.gravity;
        self.bodies()
            .filter(|body| body.kind() == BodyKind::Dynamic)
            .map(|body| -body.mass() * gravity.dot(body.world_centre_of_mass()))
            .sum()
    }

    /// Number of pairs of shapes that touch, without sensors and ignored contacts.
    #[must_use]
    pub fn contact_count(&self) -> usize {
        self.solid_contacts().count()
    }

    /// How deep two shapes overlap, at most, in metres; 0 if none do.
    #[must_use]
    pub fn max_penetration(&self) -> f64 {
        let depth = |slot: u32| {
            let touch = self.core.engine.touch(slot);
            let depth = |[a, b]: &[Vec2; 2]| (*a - *b).dot(touch.normal);
            touch.points[..touch.count].iter().map(depth).fold(0.0, f64::max)
        };
        self.solid_contacts().map(depth).fold(0.0, f64::max)
    }

    /// Number of bodies that are asleep.
    #[must_use]
    pub fn asleep_count(&self) -> usize {
        self.bodies().filter(|body| body.is_asleep()).count()
    }

    /// Slots of contacts that touch, without sensors and ignored ones.
    fn solid_contacts(&self) -> impl Iterator<Item = u32> {
        let touches = flag::ALIVE | flag::ACTIVE;
        let solid = move |flags: u16| flags & (touches | flag::SENSOR | flag::IGNORED) == touches;
        let heads = self.core.engine.heads().iter().enumerate();
        heads.filter(move |(_, head)| solid(head.flags)).map(|(slot, _)| slot as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigid2d::scenes::{Parameters, Scene};
    use crate::rigid2d::{Body, Geometry, Shape, SpaceSettings};

    #[test]
    fn momenta_and_energies_are_sums() {
        let settings = SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0));
        let mut space = Space::new(&settings).unwrap();
        let body = Body::dynamic().with_position(Vec2::new(2.0, 3.0)).with_velocity(Vec2::new(0.0, 5.0));
        let body = space.add_body(&body.with_angular_velocity(4.0)).unwrap();
        let disk = Geometry::circle(1.0, Vec2::ZERO).unwrap();
        space.add_shape(body, Shape::new(disk).with_mass(2.0)).unwrap();
        assert_eq!(space.angular_momentum(), 2.0 * 2.0 * 5.0 + 1.0 * 4.0);
        assert_eq!((space.potential_energy(), space.kinetic_energy()), (60.0, 25.0 + 8.0));
        assert_eq!((space.contact_count(), space.max_penetration(), space.asleep_count()), (0, 0.0, 0));
    }

    #[test]
    fn contacts_of_a_stack_are_counted() {
        let scene = Scene::named("stack", &Parameters::default().with_rows(3)).unwrap();
        let mut space = scene.space().unwrap();
        let start = space.state_hash();
        for _ in 0..120 {
            space.step(scene.dt).unwrap();
        }
        assert_eq!(space.contact_count(), 3);
        let deepest = space.max_penetration();
        assert!(deepest > 1e-6 && deepest < 5e-3, "{deepest}");
        assert_ne!(space.state_hash(), start);
    }
}
