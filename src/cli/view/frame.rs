//! States as binary messages: positions of at most 8 bytes per ball, and what pages want beside them.

use carom::geometry::Vec2;
use carom::rigid2d::Space;
use carom::{Field, Particles};

use super::command::Sections;
use super::matter::Matter;

pub(super) const FRAME: u8 = 1;
/// Bits of the sections after the positions.
const VELOCITIES: u8 = 1;
const SPEEDS: u8 = 2;
const COLLISIONS: u8 = 4;
const CONTACTS: u8 = 8;
/// Bytes before the positions.
pub(super) const HEADER: usize = 80;

impl Sections {
    fn bits(self, is_rigid: bool) -> u8 {
        let bit = |is_on: bool, bit: u8| if is_on { bit } else { 0 };
        bit(self.velocities, VELOCITIES)
            | bit(self.speeds, SPEEDS)
            | bit(self.collisions, COLLISIONS)
            | bit(self.contacts && is_rigid, CONTACTS)
    }
}

/// Bytes of a message in little-endian order.
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Bytes {
    pub(super) fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn f32(&mut self, value: f64) {
        self.0.extend_from_slice(&(value as f32).to_le_bytes());
    }

    pub(super) fn f64(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Zeros up to a multiple of 4 bytes.
    pub(super) fn pad(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    /// A column of numbers in single precision.
    pub(super) fn f32s(&mut self, values: impl ExactSizeIterator<Item = f64>) {
        let start = self.0.len();
        self.0.resize(start + 4 * values.len(), 0);
        for (place, value) in self.0[start..].chunks_exact_mut(4).zip(values) {
            place.copy_from_slice(&(value as f32).to_le_bytes());
        }
    }

    /// Vectors of up to three columns, one after the other.
    fn rows(&mut self, columns: &[&[f64]], origin: &[f64]) {
        match (columns, origin) {
            (&[x], &[a, ..]) => self.interleaved([x], |_, x| ((x - a) as f32).to_le_bytes()),
            (&[x, y], &[a, b, ..]) => {
                self.interleaved([x, y], |axis, x| ((x - [a, b][axis]) as f32).to_le_bytes());
            }
            (&[x, y, z], &[a, b, c]) => {
                self.interleaved([x, y, z], |axis, x| ((x - [a, b, c][axis]) as f32).to_le_bytes());
            }
            _ => {}
        }
    }

    /// Vectors of three columns in steps of 1/65535 of the box.
    fn quantised_rows(&mut self, columns: [&[f64]; 3], origin: [f64; 3], scale: [f64; 3]) {
        let per = scale.map(|scale| if scale > 0.0 { 1.0 / scale } else { 0.0 });
        // A conversion from floating point saturates.
        self.interleaved(columns, |axis, x| (((x - origin[axis]) * per[axis] + 0.5) as u16).to_le_bytes());
        self.pad();
    }

    /// The numbers of columns of one length, row by row. The number of columns is a constant, so that it runs in lanes.
    fn interleaved<const D: usize, const N: usize>(
        &mut self,
        columns: [&[f64]; D],
        code: impl Fn(usize, f64) -> [u8; N],
    ) {
        let (start, len) = (self.0.len(), columns[0].len());
        self.0.resize(start + N * D * len, 0);
        let columns = columns.map(|column| &column[..len]);
        let (places, _) = self.0[start..].as_chunks_mut::<N>();
        let (rows, _) = places.as_chunks_mut::<D>();
        for (n, row) in rows.iter_mut().enumerate() {
            for (axis, place) in row.iter_mut().enumerate() {
                *place = code(axis, columns[axis][n]);
            }
        }
    }
}

/// Writes the present state. `sides` is the box, axis by axis, where there is one; `buffer` is used again.
pub(super) fn encode(
    matter: &mut Matter,
    [revision, number]: [u32; 2],
    (sections, counts): (Sections, &[u32]),
    sides: &[Option<[f64; 2]>],
    mut buffer: Vec<u8>,
) -> Vec<u8> {
    buffer.clear();
    let (time, dim, count) = (matter.time(), matter.dim(), matter.count());
    let bits = sections.bits(matches!(matter, Matter::Bodies(_)));
    let mut bytes = Bytes(buffer);
    bytes.u8(FRAME);
    bytes.u8(bits);
    bytes.u16(dim as u16);
    bytes.u32(revision);
    bytes.u32(number);
    bytes.u32(count as u32);
    bytes.f64(time);
    bytes.0.resize(HEADER, 0);
    match matter {
        Matter::Bodies(rigid) => bodies(&mut bytes, rigid.space(), bits),
        _ => {
            if let Some(particles) = matter.particles() {
                balls(&mut bytes, particles, sides, bits, counts);
            }
        }
    }
    bytes.0
}

fn balls(bytes: &mut Bytes, particles: &Particles, sides: &[Option<[f64; 2]>], bits: u8, counts: &[u32]) {
    let dim = particles.dim();
    let columns = |field: Field| -> Vec<&[f64]> {
        (0..dim).map(|axis| particles.column(field, axis).unwrap_or_default()).collect()
    };
    let (places, velocities) = (columns(Field::Position), columns(Field::Velocity));
    let extents: Vec<[f64; 2]> =
        sides.iter().zip(&places).map(|(side, column)| side.unwrap_or_else(|| extent(column))).collect();
    let (origin, scale): (Vec<f64>, Vec<f64>) = if dim == 3 {
        extents.iter().map(|[low, high]| (*low, (high - low) / 65535.0)).unzip()
    } else {
        extents.iter().map(|[low, high]| (0.5 * (low + high), 1.0)).unzip()
    };
    let squares = if bits & SPEEDS != 0 { squares(&velocities) } else { Vec::new() };
    let fastest = largest(&squares).sqrt();
    write_header(bytes, &origin, &scale, fastest);
    match (&places[..], &origin[..], &scale[..]) {
        (&[x, y, z], &[a, b, c], &[p, q, r]) => bytes.quantised_rows([x, y, z], [a, b, c], [p, q, r]),
        _ => bytes.rows(&places, &origin),
    }
    if bits & VELOCITIES != 0 {
        bytes.rows(&velocities, &[0.0; 3]);
    }
    if bits & SPEEDS != 0 {
        write_speeds(bytes, &squares, fastest);
    }
    if bits & COLLISIONS != 0 {
        (0..particles.len()).for_each(|ball| bytes.u32(counts.get(ball).copied().unwrap_or(0)));
    }
}

fn bodies(bytes: &mut Bytes, space: &Space, bits: u8) {
    let places: Vec<Vec2> = space.bodies().map(|body| body.position()).collect();
    let column = |pick: fn(&Vec2) -> f64| -> Vec<f64> { places.iter().map(pick).collect() };
    let columns = [column(|place| place.x), column(|place| place.y)];
    let origin = columns.each_ref().map(|column| {
        let [low, high] = extent(column);
        0.5 * (low + high)
    });
    let velocities: Vec<Vec2> = space.bodies().map(|body| body.velocity()).collect();
    let squares: Vec<f64> = velocities.iter().map(|velocity| velocity.dot(*velocity)).collect();
    let fastest = largest(&squares).sqrt();
    write_header(bytes, &origin, &[1.0; 2], fastest);
    bytes.rows(&[&columns[0], &columns[1]], &origin);
    let angles: Vec<f64> = space.bodies().map(|body| body.angle()).collect();
    bytes.f32s(angles.into_iter());
    if bits & VELOCITIES != 0 {
        velocities
            .iter()
            .for_each(|velocity| [velocity.x, velocity.y].map(|v| bytes.f32(v)).into_iter().collect());
    }
    if bits & SPEEDS != 0 {
        write_speeds(bytes, &squares, fastest);
    }
    if bits & COLLISIONS != 0 {
        space.bodies().for_each(|body| bytes.u32(body.is_asleep().into()));
    }
    if bits & CONTACTS != 0 {
        write_contacts(bytes, space);
    }
}

/// Where two shapes touch: place in metres, unit normal, and impulse in newton seconds.
pub(super) struct Touch {
    pub(super) place: Vec2,
    pub(super) normal: Vec2,
    pub(super) impulse: f64,
}

/// Every point at which two shapes touch.
pub(super) fn touches(space: &Space) -> Vec<Touch> {
    let mut touches = Vec::new();
    for contact in space.arbiters().iter().filter(|contact| !contact.is_sensor()) {
        let set = contact.contact_set();
        let (points, normal) = (set.points(), set.normal);
        let impulse = contact.total_impulse().dot(normal) / points.len().max(1) as f64;
        let places = points.iter().map(|point| point.point_a.lerp(point.point_b, 0.5));
        touches.extend(places.map(|place| Touch { place, normal, impulse }));
    }
    touches
}

fn write_contacts(bytes: &mut Bytes, space: &Space) {
    let touches = touches(space);
    bytes.u32(touches.len() as u32);
    for Touch { place, normal, impulse } in touches {
        [place.x, place.y, normal.x, normal.y, impulse].into_iter().for_each(|x| bytes.f32(x));
    }
}

fn write_header(bytes: &mut Bytes, origin: &[f64], scale: &[f64], fastest: f64) {
    let numbers = origin.iter().enumerate().map(|(axis, x)| (24 + 8 * axis, x));
    let numbers = numbers.chain(scale.iter().enumerate().map(|(axis, x)| (48 + 8 * axis, x)));
    for (at, number) in numbers.chain([(72, &fastest)]) {
        bytes.0[at..at + 8].copy_from_slice(&number.to_le_bytes());
    }
}

/// Speeds, given by their squares, in steps of 1/65535 of the fastest.
fn write_speeds(bytes: &mut Bytes, squares: &[f64], fastest: f64) {
    let per = if fastest > 0.0 { 65535.0 / fastest } else { 0.0 };
    bytes.interleaved([squares], |_, square| ((square.sqrt() * per + 0.5) as u16).to_le_bytes());
    bytes.pad();
}

/// The lowest and the highest of some numbers; 0 and 1 if there are none.
pub(super) fn extent(column: &[f64]) -> [f64; 2] {
    let ends =
        column.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &x| [low.min(x), high.max(x)]);
    if ends[0] <= ends[1] { ends } else { [0.0, 1.0] }
}

/// The length of each vector.
pub(super) fn lengths(columns: &[&[f64]]) -> Vec<f64> {
    let mut squares = squares(columns);
    squares.iter_mut().for_each(|square| *square = square.sqrt());
    squares
}

/// The square of each vector.
fn squares(columns: &[&[f64]]) -> Vec<f64> {
    let mut squares = vec![0.0; columns.first().map_or(0, |column| column.len())];
    for column in columns {
        squares.iter_mut().zip(*column).for_each(|(square, v)| *square += v * v);
    }
    squares
}

/// The largest of some numbers that are not negative; eight at once, because one comparison would wait for the other.
fn largest(numbers: &[f64]) -> f64 {
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut most = [0.0_f64; 8];
    for eight in eights {
        for (most, number) in most.iter_mut().zip(eight) {
            *most = if *number > *most { *number } else { *most };
        }
    }
    most.into_iter().chain(rest.iter().copied()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::events::scenes::{Gas, Scene};
    use carom::rigid2d::scenes::{Parameters, Scene as RigidScene};
    use carom::simulation::Rigid;

    fn f32_at(bytes: &[u8], at: usize) -> f64 {
        f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()).into()
    }

    fn f64_at(bytes: &[u8], at: usize) -> f64 {
        f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    const ALL: Sections = Sections { velocities: true, speeds: true, collisions: true, contacts: true };

    #[test]
    fn a_plane_has_8_bytes_per_ball_and_its_sections() {
        let mut matter = Matter::Balls(Scene::named("oblique").unwrap().engine().unwrap());
        let sides = [Some([0.0, 0.5]), Some([0.0, 0.3])];
        let plain = encode(&mut matter, [3, 9], (Sections::default(), &[]), &sides, Vec::new());
        assert_eq!((plain.len(), &plain[..4]), (HEADER + 2 * 8, &[FRAME, 0, 2, 0][..]));
        assert_eq!((plain[4], plain[8], plain[12]), (3, 9, 2));
        assert!((f64_at(&plain, 24) + f32_at(&plain, HEADER) - 0.1).abs() < 1e-8);
        assert!((f64_at(&plain, 32) + f32_at(&plain, HEADER + 12) - 0.15).abs() < 1e-8);
        let whole = encode(&mut matter, [3, 9], (ALL, &[5, 6]), &sides, plain);
        assert_eq!((whole.len(), whole[1]), (HEADER + 2 * 8 + 2 * 8 + 4 + 8, 7));
        assert!((f32_at(&whole, HEADER + 16) - 0.2).abs() < 1e-8 && f64_at(&whole, 72) == 0.2);
        assert_eq!(whole[HEADER + 32..], [255, 255, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0]);
    }

    #[test]
    fn space_has_6_bytes_per_ball_within_half_a_step() {
        let gas = Gas::new(3).with_particles(101).scene().unwrap();
        let side = gas.enclosure[0].upper;
        let mut matter = Matter::Balls(gas.engine().unwrap());
        let bytes =
            encode(&mut matter, [0, 0], (Sections::default(), &[]), &[Some([0.0, side]); 3], Vec::new());
        assert_eq!(bytes.len(), HEADER + (101 * 6_usize).next_multiple_of(4));
        for ball in 0..101 {
            for axis in 0..3 {
                let at = HEADER + 6 * ball + 2 * axis;
                let steps = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
                let x = f64_at(&bytes, 24 + 8 * axis) + f64::from(steps) * f64_at(&bytes, 48 + 8 * axis);
                let exact = gas.particles.column(Field::Position, axis).unwrap()[ball];
                assert!((x - exact).abs() <= 0.500_001 * side / 65535.0);
            }
        }
    }

    #[test]
    fn bodies_have_angles_and_contacts() {
        let scene = RigidScene::named("stack", &Parameters::default().with_rows(2)).unwrap();
        let mut space = scene.space().unwrap();
        (0..60).for_each(|_| space.step(scene.dt).unwrap());
        let (count, contacts) = (space.body_count(), space.contact_count());
        let mut matter = Matter::Bodies(Rigid::new(space, scene.dt).unwrap());
        let bytes = encode(&mut matter, [0, 0], (ALL, &[]), &[None; 2], Vec::new());
        assert_eq!(bytes[1], 15);
        let at = HEADER + count * (8 + 4 + 8) + (2 * count).next_multiple_of(4) + 4 * count;
        let points = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        assert!(contacts == 2 && points == 4, "{points} points");
        assert_eq!(bytes.len(), at + 4 + 20 * points);
        assert!(f32_at(&bytes, at + 4 + 16).abs() > 0.0);
    }

    #[test]
    fn nothing_has_no_positions() {
        let mut matter = Matter::Balls(Scene::named("empty").unwrap().engine().unwrap());
        let bytes = encode(&mut matter, [0, 0], (ALL, &[]), &[None; 2], Vec::new());
        assert_eq!(bytes.len(), HEADER);
    }
}
