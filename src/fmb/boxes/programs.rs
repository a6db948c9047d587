//! The ranges of quantities over the overlap of one pair of frames, in numbers of any kind: the scalar twin of the lanes.
//!
//! The overlap is written as a linear program in the coordinates X of the second frame and the time. Every basis, as many
//! independent rows as there are variables, bounds a quantity; the tightest bounds are attained
//! (docs/methods/fmb-regions.md, section 2). Nothing is divided until the end, so that integers suffice.

mod minors;

use std::cmp::Ordering;

use super::lanes::Wanted;
use crate::fmb::exact::{Arithmetic, BinaryUnits, Fixed};
use crate::frames::{Frame, FrameKind};

/// A number with a bound of its error that can be divided.
pub(super) trait Number: Arithmetic {
    /// Whether it is 0, for certain.
    fn is_zero(&self) -> bool;

    /// `self` / `divisor` 2^`exponent` but for one rounding, and a bound of its error besides. The divisor is certainly not
    /// 0.
    fn ratio(self, divisor: Self, exponent: i32) -> [f64; 2];
}

impl<const N: usize> Number for Fixed<N> {
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    fn ratio(self, divisor: Self, exponent: i32) -> [f64; 2] {
        let (mantissa, power) = self.quotient(divisor);
        [super::double_double::scaled(mantissa, power + exponent), 0.0]
    }
}

/// Most variables: three coordinates and the time.
const VARIABLES: usize = 4;

/// Most rows: those of two tetrahedra, and time.
pub(super) const ROWS: usize = 9;

/// Most quantities: the time, three coordinates in the world and three of a frame.
pub(super) const QUANTITIES: usize = 7;

/// `coefficients` . (X, t) is from `low` to `high`.
#[derive(Clone, Copy)]
pub(super) struct Row<N> {
    coefficients: [N; VARIABLES],
    low: N,
    high: N,
    /// Whether the bounds are 0 and 1.
    is_share: bool,
}

/// (`coefficients` . (X, t) + `constant`) / `divisor` 2^`exponent`; the divisor is positive.
#[derive(Clone, Copy)]
pub(super) struct Quantity<N> {
    coefficients: [N; VARIABLES],
    constant: N,
    divisor: N,
    exponent: i32,
}

impl<N: Number> Row<N> {
    /// Without coefficients, and with all bounds 0.
    pub(super) const EMPTY: Self =
        Self { coefficients: [N::ZERO; VARIABLES], low: N::ZERO, high: N::ZERO, is_share: false };

    /// From 0 to 1, without coefficients.
    fn of_share() -> Self {
        Self { high: N::read(1.0, 0), is_share: true, ..Self::EMPTY }
    }
}

impl<N: Number> Quantity<N> {
    /// Without coefficients and divisor.
    pub(super) const EMPTY: Self =
        Self { coefficients: [N::ZERO; VARIABLES], constant: N::ZERO, divisor: N::ZERO, exponent: 0 };

    /// 0.
    fn zero() -> Self {
        Self { divisor: N::read(1.0, 0), ..Self::EMPTY }
    }

    /// One of the variables.
    fn variable(number: usize) -> Self {
        let mut quantity = Self::zero();
        quantity.coefficients[number] = N::read(1.0, 0);
        quantity
    }
}

/// The range of a quantity as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The largest lower end and the least upper end that errors leave possible.
    low_most: f64,
    high_least: f64,
}

impl Ends {
    const EVERYTHING: Self = Self {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        low_most: f64::NEG_INFINITY,
        high_least: f64::INFINITY,
    };

    /// Without an error.
    pub(super) fn exactly(low: f64, high: f64) -> Self {
        Self { low, high, low_most: low, high_least: high }
    }

    fn confine(&mut self, [low, low_error]: [f64; 2], [high, high_error]: [f64; 2]) {
        self.low = self.low.max(low);
        self.low_most = self.low_most.max(low + low_error);
        self.high = self.high.min(high);
        self.high_least = self.high_least.min(high - high_error);
    }

    /// Whether the errors of both ends are within a tolerance; not where they are not numbers.
    pub(super) fn are_within(&self, tolerance: f64) -> bool {
        self.low_most - self.low <= tolerance && self.high - self.high_least <= tolerance
    }
}

/// The rows of two frames and the quantities that are wanted, in the caller's memory: numbers may be long.
pub(super) struct Program<'a, N> {
    /// Rows with a single coefficient first, because products with 0 are left out.
    rows: &'a mut [Row<N>],
    row_count: usize,
    /// Bits of rows that are dependent: the coordinates of a tetrahedron and their sum.
    dependent: [u32; 2],
    variables: usize,
    quantities: &'a mut [Quantity<N>],
    quantity_count: usize,
}

/// Two frames, in the order in which their program is written, and what is wanted of them.
pub(super) struct Task<'a, const D: usize> {
    pub(super) frames: [&'a Frame<D>; 2],
    /// Of the motion in seconds; `None` for frames at rest.
    pub(super) duration: Option<f64>,
    /// Whether the local box is that of the first frame.
    pub(super) is_local_of_first: bool,
    pub(super) wanted: Wanted,
    pub(super) units: BinaryUnits,
}

impl<'a, N: Number> Program<'a, N> {
    /// There must be room for [`ROWS`] rows and [`QUANTITIES`] quantities. `None` if it is not certain on which side of its
    /// faces the first frame is.
    pub(super) fn new<const D: usize>(
        task: &Task<'_, D>,
        rows: &'a mut [Row<N>],
        quantities: &'a mut [Quantity<N>],
    ) -> Option<Self> {
        let variables = D + usize::from(task.duration.is_some());
        let mut program =
            Self { rows, row_count: 0, dependent: [0; 2], variables, quantities, quantity_count: 0 };
        for variable in (0..variables).rev() {
            let mut row = Row::of_share();
            row.coefficients[variable] = N::read(1.0, 0);
            program.push_row(row);
        }
        let (first, determinant) = rows_of_first::<N, D>(task)?;
        let [first_sums, second_sums] = task.frames.map(|frame| frame.kind == FrameKind::Tetrahedron);
        if second_sums {
            let mut row = Row::of_share();
            row.coefficients[..D].fill(N::read(1.0, 0));
            program.push_row(row);
            program.dependent[1] = program.last_rows(D + 1);
        }
        if first_sums {
            program.push_row(sum_of_rows(&first, determinant));
        }
        first.iter().for_each(|row| program.push_row(*row));
        if first_sums {
            program.dependent[0] = program.last_rows(D + 1);
        }
        program.add_quantities(task, &first, determinant);
        Some(program)
    }

    /// The bits of the rows that were added last.
    fn last_rows(&self, count: usize) -> u32 {
        ((1 << count) - 1) << (self.row_count - count)
    }

    fn push_row(&mut self, row: Row<N>) {
        self.rows[self.row_count] = row;
        self.row_count += 1;
    }

    fn push_quantity(&mut self, quantity: Quantity<N>) {
        self.quantities[self.quantity_count] = quantity;
        self.quantity_count += 1;
    }

    /// The time, then the coordinates in the world, then those of a frame.
    fn add_quantities<const D: usize>(&mut self, task: &Task<'_, D>, first: &[Row<N>; D], determinant: N) {
        if task.wanted.times && task.duration.is_some() {
            self.push_quantity(Quantity::variable(D));
        }
        let second = task.frames[1];
        for axis in (0..D).filter(|_| task.wanted.world) {
            let mut quantity = Quantity { exponent: task.units.length, ..Quantity::zero() };
            quantity.constant = N::read(second.origin[axis], task.units.length);
            for (coefficient, component) in quantity.coefficients.iter_mut().zip(&second.components) {
                *coefficient = N::read(component[axis], task.units.length);
            }
            if let Some(duration) = task.duration {
                let velocity = N::read(second.velocity[axis], task.units.velocity);
                quantity.coefficients[D] = times(velocity, N::read(duration, task.units.time));
            }
            self.push_quantity(quantity);
        }
        for axis in (0..D).filter(|_| task.wanted.local) {
            self.push_quantity(if task.is_local_of_first {
                let Row { coefficients, low, .. } = first[axis];
                Quantity { coefficients, constant: N::ZERO - low, divisor: determinant, exponent: 0 }
            } else {
                Quantity::variable(axis)
            });
        }
    }

    /// The ranges of all quantities; `None` if it is not certain which rows are independent.
    pub(super) fn ranges(&self) -> Option<[Ends; QUANTITIES]> {
        let mut ranges = [Ends::EVERYTHING; QUANTITIES];
        for chosen in self.bases() {
            self.confine_by(chosen, &mut ranges)?;
        }
        Some(ranges)
    }

    /// The bits of as many rows as there are variables, without those that are known to be dependent.
    fn bases(&self) -> impl Iterator<Item = u32> {
        (0_u32..1 << self.row_count).filter(|chosen| {
            let is_dependent = self.dependent.iter().any(|&rows| rows != 0 && chosen & rows == rows);
            chosen.count_ones() as usize == self.variables && !is_dependent
        })
    }

    /// Confines all quantities by the rows whose bits are set, unless they are dependent.
    fn confine_by(&self, chosen: u32, ranges: &mut [Ends; QUANTITIES]) -> Option<()> {
        let mut basis = [&self.rows[0]; VARIABLES];
        let rows = self.rows.iter().enumerate().filter(|(number, _)| chosen >> number & 1 == 1);
        basis.iter_mut().zip(rows).for_each(|(place, (_, row))| *place = row);
        let basis = &basis[..self.variables];
        let matrix: [&[N; VARIABLES]; VARIABLES] =
            std::array::from_fn(|k| &basis[k.min(basis.len() - 1)].coefficients);
        let matrix = &matrix[..self.variables];
        let columns = &[0, 1, 2, 3][..self.variables];
        let determinant = determinant(matrix, columns);
        let sign = determinant.sign()?;
        if sign == Ordering::Equal {
            return Some(());
        }
        let cofactors = cofactors(matrix, columns);
        let along = |x: N| if sign == Ordering::Less { N::ZERO - x } else { x };
        for (quantity, ends) in self.quantities[..self.quantity_count].iter().zip(ranges) {
            let mut low = times(quantity.constant, along(determinant));
            let mut high = low;
            for (row, cofactors) in basis.iter().zip(&cofactors) {
                let mut share = N::ZERO;
                for &column in columns {
                    share = plus(share, times(quantity.coefficients[column], cofactors[column]));
                }
                let share = along(share);
                let (one, two) = (times(share, row.low), times(share, row.high));
                low = plus(low, one.lower(two));
                high = plus(high, one.higher(two));
            }
            let divisor = times(quantity.divisor, along(determinant));
            divisor.sign().filter(|&sign| sign == Ordering::Greater)?;
            ends.confine(low.ratio(divisor, quantity.exponent), high.ratio(divisor, quantity.exponent));
        }
        Some(())
    }
}

/// The coordinates of the first frame as rows, times its determinant, which is made positive.
fn rows_of_first<N: Number, const D: usize>(task: &Task<'_, D>) -> Option<([Row<N>; D], N)> {
    let [first, second] = task.frames;
    let unit = task.units.length;
    let read = |vector: &[f64; D]| vector.map(|x| N::read(x, unit));
    let components = first.components.each_ref().map(read);
    let mut normals = normals(&components);
    let mut determinant = dot(&normals[0], &components[0]);
    if determinant.sign()? == Ordering::Less {
        normals = normals.map(|normal| normal.map(|x| N::ZERO - x));
        determinant = N::ZERO - determinant;
    }
    let difference = |one: &[f64; D], two: &[f64; D], unit: i32| -> [N; D] {
        std::array::from_fn(|axis| N::read(one[axis], unit) - N::read(two[axis], unit))
    };
    let offset = difference(&second.origin, &first.origin, unit);
    let displacement = task.duration.map(|duration| {
        let duration = N::read(duration, task.units.time);
        let velocity = difference(&second.velocity, &first.velocity, task.units.velocity);
        velocity.map(|x| times(x, duration))
    });
    let edges = second.components.each_ref().map(read);
    let rows = normals.map(|normal| {
        let mut coefficients = [N::ZERO; VARIABLES];
        for (coefficient, edge) in coefficients.iter_mut().zip(&edges) {
            *coefficient = dot(&normal, edge);
        }
        if let Some(displacement) = &displacement {
            coefficients[D] = dot(&normal, displacement);
        }
        let low = N::ZERO - dot(&normal, &offset);
        Row { coefficients, low, high: low + determinant, is_share: false }
    });
    Some((rows, determinant))
}

/// The sum of the coordinates of a tetrahedron.
fn sum_of_rows<N: Number, const D: usize>(rows: &[Row<N>; D], determinant: N) -> Row<N> {
    let mut sum = rows[0];
    for row in &rows[1..] {
        for (coefficient, other) in sum.coefficients.iter_mut().zip(row.coefficients) {
            *coefficient = plus(*coefficient, other);
        }
        sum.low = plus(sum.low, row.low);
    }
    Row { high: sum.low + determinant, ..sum }
}

/// Rows of the adjugate: row i is orthogonal to every column but the i-th.
fn normals<N: Number, const D: usize>(c: &[[N; D]; D]) -> [[N; D]; D] {
    std::array::from_fn(|i| {
        std::array::from_fn(|axis| match D {
            2 if i == axis => c[1 - i][1 - axis],
            2 => N::ZERO - c[1 - i][1 - axis],
            _ => {
                let (u, v) = (&c[(i + 1) % D], &c[(i + 2) % D]);
                let (k, l) = ((axis + 1) % D, (axis + 2) % D);
                plus(times(u[k], v[l]), N::ZERO - times(u[l], v[k]))
            }
        })
    })
}

fn dot<N: Number, const D: usize>(one: &[N; D], two: &[N; D]) -> N {
    one.iter().zip(two).fold(N::ZERO, |sum, (&x, &y)| plus(sum, times(x, y)))
}

/// A product; most factors are 0.
fn times<N: Number>(one: N, two: N) -> N {
    if one.is_zero() || two.is_zero() { N::ZERO } else { one * two }
}

fn plus<N: Number>(one: N, two: N) -> N {
    if two.is_zero() {
        one
    } else if one.is_zero() {
        two
    } else {
        one + two
    }
}

/// The determinant of some columns of as many rows, by the first row (Laplace).
fn determinant<N: Number>(rows: &[&[N; VARIABLES]], columns: &[usize]) -> N {
    let (&[first, ref others @ ..], &[column, ..]) = (rows, columns) else { return N::read(1.0, 0) };
    if others.is_empty() {
        return first[column];
    }
    let mut sum = N::ZERO;
    for place in 0..columns.len() {
        let entry = first[columns[place]];
        if !entry.is_zero() {
            let minor = determinant(others, &without(columns, place)[..columns.len() - 1]);
            let term = times(entry, minor);
            sum = plus(sum, if place % 2 == 0 { term } else { N::ZERO - term });
        }
    }
    sum
}

/// The list without one of its entries.
fn without(columns: &[usize], place: usize) -> [usize; VARIABLES] {
    let mut left = [0; VARIABLES];
    let kept = columns.iter().enumerate().filter(|&(other, _)| other != place);
    left.iter_mut().zip(kept).for_each(|(to, (_, &column))| *to = column);
    left
}

/// The cofactors of all entries.
fn cofactors<N: Number>(rows: &[&[N; VARIABLES]], columns: &[usize]) -> [[N; VARIABLES]; VARIABLES] {
    let mut cofactors = [[N::ZERO; VARIABLES]; VARIABLES];
    let count = rows.len();
    for k in 0..count {
        let mut others = [rows[0]; VARIABLES];
        let kept = rows.iter().enumerate().filter(|&(other, _)| other != k);
        others.iter_mut().zip(kept).for_each(|(to, (_, row))| *to = row);
        for column in 0..count {
            let minor = determinant(&others[..count - 1], &without(columns, column)[..count - 1]);
            cofactors[k][column] = if (k + column) % 2 == 0 { minor } else { N::ZERO - minor };
        }
    }
    cofactors
}
