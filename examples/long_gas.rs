//! The long run: 10^4 hard spheres, 10^7 collisions. Energy and momentum stay, and nothing overlaps beyond rounding.
//!
//! ```text
//! cargo run --release --example long_gas -- [cells] [collisions]
//! ```
//! With `cells` cells along each side of an FCC lattice there are 4 cells^3 spheres; 14 (10,976) unless given.

use std::error::Error;
use std::time::Instant;

use carom::events::Limit;
use carom::events::scenes::Gas;
use carom::{Field, Particles};

/// Spheres a cubic metre; they have a diameter of one metre, and mass and temperature 1.
const DENSITY: f64 = 0.5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let cells: usize = arguments.next().map_or(Ok(14), |text| text.parse())?;
    let collisions: u64 = arguments.next().map_or(Ok(10_000_000), |text| text.parse())?;
    let spheres = 4 * cells.pow(3);
    let gas = Gas::new(3).with_particles(spheres).with_number_density(DENSITY);
    let mut engine = gas.scene()?.into_engine()?;
    let side = engine.upper()[0];

    engine.run(Limit::collisions(10 * spheres as u64))?;
    let start = Instant::now();
    engine.run(Limit::collisions(collisions))?;
    let seconds = start.elapsed().as_secs_f64();

    let found = engine.measurements();
    let overlap = deepest_overlap(engine.synchronise(), side)?;
    println!("spheres            {spheres}");
    println!("collisions         {}", found.collisions);
    println!("collisions/s       {:.0}", collisions as f64 / seconds);
    println!("time               {}", engine.time());
    println!("energy drift       {:e}", found.energy_drift);
    println!("momentum drift     {:e}", found.momentum_drift);
    println!("deepest overlap    {overlap:e}");
    println!("pressure           {:.5}", found.virial_pressure.unwrap_or(f64::NAN));
    println!("mean free path     {:.5}", found.mean_free_path.unwrap_or(f64::NAN));
    println!("bytes per sphere     {}", engine.memory_bytes() / spheres);
    let kept = found.energy_drift < 1e-12 && found.momentum_drift < 1e-12 && overlap < 1e-12;
    if kept { Ok(()) } else { Err("the run has drifted".into()) }
}

/// How far the closest pair is inside contact, in metres; negative if none is. All pairs: it takes a second.
fn deepest_overlap(particles: &Particles, side: f64) -> carom::Result<f64> {
    let axes = [0, 1, 2].map(|axis| particles.column(Field::Position, axis));
    let [x, y, z] = axes;
    let (x, y, z) = (x?, y?, z?);
    let along = |a: f64, b: f64| {
        let apart = (a - b).abs();
        apart.min(side - apart)
    };
    let mut closest = f64::INFINITY;
    for i in 0..particles.len() {
        for j in 0..i {
            let (dx, dy, dz) = (along(x[i], x[j]), along(y[i], y[j]), along(z[i], z[j]));
            closest = closest.min(dx * dx + dy * dy + dz * dz);
        }
    }
    Ok(1.0 - closest.sqrt())
}
