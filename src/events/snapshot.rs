//! Saved runs: the future after a load is the same to the bit as without the interruption.
//!
//! The header is that of all binary files of carom, with the magic `CAROMRUN`: 8 bytes magic, version 1 (`u32`), 0
//! (`u32`), length of the payload (`u64`), CRC-32 of the payload, CRC-32 of the 28 bytes before. The payload, in
//! little-endian numbers of 8 bytes (`f64` or `u64`) unless said otherwise:
//!
//! | what | numbers |
//! |---|---|
//! | dimension D, number of particles N, number F of particles in a flurry of collisions | 3 |
//! | lower corner, upper corner, faces of the box (0 open, 1 reflecting, 2 periodic) | 3 D |
//! | down gravity, restitution, restitution of walls, bound on collisions in no time | 4 |
//! | clock: start and length of the epoch, collisions in it, world time | 4 |
//! | flurry: its start, its collisions, then row and collisions of each of the F | 2 + 2 F |
//! | sums of the measurements, in the order of their structure | 10 + 4 D |
//! | user data, masses, axes | N (2 + D D) |
//! | records: place, time there, velocity | N (2 D + 1) |
//! | places where the measurements began | N D |
//! | kinds and fixed flags (`u8` each) | 2 N bytes |

use std::io::{self, Read, Write};

use super::admission;
use super::any::AnyEngine;
use super::enclosure::{Boundary, Enclosure};
use super::engine::Engine;
use super::settings::EventSettings;
use super::state::accumulators::{Sums, Totals};
use super::state::clock::Clock;
use super::state::collapse::Flurry;
use super::state::engine_state::{Core, State};
use super::state::flight_state::Record;
use crate::error::{Error, Result};
use crate::particles::{Field, Particles, Shape, ShapeKind, check};
use crate::sealed::Seal;

const SEAL: Seal = Seal { name: "saved run", magic: b"CAROMRUN", newest: 1 };

impl<const D: usize> Engine<D> {
    /// Writes the whole run to a stream. [`load`](Self::load) makes an engine of it whose future is the same to the bit.
    pub fn save(&self, out: &mut dyn Write) -> Result<()> {
        let payload = |out: &mut dyn Write| write_payload(&self.core, &mut Sink { out });
        SEAL.write(SEAL.newest, out, payload).map_err(|error| io_error("output", &error))
    }

    /// Reads a run that [`save`](Self::save) has written, up to the end of the stream.
    ///
    /// The columns are then those of the world time at which it was saved.
    pub fn load(input: &mut dyn Read) -> Result<Self> {
        let bytes = read_all(input)?;
        let mut source = open(&bytes)?;
        let dim = source.dimension()?;
        if dim != D {
            return Err(Error::BadDimension { found: dim, expected: "that of the saved run" });
        }
        engine_of(source)
    }
}

/// A run of whichever dimension.
pub(super) fn load_any(input: &mut dyn Read) -> Result<AnyEngine> {
    let bytes = read_all(input)?;
    let mut source = open(&bytes)?;
    match source.dimension()? {
        1 => engine_of(source).map(AnyEngine::One),
        2 => engine_of(source).map(AnyEngine::Two),
        _ => engine_of(source).map(AnyEngine::Three),
    }
}

fn read_all(input: &mut dyn Read) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(|error| io_error("input", &error))?;
    Ok(bytes)
}

fn io_error(path: &str, error: &io::Error) -> Error {
    Error::Io { path: path.into(), message: error.to_string() }
}

/// Whether the bytes start like a saved run, be it a truncated one.
pub(crate) fn is_saved_run(bytes: &[u8]) -> bool {
    !bytes.is_empty() && SEAL.begins(bytes)
}

fn open(bytes: &[u8]) -> Result<Source<'_>> {
    if !bytes.is_empty() && !is_saved_run(bytes) {
        return Err(Error::UnknownFormat { detail: "it is no saved run of the event-driven engine".into() });
    }
    let (_, payload) = SEAL.open(bytes)?;
    Ok(Source { rest: payload })
}

/// The engine behind the dimension that has been read. What the checksums let pass and makes no sense is corrupt.
fn engine_of<const D: usize>(mut source: Source) -> Result<Engine<D>> {
    let core = read_core(&mut source).map_err(|error| match error {
        Error::OutOfMemory { .. } | Error::Corrupt { .. } => error,
        other => SEAL.wrong(other.to_string()),
    })?;
    Ok(Engine { core })
}

fn write_payload<const D: usize>(core: &Core<D>, sink: &mut Sink) -> io::Result<()> {
    let particles = &core.particles;
    sink.wholes(&[D as u64, particles.len() as u64, core.flurry.of_particle.len() as u64])?;
    write_rules(&core.space.enclosure, &core.settings, sink)?;
    write_clock(&core.clock, &core.flurry, sink)?;
    write_sums(&core.sums, sink)?;
    sink.wholes(particles.user_data())?;
    sink.reals(core.masses())?;
    (0..particles.len()).try_for_each(|row| sink.reals(&particles.axes_of(row)))?;
    for record in &core.records {
        sink.reals(&record.place[..D])?;
        sink.reals(&[record.time()])?;
        sink.reals(&record.motion[..D])?;
    }
    sink.reals(core.anchors.as_flattened())?;
    sink.out.write_all(particles.kinds())?;
    sink.out.write_all(particles.fixed_flags())
}

fn write_rules<const D: usize>(
    enclosure: &Enclosure<D>,
    settings: &EventSettings,
    sink: &mut Sink,
) -> io::Result<()> {
    sink.reals(&enclosure.lower)?;
    sink.reals(&enclosure.upper)?;
    sink.wholes(&enclosure.boundaries.map(|boundary| boundary as u64))?;
    sink.reals(&[settings.down_gravity, settings.restitution, settings.wall_restitution])?;
    sink.wholes(&[settings.max_rate])
}

fn write_clock(clock: &Clock, flurry: &Flurry, sink: &mut Sink) -> io::Result<()> {
    sink.reals(&[clock.start, clock.length])?;
    sink.wholes(&[clock.events])?;
    sink.reals(&[clock.world, flurry.since])?;
    sink.wholes(&[flurry.collisions])?;
    let mut counts: Vec<[u64; 2]> =
        flurry.of_particle.iter().map(|(&row, &count)| [row as u64, count]).collect();
    counts.sort_unstable();
    sink.wholes(counts.as_flattened())
}

fn write_sums<const D: usize>(sums: &Sums<D>, sink: &mut Sink) -> io::Result<()> {
    sink.reals(&[sums.start, sums.initial.kinetic, sums.initial.potential])?;
    sink.reals(&sums.initial.momentum)?;
    sink.reals(&[sums.initial.momentum_scale])?;
    sink.wholes(&[sums.collisions, sums.wall_collisions])?;
    sink.reals(&[sums.virial])?;
    sink.reals(sums.wall_impulses.as_flattened())?;
    sink.reals(&sums.outside_impulse)?;
    sink.reals(&[sums.dissipated, sums.path])?;
    sink.wholes(&[sums.flights])
}

fn read_core<const D: usize>(source: &mut Source) -> Result<Core<D>> {
    let [count, in_flurry] = [source.whole()?, source.whole()?];
    let (count, in_flurry) = source.check_length::<D>(count, in_flurry)?;
    let (enclosure, settings) = read_rules(source)?;
    let (clock, flurry) = read_clock(source, in_flurry)?;
    let sums = read_sums(source)?;
    let mut particles = Particles::with_rows(D, count)?;
    for data in particles.user_data_mut() {
        *data = source.whole()?;
    }
    source.fill("mass", particles.column_mut(Field::Mass, 0)?)?;
    let axes = source.reals("axes", count * D * D)?;
    let motions = source.reals("records", count * (2 * D + 1))?;
    let anchors = source.reals("places", count * D)?;
    read_shapes(&mut particles, &axes, source)?;
    let records = motions
        .chunks_exact(2 * D + 1)
        .zip(particles.fixed_flags())
        .map(|(motion, &fixed)| record_of::<D>(motion, fixed != 0))
        .collect();
    let anchors = anchors.as_chunks().0.to_vec();
    let state = State { records, anchors, clock, flurry, sums };
    check_rules(&enclosure, &settings, &state)?;
    admission::check_magnitudes(&mut particles)?;
    let mut core = Core::resume(particles, enclosure, settings, state);
    core.write_back();
    Ok(core)
}

/// Says why no run can have this state, if so.
fn check_rules<const D: usize>(
    enclosure: &Enclosure<D>,
    settings: &EventSettings,
    state: &State<D>,
) -> Result<()> {
    enclosure.check()?;
    settings.check(enclosure)?;
    let now = state.clock.now();
    // The world time is rounded when it is counted from the start of the epoch and back.
    let rounded = 4.0 * f64::EPSILON * (state.clock.world.abs() + state.clock.start.abs());
    for (row, record) in state.records.iter().enumerate() {
        if record.time() > now + rounded {
            return Err(SEAL.wrong(format!("particle {row} is ahead of the world time")));
        }
        let (position, velocity) = record.at::<D>(now, settings.down_gravity);
        let numbers = [position, velocity, std::array::from_fn(|axis| record.place[axis])];
        if let Some(&magnitude) =
            numbers.as_flattened().iter().find(|x| x.is_nan() || x.abs() > admission::LARGEST)
        {
            return Err(Error::Overflow { field: "position", index: Some(row), magnitude });
        }
    }
    match state.flurry.of_particle.keys().find(|&&row| row >= state.records.len()) {
        Some(row) => Err(SEAL.wrong(format!("there is no particle {row}"))),
        None => Ok(()),
    }
}

/// Place, time and velocity of a record, in this order.
fn record_of<const D: usize>(motion: &[f64], fixed: bool) -> Record {
    let place = std::array::from_fn(|axis| motion[axis]);
    let velocity = std::array::from_fn(|axis| motion[D + 1 + axis]);
    Record::new::<D>(place, velocity, motion[D], fixed)
}

fn read_rules<const D: usize>(source: &mut Source) -> Result<(Enclosure<D>, EventSettings)> {
    let (lower, upper) = (source.vector("lower")?, source.vector("upper")?);
    let mut boundaries = [Boundary::Open; D];
    for boundary in &mut boundaries {
        *boundary = match source.whole()? {
            0 => Boundary::Open,
            1 => Boundary::Reflecting,
            2 => Boundary::Periodic,
            other => return Err(SEAL.wrong(format!("there is no boundary {other}"))),
        };
    }
    let [down_gravity, restitution, wall_restitution] = source.vector("settings")?;
    let settings = EventSettings { down_gravity, restitution, wall_restitution, max_rate: source.whole()? };
    Ok((Enclosure { lower, upper, boundaries }, settings))
}

fn read_clock(source: &mut Source, in_flurry: usize) -> Result<(Clock, Flurry)> {
    let [start, length] = source.vector("epoch")?;
    let events = source.count()?;
    let [world, since] = source.vector("time")?;
    let collisions = source.count()?;
    let mut flurry = Flurry { since, collisions, ..Flurry::default() };
    for _ in 0..in_flurry {
        let (row, count) = (source.whole()?, source.count()?);
        flurry.of_particle.insert(row as usize, count);
    }
    if !(length > 0.0 && world >= start) {
        return Err(SEAL.wrong(format!("an epoch of {length} s from {start} s on at {world} s")));
    }
    Ok((Clock { start, length, events, world }, flurry))
}

fn read_sums<const D: usize>(source: &mut Source) -> Result<Sums<D>> {
    let [start, kinetic, potential] = source.vector("sums")?;
    let momentum = source.vector("sums")?;
    let [momentum_scale] = source.vector("sums")?;
    let mut sums = Sums::new(start, Totals { kinetic, potential, momentum, momentum_scale }, 0.0);
    sums.collisions = source.count()?;
    sums.wall_collisions = source.count()?;
    [sums.virial] = source.vector("sums")?;
    for impulses in &mut sums.wall_impulses {
        *impulses = source.vector("sums")?;
    }
    sums.outside_impulse = source.vector("sums")?;
    [sums.dissipated, sums.path] = source.vector("sums")?;
    sums.flights = source.count()?;
    Ok(sums)
}

fn read_shapes(particles: &mut Particles, axes: &[f64], source: &mut Source) -> Result<()> {
    let (kinds, flags) = (source.bytes(particles.len())?, source.bytes(particles.len())?);
    let matrix = particles.dim() * particles.dim();
    for (index, (&kind, &flag)) in kinds.iter().zip(flags).enumerate() {
        let kind = ShapeKind::from_code(kind)
            .ok_or_else(|| SEAL.wrong(format!("particle {index} has a shape of kind {kind}")))?;
        if flag > 1 {
            return Err(SEAL.wrong(format!("particle {index} has the fixed flag {flag}")));
        }
        particles.set_fixed(index, flag == 1)?;
        particles.set_shape(index, &Shape { kind, axes: axes[index * matrix..][..matrix].to_vec() })?;
    }
    Ok(())
}

/// Little-endian numbers to a stream.
struct Sink<'a> {
    out: &'a mut dyn Write,
}

impl Sink<'_> {
    fn reals(&mut self, values: &[f64]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.out.write_all(&value.to_le_bytes()))
    }

    fn wholes(&mut self, values: &[u64]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.out.write_all(&value.to_le_bytes()))
    }
}

/// What is left of a payload.
struct Source<'a> {
    rest: &'a [u8],
}

impl<'a> Source<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| SEAL.wrong("its payload is too short".into()))?;
        self.rest = rest;
        Ok(bytes)
    }

    fn whole(&mut self) -> Result<u64> {
        let bytes = self.bytes(8)?;
        Ok(u64::from_le_bytes(std::array::from_fn(|k| bytes[k])))
    }

    /// How often something happened: a number that no run can raise beyond what a `u64` holds.
    fn count(&mut self) -> Result<u64> {
        const MOST: u64 = 1 << 63;
        match self.whole()? {
            count @ ..=MOST => Ok(count),
            other => Err(SEAL.wrong(format!("it counts {other} events"))),
        }
    }

    /// A number that is not NaN and not infinite.
    fn real(&mut self, field: &'static str, index: usize) -> Result<f64> {
        let value = f64::from_bits(self.whole()?);
        check::finite(field, index, value)?;
        Ok(value)
    }

    fn fill(&mut self, field: &'static str, out: &mut [f64]) -> Result<()> {
        for (index, value) in out.iter_mut().enumerate() {
            *value = self.real(field, index)?;
        }
        Ok(())
    }

    fn reals(&mut self, field: &'static str, count: usize) -> Result<Vec<f64>> {
        let mut values = vec![0.0; count];
        self.fill(field, &mut values)?;
        Ok(values)
    }

    fn vector<const K: usize>(&mut self, field: &'static str) -> Result<[f64; K]> {
        let mut values = [0.0; K];
        self.fill(field, &mut values)?;
        Ok(values)
    }

    fn dimension(&mut self) -> Result<usize> {
        match self.whole()? {
            dim @ 1..=3 => Ok(dim as usize),
            other => Err(SEAL.wrong(format!("the dimension is {other}"))),
        }
    }

    /// The numbers of particles, of all and in the flurry, once they agree with the bytes that are left.
    fn check_length<const D: usize>(&self, count: u64, in_flurry: u64) -> Result<(usize, usize)> {
        let (many, few) = (u128::from(count), u128::from(in_flurry));
        let (square, dim) = ((D * D) as u128, D as u128);
        let numbers = 20 + 7 * dim + 2 * few + many * (3 + square + 3 * dim);
        let expected = 8 * numbers + 2 * many;
        if expected == self.rest.len() as u128 {
            return Ok((count as usize, in_flurry as usize));
        }
        Err(SEAL.wrong(format!(
            "{count} particles of dimension {D} take {expected} more bytes, it has {}",
            self.rest.len()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_leave_room_for_a_run() {
        let count = |value: u64| Source { rest: &value.to_le_bytes() }.count();
        assert_eq!(count(1 << 63).unwrap(), 1 << 63);
        assert!(matches!(count(u64::MAX), Err(Error::Corrupt { .. })));
    }
}
