//! Saved runs: a run continues after a load bit-identically to one without the interruption.
//!
//! The header is that of all binary files of carom: 8 bytes magic, version 2 (`u32`), 0 (`u32`), length of the payload
//! (`u64`), CRC-32 of the payload, CRC-32 of the 28 bytes before. The payload has little-endian numbers of 8 bytes (`f64`
//! or `u64`) unless said otherwise:
//!
//! | content | numbers |
//! |---|---|
//! | dimension D, number of particles N, number F of particles counted by the collapse detector | 3 |
//! | lower corner, upper corner, faces of the box (0 open, 1 reflecting, 2 periodic) | 3 D |
//! | gravity, restitution, restitution of walls, largest number of simultaneous collisions | 4 |
//! | duration of a contact, -1 by gravity (not in version 1, which has no such duration) | 1 |
//! | clock: start and length of the epoch, collisions in it, world time | 4 |
//! | collapse detector: start, collisions, then row and collisions of each of the F | 2 + 2 F |
//! | sums of the measurements, in the order of [`Accumulators`] | 10 + 4 D |
//! | user data, masses, axes | N (2 + D D) |
//! | flights: position and time at the start, velocity | N (2 D + 1) |
//! | positions when the measurements began | N D |
//! | kinds and flags (`u8` each): 1 fixed, 2 has collided (not in version 1) | 2 N bytes |

use std::io::{self, Read, Write};
use std::path::Path;

use super::admission;
use super::any::AnyEngine;
use super::enclosure::{Boundary, Enclosure};
use super::engine::Engine;
use super::settings::EventSettings;
use super::state::{
    Accumulators, Clock, CollapseDetector, Domain, EngineState, FlightState, SavedState, Totals,
};
use crate::error::{Error, Result};
use crate::input;
use crate::particles::{Field, Particles, Shape, ShapeKind, check};
use crate::sealed::Seal;

const SEAL: Seal = Seal { name: "saved run", magic: b"CAROMRUN", newest: 2 };

/// In place of a duration of a contact: by gravity.
const BY_GRAVITY: f64 = -1.0;
const FIXED: u8 = 1;
const COLLIDED: u8 = 2;

impl<const D: usize> Engine<D> {
    /// Writes the whole run to a stream. An engine that [`load`](Self::load) reads from it continues bit-identically.
    pub fn save(&self, out: &mut dyn Write) -> Result<()> {
        let payload = |out: &mut dyn Write| write_payload(&self.state, &mut PayloadWriter { out });
        SEAL.write(SEAL.newest, out, payload).map_err(|error| Error::io("output", error))
    }

    /// Reads a run that [`save`](Self::save) has written, up to the end of the stream.
    ///
    /// The columns have the positions and velocities at the world time at which it was saved.
    pub fn load(input: &mut dyn Read) -> Result<Self> {
        let bytes = input::read(input, could_be_run)?;
        let mut reader = open(&bytes)?;
        let dim = reader.dimension()?;
        if dim != D {
            return Err(Error::BadDimension { found: dim, expected: "that of the saved run" });
        }
        engine_of(reader)
    }
}

/// Loads a run of any dimension from a stream.
pub(super) fn load_any(input: &mut dyn Read) -> Result<AnyEngine> {
    any_of_bytes(&input::read(input, could_be_run)?)
}

/// Loads a run of any dimension from a file.
pub(super) fn load_file(path: &Path) -> Result<AnyEngine> {
    any_of_bytes(&input::read_file(path, could_be_run)?)
}

/// The run of any dimension in these bytes.
pub(super) fn any_of_bytes(bytes: &[u8]) -> Result<AnyEngine> {
    let mut reader = open(bytes)?;
    match reader.dimension()? {
        1 => engine_of(reader).map(AnyEngine::One),
        2 => engine_of(reader).map(AnyEngine::Two),
        _ => engine_of(reader).map(AnyEngine::Three),
    }
}

/// Whether the bytes start like a saved run, which may be truncated.
#[must_use]
pub fn is_saved_run(bytes: &[u8]) -> bool {
    !bytes.is_empty() && SEAL.begins(bytes)
}

/// Whether an input can be a saved run, by its first bytes.
fn could_be_run(first: &[u8]) -> Result<()> {
    if first.is_empty() || is_saved_run(first) {
        return Ok(());
    }
    let found = input::appearance(first);
    Err(Error::UnknownFormat { detail: format!("it is not a saved run of the event-driven engine: {found}") })
}

fn open(bytes: &[u8]) -> Result<PayloadReader<'_>> {
    could_be_run(bytes)?;
    let (version, payload) = SEAL.open(bytes)?;
    Ok(PayloadReader { version, rest: payload })
}

/// The engine after the dimension in the payload. Contents that pass the checksums but are not valid are corrupt.
fn engine_of<const D: usize>(mut reader: PayloadReader) -> Result<Engine<D>> {
    let state = read_core(&mut reader).map_err(|error| match error {
        Error::OutOfMemory { .. } | Error::Corrupt { .. } => error,
        other => SEAL.wrong(other.to_string()),
    })?;
    Ok(Engine { state })
}

fn write_payload<const D: usize>(state: &EngineState<D>, writer: &mut PayloadWriter) -> io::Result<()> {
    let particles = &state.particles;
    writer.integers(&[D as u64, particles.len() as u64, state.collapse.of_particle.len() as u64])?;
    write_rules(&state.domain.enclosure, &state.settings, writer)?;
    write_clock(&state.clock, &state.collapse, writer)?;
    write_accumulators(&state.accumulators, writer)?;
    writer.integers(particles.user_data())?;
    writer.reals(state.masses())?;
    (0..particles.len()).try_for_each(|row| writer.reals(&particles.axes_of(row)))?;
    for flight in &state.flights {
        writer.reals(&flight.position_time[..D])?;
        writer.reals(&[flight.time()])?;
        writer.reals(&flight.velocity_tag[..D])?;
    }
    writer.reals(state.displacement_origins.as_flattened())?;
    writer.out.write_all(particles.kinds())?;
    state.flights.iter().try_for_each(|flight| writer.out.write_all(&[flags(flight)]))
}

fn flags(flight: &FlightState) -> u8 {
    u8::from(flight.is_fixed()) * FIXED + u8::from(flight.has_collided()) * COLLIDED
}

fn write_rules<const D: usize>(
    enclosure: &Enclosure<D>,
    settings: &EventSettings,
    writer: &mut PayloadWriter,
) -> io::Result<()> {
    writer.reals(&enclosure.lower)?;
    writer.reals(&enclosure.upper)?;
    writer.integers(&enclosure.boundaries.map(|boundary| boundary as u64))?;
    writer.reals(&[settings.down_gravity, settings.restitution, settings.wall_restitution])?;
    writer.integers(&[settings.max_rate])?;
    writer.reals(&[settings.contact_duration.unwrap_or(BY_GRAVITY)])
}

fn write_clock(clock: &Clock, collapse: &CollapseDetector, writer: &mut PayloadWriter) -> io::Result<()> {
    writer.reals(&[clock.start, clock.length])?;
    writer.integers(&[clock.events])?;
    writer.reals(&[clock.world, collapse.since])?;
    writer.integers(&[collapse.collisions])?;
    let mut counts: Vec<[u64; 2]> =
        collapse.of_particle.iter().map(|(&row, &count)| [row as u64, count]).collect();
    counts.sort_unstable();
    writer.integers(counts.as_flattened())
}

fn write_accumulators<const D: usize>(
    accumulators: &Accumulators<D>,
    writer: &mut PayloadWriter,
) -> io::Result<()> {
    writer.reals(&[accumulators.start, accumulators.initial.kinetic, accumulators.initial.potential])?;
    writer.reals(&accumulators.initial.momentum)?;
    writer.reals(&[accumulators.initial.momentum_scale])?;
    writer.integers(&[accumulators.collisions, accumulators.wall_collisions])?;
    writer.reals(&[accumulators.virial])?;
    writer.reals(accumulators.wall_impulses.as_flattened())?;
    writer.reals(&accumulators.outside_impulse)?;
    writer.reals(&[accumulators.dissipated, accumulators.path])?;
    writer.integers(&[accumulators.free_flights])
}

fn read_core<const D: usize>(reader: &mut PayloadReader) -> Result<EngineState<D>> {
    let [count, counted_rows] = [reader.integer()?, reader.integer()?];
    let (count, counted_rows) = reader.check_length::<D>(count, counted_rows)?;
    admission::expect_room(count)?;
    let (enclosure, settings) = read_rules(reader)?;
    let (clock, collapse) = read_clock(reader, counted_rows)?;
    let accumulators = read_accumulators(reader)?;
    let mut particles = Particles::with_rows(D, count)?;
    for data in particles.user_data_mut() {
        *data = reader.integer()?;
    }
    reader.fill("mass", particles.column_mut(Field::Mass, 0)?)?;
    let axes = reader.reals("axes", count * D * D)?;
    let motions = reader.reals("flights", count * (2 * D + 1))?;
    let displacement_origins = reader.reals("origins", count * D)?;
    let flags = read_shapes(&mut particles, &axes, reader)?;
    let motions = motions.chunks_exact(2 * D + 1).zip(flags);
    let flights = motions.map(|(motion, &flags)| flight_of::<D>(motion, flags)).collect();
    let displacement_origins = displacement_origins.as_chunks().0.to_vec();
    let state = SavedState { flights, displacement_origins, clock, collapse, accumulators };
    check_rules(&enclosure, &settings, &state)?;
    admission::check_magnitudes(&mut particles)?;
    let domain = Domain::new(enclosure, &settings);
    check_images(&particles, &domain)?;
    check_resolution(&state, &domain)?;
    let mut state = EngineState::resume(particles, enclosure, settings, state);
    check_plans(&state)?;
    state.write_back();
    Ok(state)
}

/// Fails if no run can have this state.
fn check_rules<const D: usize>(
    enclosure: &Enclosure<D>,
    settings: &EventSettings,
    state: &SavedState<D>,
) -> Result<()> {
    enclosure.check()?;
    settings.check(enclosure)?;
    let now = state.clock.now();
    let rounded = rounding_of_now(&state.clock);
    for (row, flight) in state.flights.iter().enumerate() {
        if flight.time() > now + rounded {
            return Err(SEAL.wrong(format!("particle {row} is ahead of the world time")));
        }
        let (position, velocity) = flight.at::<D>(now, settings.down_gravity);
        let numbers = [position, velocity, std::array::from_fn(|axis| flight.position_time[axis])];
        if let Some(&magnitude) =
            numbers.as_flattened().iter().find(|x| x.is_nan() || x.abs() > admission::LARGEST)
        {
            return Err(Error::Overflow { field: "position", index: Some(row), magnitude });
        }
    }
    match state.collapse.of_particle.keys().find(|&&row| row >= state.flights.len()) {
        Some(row) => {
            let count = state.flights.len();
            Err(SEAL.wrong(format!("particle index {row} out of range: there are {count}")))
        }
        None => Ok(()),
    }
}

/// Fails if a particle flies past its own image, or nearly so, within the rounding of the time: the time of its next update would
/// be the present. Epochs of a run are too short for that.
fn check_resolution<const D: usize>(state: &SavedState<D>, domain: &Domain<D>) -> Result<()> {
    let now = state.clock.now();
    let fastest = 1e-3 * domain.shortest_period() / (f64::EPSILON * now);
    let is_too_fast = |flight: &FlightState| {
        let (_, velocity) = flight.at::<D>(now, domain.down_gravity);
        velocity.iter().any(|v| v.abs() > fastest)
    };
    match state.flights.iter().position(is_too_fast) {
        Some(row) => {
            Err(SEAL.wrong(format!("particle {row} is too fast for an epoch that has lasted {now} s")))
        }
        None => Ok(()),
    }
}

/// Fails if an event lies before the world time: the time of an event depends on the flights alone, so that a run would have
/// had it, and to go back in time may take for ever.
fn check_plans<const D: usize>(state: &EngineState<D>) -> Result<()> {
    let now = state.clock.now();
    let earliest = now - 1e-9 * now - rounding_of_now(&state.clock);
    match state.plans.iter().position(|plan| plan.due < earliest) {
        Some(row) => Err(SEAL.wrong(format!("particle {row} has an event before the world time"))),
        None => Ok(()),
    }
}

/// Bound on the rounding of a conversion of the world time to a time of the epoch and back.
fn rounding_of_now(clock: &Clock) -> f64 {
    4.0 * f64::EPSILON * (clock.world.abs() + clock.start.abs())
}

/// Fails if a particle that collides does not fit into a period: it would have images without number within reach.
fn check_images<const D: usize>(particles: &Particles, domain: &Domain<D>) -> Result<()> {
    let masses = particles.column(Field::Mass, 0)?;
    let overlapping = particles
        .radii()
        .iter()
        .zip(masses)
        .position(|(&radius, &mass)| mass > 0.0 && admission::overlaps_itself(radius, domain));
    match overlapping {
        Some(row) => Err(SEAL.wrong(format!("particle {row} overlaps its own periodic image"))),
        None => Ok(()),
    }
}

/// A flight from position, time and velocity, in this order.
fn flight_of<const D: usize>(motion: &[f64], flags: u8) -> FlightState {
    let position = std::array::from_fn(|axis| motion[axis]);
    let velocity = std::array::from_fn(|axis| motion[D + 1 + axis]);
    let flight = FlightState::new::<D>(position, velocity, motion[D], flags & FIXED != 0);
    if flags & COLLIDED != 0 { flight.after_collision() } else { flight }
}

fn read_rules<const D: usize>(reader: &mut PayloadReader) -> Result<(Enclosure<D>, EventSettings)> {
    let (lower, upper) = (reader.vector("lower")?, reader.vector("upper")?);
    let mut boundaries = [Boundary::Open; D];
    for boundary in &mut boundaries {
        *boundary = match reader.integer()? {
            0 => Boundary::Open,
            1 => Boundary::Reflecting,
            2 => Boundary::Periodic,
            other => return Err(SEAL.wrong(format!("unknown boundary {other}"))),
        };
    }
    let [down_gravity, restitution, wall_restitution] = reader.vector("settings")?;
    let max_rate = reader.integer()?;
    let contact_duration = reader.contact_duration()?;
    let settings = EventSettings { down_gravity, restitution, wall_restitution, max_rate, contact_duration };
    Ok((Enclosure { lower, upper, boundaries }, settings))
}

fn read_clock(reader: &mut PayloadReader, counted_rows: usize) -> Result<(Clock, CollapseDetector)> {
    let [start, length] = reader.vector("epoch")?;
    let events = reader.count()?;
    let [world, since] = reader.vector("time")?;
    let collisions = reader.count()?;
    let mut collapse = CollapseDetector { since, collisions, ..CollapseDetector::default() };
    for _ in 0..counted_rows {
        let (row, count) = (reader.integer()?, reader.count()?);
        collapse.of_particle.insert(row as usize, count);
    }
    if !(length > 0.0 && world >= start) {
        return Err(SEAL.wrong(format!("an epoch of {length} s from {start} s on at {world} s")));
    }
    Ok((Clock { start, length, events, world }, collapse))
}

fn read_accumulators<const D: usize>(reader: &mut PayloadReader) -> Result<Accumulators<D>> {
    let [start, kinetic, potential] = reader.vector("sums")?;
    let momentum = reader.vector("sums")?;
    let [momentum_scale] = reader.vector("sums")?;
    let mut accumulators =
        Accumulators::new(start, Totals { kinetic, potential, momentum, momentum_scale }, 0.0);
    accumulators.collisions = reader.count()?;
    accumulators.wall_collisions = reader.count()?;
    [accumulators.virial] = reader.vector("sums")?;
    for impulses in &mut accumulators.wall_impulses {
        *impulses = reader.vector("sums")?;
    }
    accumulators.outside_impulse = reader.vector("sums")?;
    [accumulators.dissipated, accumulators.path] = reader.vector("sums")?;
    accumulators.free_flights = reader.count()?;
    Ok(accumulators)
}

/// Reads kinds and flags; returns the flags.
fn read_shapes<'a>(
    particles: &mut Particles,
    axes: &[f64],
    reader: &mut PayloadReader<'a>,
) -> Result<&'a [u8]> {
    let (kinds, flags) = (reader.bytes(particles.len())?, reader.bytes(particles.len())?);
    let matrix = particles.dim() * particles.dim();
    for (index, (&kind, &flag)) in kinds.iter().zip(flags).enumerate() {
        let kind = ShapeKind::from_code(kind)
            .ok_or_else(|| SEAL.wrong(format!("particle {index} has a shape of kind {kind}")))?;
        if flag > reader.known_flags() {
            return Err(SEAL.wrong(format!("particle {index} has the flags {flag}")));
        }
        particles.set_fixed(index, flag & FIXED != 0)?;
        particles.set_shape(index, &Shape { kind, axes: axes[index * matrix..][..matrix].to_vec() })?;
    }
    Ok(flags)
}

/// Writes little-endian numbers to a stream.
struct PayloadWriter<'a> {
    out: &'a mut dyn Write,
}

impl PayloadWriter<'_> {
    fn reals(&mut self, values: &[f64]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.out.write_all(&value.to_le_bytes()))
    }

    fn integers(&mut self, values: &[u64]) -> io::Result<()> {
        values.iter().try_for_each(|value| self.out.write_all(&value.to_le_bytes()))
    }
}

/// Reads little-endian numbers from the rest of a payload.
struct PayloadReader<'a> {
    version: u32,
    rest: &'a [u8],
}

impl<'a> PayloadReader<'a> {
    fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (bytes, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| SEAL.wrong("its payload is too short".into()))?;
        self.rest = rest;
        Ok(bytes)
    }

    fn integer(&mut self) -> Result<u64> {
        let bytes = self.bytes(8)?;
        Ok(u64::from_le_bytes(std::array::from_fn(|k| bytes[k])))
    }

    /// A number of events, small enough that no run can make it overflow a `u64`.
    fn count(&mut self) -> Result<u64> {
        const MOST: u64 = 1 << 63;
        match self.integer()? {
            count @ ..=MOST => Ok(count),
            other => Err(SEAL.wrong(format!("it counts {other} events"))),
        }
    }

    /// A finite number.
    fn real(&mut self, field: &'static str, index: usize) -> Result<f64> {
        let value = f64::from_bits(self.integer()?);
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

    /// That of the settings; a run of version 1 goes on as it began, with contacts that are instants.
    fn contact_duration(&mut self) -> Result<Option<f64>> {
        if self.version == 1 {
            return Ok(Some(0.0));
        }
        let [duration] = self.vector("contact_duration")?;
        Ok((duration != BY_GRAVITY).then_some(duration))
    }

    /// All flags of a particle that this version can have.
    fn known_flags(&self) -> u8 {
        if self.version == 1 { FIXED } else { FIXED + COLLIDED }
    }

    fn dimension(&mut self) -> Result<usize> {
        match self.integer()? {
            dim @ 1..=3 => Ok(dim as usize),
            other => Err(SEAL.wrong(format!("the dimension is {other}"))),
        }
    }

    /// The number of particles and of those in the collapse detector, checked against the number of bytes that follow.
    fn check_length<const D: usize>(&self, count: u64, counted_rows: u64) -> Result<(usize, usize)> {
        let (all, counted) = (u128::from(count), u128::from(counted_rows));
        let (square, dim) = ((D * D) as u128, D as u128);
        let fixed_count = if self.version == 1 { 20 } else { 21 };
        let numbers = fixed_count + 7 * dim + 2 * counted + all * (3 + square + 3 * dim);
        let expected = 8 * numbers + 2 * all;
        if expected == self.rest.len() as u128 {
            return Ok((count as usize, counted_rows as usize));
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
    fn counts_cannot_overflow_in_a_run() {
        let count = |value: u64| PayloadReader { version: 1, rest: &value.to_le_bytes() }.count();
        assert_eq!(count(1 << 63).unwrap(), 1 << 63);
        assert!(matches!(count(u64::MAX), Err(Error::Corrupt { .. })));
    }
}
