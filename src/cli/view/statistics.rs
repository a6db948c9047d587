//! What is told beside the picture: counts, energies, pressure and theory, speeds, the selected balls.

use carom::events::scenes::{Filling, Gas};
use carom::events::{AnyEngine, Boundary, EventKind, SpeedHistogram};
use carom::rigid2d::Space;
use carom::simulation::{Quantity, Simulation, Value as Amount};
use carom::study::GasTheory;
use carom::{Field, Particles};
use serde_json::{Value, json};

use super::describe::Description;
use super::frame::lengths;
use super::matter::Matter;

/// Bins of the histogram of speeds.
const BINS: usize = 32;

/// All that depends on the matter alone.
pub(super) fn of(
    matter: &mut Matter,
    description: &Description,
    selected: &[usize],
    counts: &[u32],
) -> Value {
    let mut fields = match matter {
        Matter::Balls(engine) => of_balls(engine, description),
        Matter::World(stepped) => {
            let mut fields = totals(stepped);
            let particles = stepped.world().particles();
            fields["speeds"] = histogram(&speeds(particles), None, None, particles.dim());
            fields
        }
        Matter::Bodies(rigid) => {
            let mut fields = totals(rigid);
            fields["bodies"] = of_bodies(rigid.space(), rigid);
            let speeds: Vec<f64> =
                rigid.space().bodies().map(|body| body.velocity()).map(|v| v.dot(v).sqrt()).collect();
            fields["speeds"] = histogram(&speeds, None, None, 2);
            fields
        }
    };
    let of_ball = |ball: &usize| match matter {
        Matter::Bodies(rigid) => body(rigid.space(), *ball),
        _ => matter.particles().and_then(|particles| one(particles, *ball, counts.get(*ball).copied())),
    };
    fields["selected"] = selected.iter().filter_map(of_ball).collect();
    fields
}

/// What all simulations have; what only balls have is null.
fn totals(simulation: &mut dyn Simulation) -> Value {
    let quantities = simulation.quantities();
    let totals = simulation.state().totals;
    json!({
        "collisions": totals.collisions, "wall_collisions": totals.wall_collisions, "next": null,
        "energy": {
            "kinetic": totals.kinetic_energy, "potential": totals.potential_energy, "total": totals.total_energy(),
            "drift": number(&quantities, "energy_drift"),
        },
        "momentum": totals.momentum, "momentum_drift": number(&quantities, "momentum_drift"), "temperature": null,
        "pressure": null, "mean_free_path": null, "mean_free_time": null, "mean_square_displacement": null, "bodies": null,
    })
}

fn number(quantities: &[Quantity], name: &str) -> Option<f64> {
    match quantities.iter().find(|quantity| quantity.name == name)?.value {
        Amount::Number(number) => number,
        _ => None,
    }
}

fn of_balls(engine: &mut AnyEngine, description: &Description) -> Value {
    let measured = engine.measurements();
    let (dim, theory) = (engine.dim(), theory(engine, description, measured.temperature));
    let next = engine.next_event_until(engine.time() + description.span);
    let speeds = engine.speeds();
    let unit = ["N", "N/m", "Pa"][dim - 1];
    let temperature = Some(measured.temperature).filter(|temperature| *temperature > 0.0);
    json!({
        "collisions": measured.collisions, "wall_collisions": measured.wall_collisions,
        "next": next.map(|event| match event.kind {
            EventKind::Wall => json!({
                "time": event.time, "kind": "wall", "first": event.first, "axis": event.second / 2,
                "side": if event.second % 2 == 0 { "lower" } else { "upper" },
            }),
            _ => json!({"time": event.time, "kind": "ball", "first": event.first, "second": event.second}),
        }),
        "energy": {
            "kinetic": measured.kinetic_energy, "potential": measured.potential_energy,
            "total": measured.kinetic_energy + measured.potential_energy, "drift": measured.energy_drift,
        },
        "momentum": measured.momentum[..dim], "momentum_drift": measured.momentum_drift, "temperature": measured.temperature,
        "pressure": {
            "virial": measured.virial_pressure, "wall": measured.wall_pressure, "theory": theory.map(|theory| theory.pressure),
            "equation": theory.map(|theory| theory.equation), "unit": unit,
        },
        "mean_free_path": {"measured": measured.mean_free_path, "theory": theory.map(|theory| theory.mean_free_path)},
        "mean_free_time": measured.mean_free_time, "mean_square_displacement": measured.mean_square_displacement,
        "speeds": histogram(&speeds, description.masses.as_deref(), temperature, dim), "bodies": null,
    })
}

/// What theory says of balls that are all alike in a periodic box.
fn theory(engine: &AnyEngine, description: &Description, temperature: f64) -> Option<GasTheory> {
    let (radius, mass) = description.alike?;
    let is_periodic = engine.boundaries().iter().all(|boundary| *boundary == Boundary::Periodic);
    let is_elastic = engine.settings().restitution == 1.0;
    let volume: f64 = engine.lower().iter().zip(engine.upper()).map(|(lower, upper)| upper - lower).product();
    let mut gas = Gas::new(engine.dim())
        .with_particles(engine.len())
        .with_radius(radius)
        .with_mass(mass)
        .with_temperature(temperature);
    gas.filling = Filling::NumberDensity(engine.len() as f64 / volume);
    if is_periodic && is_elastic { GasTheory::of(&gas) } else { None }
}

/// Counts of speeds, with those that Maxwell's distribution of each mass expects.
fn histogram(speeds: &[f64], masses: Option<&[(f64, usize)]>, temperature: Option<f64>, dim: usize) -> Value {
    let SpeedHistogram { width, counts, .. } = SpeedHistogram::new(speeds, BINS);
    let expected = masses.zip(temperature).map(|(masses, temperature)| {
        let at = |bin: usize| {
            let speed = (bin as f64 + 0.5) * width;
            let of_mass = |(mass, count): &(f64, usize)| {
                *count as f64 * maxwell(speed, mass / temperature, dim) * width
            };
            masses.iter().map(of_mass).sum::<f64>()
        };
        (0..BINS).map(at).collect::<Vec<f64>>()
    });
    json!({"width": width, "counts": counts, "maxwell": expected})
}

/// Maxwell's density of speeds, in s/m. `stiffness` is m / kT.
fn maxwell(speed: f64, stiffness: f64, dim: usize) -> f64 {
    use std::f64::consts::PI;
    let factor = match dim {
        1 => (2.0 * stiffness / PI).sqrt(),
        2 => stiffness * speed,
        _ => (2.0 / PI).sqrt() * stiffness.powf(1.5) * speed * speed,
    };
    factor * (-0.5 * stiffness * speed * speed).exp()
}

fn speeds(particles: &Particles) -> Vec<f64> {
    let axes = 0..particles.dim();
    let columns: Vec<&[f64]> =
        axes.map(|axis| particles.column(Field::Velocity, axis).unwrap_or_default()).collect();
    lengths(&columns)
}

fn of_bodies(space: &Space, simulation: &dyn Simulation) -> Value {
    let steps = simulation.quantities().into_iter().find_map(|quantity| match quantity {
        Quantity { name: "steps", value: Amount::Count(steps), .. } => Some(steps),
        _ => None,
    });
    json!({
        "contacts": space.contact_count(), "max_penetration": space.max_penetration(), "asleep": space.asleep_count(),
        "steps": steps.unwrap_or(0).max(space.step_count()), "angular_momentum": space.angular_momentum(),
    })
}

/// One ball, exactly.
fn one(particles: &Particles, ball: usize, collisions: Option<u32>) -> Option<Value> {
    let particle = particles.get(ball).ok()?;
    let square = particle.velocity.iter().fold(0.0, |sum, v| sum + v * v);
    Some(json!({
        "ball": ball, "position": particle.position, "velocity": particle.velocity, "mass": particle.mass,
        "radius": particles.radii()[ball], "fixed": particle.fixed, "speed": square.sqrt(), "energy": 0.5 * particle.mass * square,
        "collisions": collisions.unwrap_or(0),
    }))
}

fn body(space: &Space, number: usize) -> Option<Value> {
    let body = space.bodies().nth(number)?;
    let (position, velocity): ([f64; 2], [f64; 2]) = (body.position().into(), body.velocity().into());
    let reach = body.shapes().map(|shape| shape.geometry().bounding_radius(carom::geometry::Vec2::ZERO));
    Some(json!({
        "ball": number, "position": position, "velocity": velocity, "mass": Some(body.mass()).filter(|mass| mass.is_finite()),
        "radius": reach.fold(0.0, f64::max), "fixed": body.kind() == carom::rigid2d::BodyKind::Static,
        "speed": body.velocity().dot(body.velocity()).sqrt(), "energy": body.kinetic_energy(), "collisions": 0,
        "angle": body.angle(), "angular_velocity": body.angular_velocity(), "asleep": body.is_asleep(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maxwells_densities_have_area_1_and_the_right_energy() {
        for dim in 1..=3 {
            let (step, stiffness) = (1e-3, 2.5);
            let sum = |power: i32| {
                let part = |n: i32| {
                    let speed = (f64::from(n) + 0.5) * step;
                    maxwell(speed, stiffness, dim) * speed.powi(power) * step
                };
                (0..20_000).map(part).sum::<f64>()
            };
            assert!((sum(0) - 1.0).abs() < 1e-6, "{dim}");
            // The mean of v^2 is D kT / m.
            assert!((sum(2) - dim as f64 / stiffness).abs() < 1e-6, "{dim}");
        }
    }

    #[test]
    fn expected_counts_add_up() {
        let found = histogram(&[0.0, 10.0], Some(&[(1.0, 60), (2.0, 40)]), Some(1.0), 2);
        let sum: f64 = found["maxwell"].as_array().unwrap().iter().map(|count| count.as_f64().unwrap()).sum();
        assert!((sum - 100.0).abs() < 1.0, "{sum}");
        assert_eq!(found["counts"].as_array().unwrap().len(), BINS);
        assert_eq!(histogram(&[1.0], None, Some(1.0), 2)["maxwell"], Value::Null);
    }
}
