//! An oracle for pairs of frames in exact arithmetic, straight from the definition (docs/methods/fmb.md): linear programs over
//! the points O + C X + V t that both frames cover.

pub(crate) mod agreement;
mod enumeration;
mod hand_cases;
mod simplex;

use carom::{Frame, FrameKind};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use simplex::{Extremum, SimplexTable};

/// The closest contact of two frames over all times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContactKind {
    /// They share no point.
    Apart,
    /// They share points, none of them inside both.
    Touching,
    /// They share a point inside both.
    Overlapping,
}

/// When and where two frames overlap: the least and greatest value of each quantity.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct OverlapExtent<const D: usize> {
    pub(crate) times: [BigRational; 2],
    pub(crate) world: [[BigRational; 2]; D],
    pub(crate) local: [[BigRational; 2]; D],
}

/// Two frames and what they share.
pub(crate) struct Overlap<const D: usize> {
    pub(crate) contact: ContactKind,
    /// All limits satisfied, the margin 0.
    closed: SimplexTable,
    /// Metres in the unit of the integers.
    unit: BigRational,
    duration: BigRational,
}

/// How much coordinate X_i of a frame can change over a distance of one metre.
pub(crate) fn steepness<const D: usize>(frame: &Frame<D>) -> [BigRational; D] {
    let metre = BigRational::one();
    let unit = power_of_two(lengths(frame, &metre).iter().map(last_bit).min().expect("frames have lengths"));
    let (rows, determinant) = IntegerFrame::new(frame, &metre, &unit).adjugate();
    rows.map(|row| BigRational::new(row.iter().map(Signed::abs).sum(), determinant.clone()) / &unit)
}

/// A frame in integers.
struct IntegerFrame<const D: usize> {
    kind: FrameKind,
    origin: [BigInt; D],
    components: [[BigInt; D]; D],
    /// Displacement over the whole duration.
    displacement: [BigInt; D],
}

/// Numbers of the variables: X_B less the margin comes first. Time is a share of the duration.
struct Variable<const D: usize>;

impl<const D: usize> Variable<D> {
    const TIME: usize = D;
    const MARGIN: usize = D + 1;
    const RELIEF: usize = D + 2;
    const COUNT: usize = D + 3;
}

/// Numbers of the quantities.
struct Quantity<const D: usize>;

impl<const D: usize> Quantity<D> {
    const TIME: usize = 0;
    const MARGIN: usize = 1;
    const RELIEF: usize = 2;
    const LOCAL: usize = 3;
    const WORLD: usize = 3 + D;
}

impl<const D: usize> Overlap<D> {
    /// What two frames share from time 0 to `duration` seconds, or at rest.
    pub(crate) fn of(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Self {
        let duration = exactly(duration.unwrap_or(0.0));
        let unit = [a, b].into_iter().flat_map(|frame| lengths(frame, &duration)).map(|x| last_bit(&x)).min();
        let unit = power_of_two(unit.expect("frames have lengths"));
        let [a, b] = [a, b].map(|frame| IntegerFrame::new(frame, &duration, &unit));
        let limits = limits_of_a(&a, &b).into_iter().chain(limits_of_b::<D>(b.kind)).collect();
        let mut closed = SimplexTable::new(Variable::<D>::COUNT, limits, quantities(&b));
        closed.ban(Variable::<D>::MARGIN);
        let meet = closed.make_feasible(Variable::<D>::RELIEF, Quantity::<D>::RELIEF);
        let contact = if meet { contact_of::<D>(closed.clone()) } else { ContactKind::Apart };
        Self { contact, closed, unit, duration }
    }

    /// The least and greatest times and coordinates of what both frames cover, which must not be empty.
    pub(crate) fn extent(&self) -> OverlapExtent<D> {
        assert_ne!(self.contact, ContactKind::Apart);
        let mut table = self.closed.clone();
        let mut ends =
            |quantity: usize| [Extremum::Least, Extremum::Greatest].map(|end| table.optimise(quantity, end));
        OverlapExtent {
            times: ends(Quantity::<D>::TIME).map(|share| share * &self.duration),
            local: std::array::from_fn(|i| ends(Quantity::<D>::LOCAL + i)),
            world: std::array::from_fn(|axis| ends(Quantity::<D>::WORLD + axis).map(|x| x * &self.unit)),
        }
    }
}

/// Whether the margin by which all points can be inside is above 0.
fn contact_of<const D: usize>(mut table: SimplexTable) -> ContactKind {
    table.free(Variable::<D>::MARGIN);
    match table.optimise(Quantity::<D>::MARGIN, Extremum::Greatest).is_positive() {
        true => ContactKind::Overlapping,
        false => ContactKind::Touching,
    }
}

/// The value of a double, which must be finite.
pub(crate) fn exactly(x: f64) -> BigRational {
    BigRational::from_float(x).expect("a finite number")
}

/// All lengths of a frame that are not 0.
fn lengths<const D: usize>(frame: &Frame<D>, duration: &BigRational) -> Vec<BigRational> {
    let at_rest = frame.origin.iter().chain(frame.components.as_flattened()).map(|&x| exactly(x));
    let displacement = frame.velocity.iter().map(|&x| exactly(x) * duration);
    at_rest.chain(displacement).filter(|x| !x.is_zero()).collect()
}

/// The exponent of the last bit that is set.
fn last_bit(x: &BigRational) -> i64 {
    let zeros = |n: &BigInt| n.trailing_zeros().expect("not 0") as i64;
    zeros(x.numer()) - zeros(x.denom())
}

fn power_of_two(exponent: i64) -> BigRational {
    let power = BigRational::from(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}

fn dot<const D: usize>(u: &[BigInt; D], v: &[BigInt; D]) -> BigInt {
    u.iter().zip(v).map(|(x, y)| x * y).sum()
}

fn difference<const D: usize>(u: &[BigInt; D], v: &[BigInt; D]) -> [BigInt; D] {
    std::array::from_fn(|axis| &u[axis] - &v[axis])
}

impl<const D: usize> IntegerFrame<D> {
    fn new(frame: &Frame<D>, duration: &BigRational, unit: &BigRational) -> Self {
        let whole = |x: BigRational| {
            let quotient = x / unit;
            assert!(quotient.is_integer(), "the unit divides all lengths");
            quotient.to_integer()
        };
        Self {
            kind: frame.kind,
            origin: frame.origin.map(|x| whole(exactly(x))),
            components: frame.components.map(|component| component.map(|x| whole(exactly(x)))),
            displacement: frame.velocity.map(|x| whole(exactly(x) * duration)),
        }
    }

    /// Rows n_i and a number d > 0 so that d X_i = n_i . (x - O).
    fn adjugate(&self) -> ([[BigInt; D]; D], BigInt) {
        let c = &self.components;
        let rows: [[BigInt; D]; D] = std::array::from_fn(|i| {
            std::array::from_fn(|axis| {
                if D == 2 {
                    let entry = c[1 - i][1 - axis].clone();
                    return if i == axis { entry } else { -entry };
                }
                let (u, v, k, l) = (&c[(i + 1) % 3], &c[(i + 2) % 3], (axis + 1) % 3, (axis + 2) % 3);
                &u[k] * &v[l] - &u[l] * &v[k]
            })
        });
        let determinant = dot(&rows[0], &c[0]);
        assert!(!determinant.is_zero(), "a flat frame");
        match determinant.is_positive() {
            true => (rows, determinant),
            false => (rows.map(|row| row.map(|x| -x)), -determinant),
        }
    }
}

/// An affine function of the variables: their coefficients, then the constant.
type AffineRow = Vec<BigInt>;

/// n . (x - p) as a function of the variables, for the point x of B and a point p with A's `displacement`.
fn point_of_b<const D: usize>(
    n: &[BigInt; D],
    from: &[BigInt; D],
    displacement: &[BigInt; D],
    b: &IntegerFrame<D>,
) -> AffineRow {
    let mut row = vec![BigInt::zero(); Variable::<D>::COUNT + 1];
    for (i, component) in b.components.iter().enumerate() {
        row[i] = dot(n, component);
    }
    row[Variable::<D>::MARGIN] = row[..D].iter().sum();
    row[Variable::<D>::TIME] = dot(n, &difference(&b.displacement, displacement));
    row[Variable::<D>::COUNT] = dot(n, &difference(&b.origin, from));
    row
}

fn sum(rows: &[AffineRow]) -> AffineRow {
    (0..rows[0].len()).map(|j| rows.iter().map(|row| &row[j]).sum()).collect()
}

/// X_A >= margin, and X_A <= 1 - margin or sum X_A <= 1 - margin, all times the determinant; relief helps.
fn limits_of_a<const D: usize>(a: &IntegerFrame<D>, b: &IntegerFrame<D>) -> Vec<AffineRow> {
    let (normals, determinant) = a.adjugate();
    let coordinates = normals.map(|n| point_of_b(&n, &a.origin, &a.displacement, b));
    let below = |row: &AffineRow| {
        let mut limit = row.clone();
        limit[Variable::<D>::MARGIN] += &determinant;
        limit[Variable::<D>::RELIEF] = -BigInt::one();
        limit[Variable::<D>::COUNT] = &determinant - &row[Variable::<D>::COUNT];
        limit
    };
    let above = |row: &AffineRow| {
        let mut limit = below(&row.iter().map(|x| -x).collect());
        limit[Variable::<D>::COUNT] -= &determinant;
        limit
    };
    let lower = coordinates.iter().map(above);
    match a.kind {
        FrameKind::Cuboid => lower.chain(coordinates.iter().map(below)).collect(),
        FrameKind::Tetrahedron => lower.chain([below(&sum(&coordinates))]).collect(),
    }
}

/// X_B <= 1 - margin, or sum X_B <= 1 - margin, where X_B less the margin are the variables; and time.
fn limits_of_b<const D: usize>(kind: FrameKind) -> impl Iterator<Item = AffineRow> {
    let row = move |variables: std::ops::Range<usize>, margin: usize| {
        let mut row = vec![BigInt::zero(); Variable::<D>::COUNT + 1];
        variables.for_each(|variable| row[variable] = BigInt::one());
        row[Variable::<D>::MARGIN] = margin.into();
        row[Variable::<D>::COUNT] = BigInt::one();
        row
    };
    let body = match kind {
        FrameKind::Cuboid => (0..D).map(|i| row(i..i + 1, 2)).collect(),
        FrameKind::Tetrahedron => vec![row(0..D, D + 1)],
    };
    body.into_iter().chain([row(Variable::<D>::TIME..Variable::<D>::TIME + 1, 0)])
}

fn quantities<const D: usize>(b: &IntegerFrame<D>) -> Vec<AffineRow> {
    let row = |variables: &[usize]| {
        let mut row = vec![BigInt::zero(); Variable::<D>::COUNT + 1];
        variables.iter().for_each(|&variable| row[variable] = BigInt::one());
        row
    };
    let mut rows: Vec<AffineRow> = [Variable::<D>::TIME, Variable::<D>::MARGIN, Variable::<D>::RELIEF]
        .map(|variable| row(&[variable]))
        .into();
    rows.extend((0..D).map(|i| row(&[i, Variable::<D>::MARGIN])));
    let zero = || std::array::from_fn(|_| BigInt::zero());
    rows.extend((0..D).map(|axis| {
        let n = std::array::from_fn(|k| BigInt::from(u8::from(k == axis)));
        point_of_b(&n, &zero(), &zero(), b)
    }));
    rows
}
