//! The ranges of quantities by all bases, with what bases have in common computed once.
//!
//! A basis without one of its rows is a *set*. By Cramer's rule the share of that row is a determinant of the set and the
//! quantity, and the determinant of a basis is one of a set and another row. Each set belongs to as many bases as there are
//! other rows, so that numbers are computed once that [`ranges`](Program::ranges) computes up to six times; all of them
//! have the same values. The table is too large for long integers.

use std::cmp::Ordering;

use super::{Ends, Number, Program, QUANTITIES, ROWS, Row, VARIABLES, plus, times};

/// Most sets: three of nine rows.
const SETS: usize = 84;

/// Most pairs of rows, and of variables.
const PAIRS: usize = 36;
const VARIABLE_PAIRS: usize = 6;

/// How many choices of so many things there are, out of so many.
const CHOICES: [[usize; VARIABLES]; ROWS + 1] = {
    let mut table = [[0; VARIABLES]; ROWS + 1];
    let mut of = 0;
    while of <= ROWS {
        table[of][0] = 1;
        let mut chosen = 1;
        while of > 0 && chosen < VARIABLES {
            table[of][chosen] = table[of - 1][chosen] + table[of - 1][chosen - 1];
            chosen += 1;
        }
        of += 1;
    }
    table
};

/// The place of a choice of rows or variables, which are in order, among all choices of as many.
fn place(chosen: &[usize]) -> usize {
    chosen.iter().enumerate().map(|(k, &number)| CHOICES[number][k + 1]).sum()
}

/// What the sets of a program give.
struct Sets<N> {
    /// For each set and variable the determinant of the set without that variable.
    minors: [[N; VARIABLES]; SETS],
    /// For each set and quantity their determinant, the quantity first.
    shares: [[N; QUANTITIES]; SETS],
}

impl<N: Number> Program<'_, N> {
    /// What [`ranges`](Program::ranges) gives.
    pub(in crate::fmb::boxes) fn ranges_by_minors(&self) -> Option<[Ends; QUANTITIES]> {
        let sets = self.sets();
        let mut ranges = [Ends::EVERYTHING; QUANTITIES];
        for chosen in self.bases() {
            self.confine_by_sets(chosen, &sets, &mut ranges)?;
        }
        Some(ranges)
    }

    /// The numbers of the rows whose bits are set, in order.
    fn numbers(&self, chosen: u32) -> [usize; VARIABLES] {
        let mut numbers = [0; VARIABLES];
        let set = (0..self.row_count).filter(|number| chosen >> number & 1 == 1);
        numbers.iter_mut().zip(set).for_each(|(to, number)| *to = number);
        numbers
    }

    fn sets(&self) -> Sets<N> {
        let mut sets = Sets { minors: [[N::ZERO; VARIABLES]; SETS], shares: [[N::ZERO; QUANTITIES]; SETS] };
        let pairs =
            if self.variables > 2 { self.minors_of_pairs() } else { [[N::ZERO; VARIABLE_PAIRS]; PAIRS] };
        let length = self.variables - 1;
        for chosen in 0_u32..1 << self.row_count {
            if chosen.count_ones() as usize == length {
                let rows = &self.numbers(chosen)[..length];
                let minors = self.minors(rows, &pairs);
                let shares = &mut sets.shares[place(rows)];
                for (share, quantity) in shares.iter_mut().zip(&self.quantities[..self.quantity_count]) {
                    *share = expanded(&quantity.coefficients[..self.variables], &minors);
                }
                sets.minors[place(rows)] = minors;
            }
        }
        sets
    }

    /// The determinants of all pairs of rows and of variables.
    fn minors_of_pairs(&self) -> [[N; VARIABLE_PAIRS]; PAIRS] {
        let mut pairs = [[N::ZERO; VARIABLE_PAIRS]; PAIRS];
        for second in 1..self.row_count {
            for first in 0..second {
                let (one, two) = (&self.rows[first].coefficients, &self.rows[second].coefficients);
                for right in 1..self.variables {
                    for left in 0..right {
                        let (along, across) = (times(one[left], two[right]), times(one[right], two[left]));
                        pairs[place(&[first, second])][place(&[left, right])] = minus(along, across);
                    }
                }
            }
        }
        pairs
    }

    /// The determinants of a set without each of the variables.
    fn minors(&self, rows: &[usize], pairs: &[[N; VARIABLE_PAIRS]; PAIRS]) -> [N; VARIABLES] {
        let mut minors = [N::ZERO; VARIABLES];
        for (without, minor) in minors.iter_mut().enumerate().take(self.variables) {
            let mut left = [0; VARIABLES];
            let others = (0..self.variables).filter(|&variable| variable != without);
            left.iter_mut().zip(others).for_each(|(to, variable)| *to = variable);
            *minor = match *rows {
                [one] => self.rows[one].coefficients[left[0]],
                [one, two] => pairs[place(&[one, two])][place(&left[..2])],
                _ => {
                    let pair = &pairs[place(&rows[1..])];
                    let first = &self.rows[rows[0]].coefficients;
                    let [x, y, z, _] = left;
                    let (one, two) =
                        (times(first[x], pair[place(&[y, z])]), times(first[y], pair[place(&[x, z])]));
                    plus(minus(one, two), times(first[z], pair[place(&[x, y])]))
                }
            };
        }
        minors
    }

    /// Confines all quantities by the rows whose bits are set, unless they are dependent.
    fn confine_by_sets(&self, chosen: u32, sets: &Sets<N>, ranges: &mut [Ends; QUANTITIES]) -> Option<()> {
        let numbers = &self.numbers(chosen)[..self.variables];
        let mut places = [0; VARIABLES];
        for (k, place_of_set) in places.iter_mut().enumerate().take(self.variables) {
            let mut others = [0; VARIABLES];
            let kept = numbers.iter().enumerate().filter(|&(other, _)| other != k);
            others.iter_mut().zip(kept).for_each(|(to, (_, &number))| *to = number);
            *place_of_set = place(&others[..self.variables - 1]);
        }
        let first = &self.rows[numbers[0]].coefficients[..self.variables];
        let determinant = expanded(first, &sets.minors[places[0]]);
        let is_negative = match determinant.sign()? {
            Ordering::Equal => return Some(()),
            sign => sign == Ordering::Less,
        };
        let determinant = turned(determinant, is_negative);
        for (number, ends) in ranges.iter_mut().enumerate().take(self.quantity_count) {
            let quantity = &self.quantities[number];
            let mut low = times(quantity.constant, determinant);
            let mut high = low;
            for (k, (&row, &place)) in numbers.iter().zip(&places).enumerate() {
                let share = turned(sets.shares[place][number], is_negative != (k % 2 == 1));
                let [one, two] = self.rows[row].ends_times(share);
                low = plus(low, one.lower(two));
                high = plus(high, one.higher(two));
            }
            let divisor = times(quantity.divisor, determinant);
            divisor.sign().filter(|&sign| sign == Ordering::Greater)?;
            ends.confine(low.ratio(divisor, quantity.exponent), high.ratio(divisor, quantity.exponent));
        }
        Some(())
    }
}

impl<N: Number> Row<N> {
    /// Both bounds times a share.
    fn ends_times(&self, share: N) -> [N; 2] {
        if self.is_share { [N::ZERO, share] } else { [times(share, self.low), times(share, self.high)] }
    }
}

/// The determinant of a row and a set, by that row (Laplace).
fn expanded<N: Number>(row: &[N], minors: &[N; VARIABLES]) -> N {
    let mut sum = N::ZERO;
    for (variable, (&entry, &minor)) in row.iter().zip(minors).enumerate() {
        let term = times(entry, minor);
        sum = if variable % 2 == 0 { plus(sum, term) } else { minus(sum, term) };
    }
    sum
}

fn minus<N: Number>(one: N, two: N) -> N {
    if two.is_zero() { one } else { one - two }
}

/// A number or its negative.
fn turned<N: Number>(x: N, is_negative: bool) -> N {
    if is_negative { N::ZERO - x } else { x }
}
