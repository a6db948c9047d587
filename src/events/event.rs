//! The events of a run: collisions of particles with each other and with walls.

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum EventKind {
    /// Two particles collide.
    Collision = 0,
    /// A particle bounces off a wall.
    Wall = 1,
}

/// One collision.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Event<const D: usize> {
    /// World time, in seconds.
    pub time: f64,
    /// With what the particle collides.
    pub kind: EventKind,
    /// Row of the particle; the lower row of two particles.
    pub first: usize,
    /// Row of the second particle. For a wall the face: `2 * axis` for the lower, `2 * axis + 1` for the upper.
    pub second: usize,
    /// Momentum exchanged along the normal, in newton seconds; never negative.
    pub impulse: f64,
    /// Unit normal, from the second particle or the wall to the first particle.
    pub normal: [f64; D],
}
