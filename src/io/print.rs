//! Printing for people, in the layout of PBPhys.

use std::fmt;
use std::io::{self, BufWriter, Write};

use crate::error::{Error, Result};
use crate::particles::{Particle, Particles, ShapeKind};
use crate::world::World;

/// Prints a world to a stream: time, forces and every particle.
///
/// Six decimals for the world and three for the particles, in SI units; `Pos` is the centre for every shape.
pub fn print(world: &World, out: &mut dyn Write) -> Result<()> {
    print_world(world, out).map_err(|error| Error::io("output", error))
}

/// Prints one particle to a stream, with three decimals per number.
pub fn print_particle(particles: &Particles, index: usize, out: &mut dyn Write) -> Result<()> {
    print_one(&particles.get(index)?, out).map_err(|error| Error::io("output", error))
}

fn print_world(world: &World, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    let (settings, particles) = (world.settings(), world.particles());
    writeln!(out, "dimension: {}", particles.dim())?;
    writeln!(out, "t: {:.6}", world.time())?;
    writeln!(out, "dt: {:.6}", settings.dt)?;
    writeln!(out, "down gravity: {:.6}", settings.down_gravity)?;
    writeln!(out, "gravity: {:.6}", settings.attraction.constant)?;
    writeln!(out, "nb particles: {}", particles.len())?;
    for (index, particle) in super::each(particles).enumerate() {
        writeln!(out, "particle #{index}:")?;
        print_one(&particle, &mut out)?;
    }
    out.flush()
}

fn print_one(particle: &Particle, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Type: {}", name(particle.shape.kind))?;
    writeln!(out, "Dim: {}", particle.dim())?;
    writeln!(out, "Pos: {}", Vector(&particle.position))?;
    for (number, axis) in particle.shape.axes.chunks_exact(particle.dim()).enumerate() {
        writeln!(out, "Axis({number}): {}", Vector(axis))?;
    }
    writeln!(out, "velocity: {}", Vector(&particle.velocity))?;
    writeln!(out, "accel: {}", Vector(&particle.acceleration))?;
    writeln!(out, "mass: {:.3}", particle.mass)?;
    writeln!(out, "drag: {:.3}", particle.drag)?;
    writeln!(out, "{}", if particle.fixed { "fixed" } else { "unfixed" })
}

fn name(kind: ShapeKind) -> &'static str {
    match kind {
        ShapeKind::Facoid => "Facoid",
        ShapeKind::Spheroid => "Spheroid",
        ShapeKind::Pyramidoid => "Pyramidoid",
    }
}

struct Vector<'a>(&'a [f64]);

impl fmt::Display for Vector<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, component) in self.0.iter().enumerate() {
            write!(f, "{}{component:.3}", if k == 0 { "<" } else { "," })?;
        }
        f.write_str(">")
    }
}
