//! The simplex method in integers: a table over one common denominator, pivots without fractions, Bland's rule.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Rows x_basic + sum_j a_j x_j = b over the variables outside the basis. Variables are at least 0.
///
/// The first `limits` rows belong to variables; the others only report a quantity, and never leave the basis.
#[derive(Debug, Clone)]
pub(crate) struct SimplexTable {
    /// Variable of each row; rows that report have none.
    basic: Vec<Option<usize>>,
    /// Variable of each column.
    outside: Vec<usize>,
    /// Numerators of a, and of b in the last column.
    rows: Vec<Vec<BigInt>>,
    /// Above 0.
    denominator: BigInt,
    /// Variables that have to stay 0.
    banned: Vec<usize>,
}

/// Which end of a quantity is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extremum {
    Least,
    Greatest,
}

impl SimplexTable {
    /// Limits sum_j a_j x_j <= b, as `[a.., b]`, over `variables` variables; and quantities sum_j g_j x_j + h, as
    /// `[g.., h]`.
    pub(crate) fn new(variables: usize, limits: Vec<Vec<BigInt>>, quantities: Vec<Vec<BigInt>>) -> Self {
        let slacks = variables..variables + limits.len();
        let basic = slacks.map(Some).chain(quantities.iter().map(|_| None)).collect();
        let negated = quantities.into_iter().map(|mut row| {
            row[..variables].iter_mut().for_each(|g| *g = -&*g);
            row
        });
        let rows: Vec<_> = limits.into_iter().chain(negated).collect();
        assert!(rows.iter().all(|row| row.len() == variables + 1), "a row has one entry a variable, and b");
        Self {
            basic,
            outside: (0..variables).collect(),
            rows,
            denominator: BigInt::one(),
            banned: Vec::new(),
        }
    }

    /// Keeps a variable, which must be outside the basis, at 0.
    pub(crate) fn ban(&mut self, variable: usize) {
        assert!(self.outside.contains(&variable), "a variable of the basis need not be 0");
        self.banned.push(variable);
    }

    /// Lets a variable move again.
    pub(crate) fn free(&mut self, variable: usize) {
        self.banned.retain(|&other| other != variable);
    }

    /// Satisfies all limits with the help of `relief`, a variable that raises those that are violated, then removes it.
    /// `quantity` must report it. False if the limits cannot be satisfied.
    pub(crate) fn make_feasible(&mut self, relief: usize, quantity: usize) -> bool {
        let column = self.column_of(relief);
        let broken = (0..self.limits()).filter(|&row| self.rows[row][self.last()].is_negative());
        // The ratio b / a is greatest where the most relief is needed: then no row stays violated.
        let ratio = |row: usize| {
            BigRational::new(self.rows[row][self.last()].clone(), self.rows[row][column].clone())
        };
        if let Some(worst) = broken.max_by_key(|&row| ratio(row)) {
            self.pivot(worst, column);
        }
        assert!(
            (0..self.limits()).all(|row| !self.rows[row][self.last()].is_negative()),
            "relief is in every limit"
        );
        if !self.optimise(quantity, Extremum::Least).is_zero() {
            return false;
        }
        if let Some(row) = self.basic.iter().position(|&variable| variable == Some(relief)) {
            let free = |&column: &usize| !self.rows[row][column].is_zero() && self.may_enter(column);
            let column = (0..self.last()).find(free).expect("relief depends on other variables");
            self.pivot(row, column);
        }
        self.ban(relief);
        true
    }

    /// Moves to where a quantity is least or greatest, and returns it. All limits must be satisfied.
    pub(crate) fn optimise(&mut self, quantity: usize, end: Extremum) -> BigRational {
        let row = self.limits() + quantity;
        while let Some(column) = self.entering(row, end) {
            let leaving = self.leaving(column).expect("what frames cover is bounded");
            self.pivot(leaving, column);
        }
        BigRational::new(self.rows[row][self.last()].clone(), self.denominator.clone())
    }

    fn limits(&self) -> usize {
        self.basic.iter().filter(|variable| variable.is_some()).count()
    }

    fn last(&self) -> usize {
        self.outside.len()
    }

    fn column_of(&self, variable: usize) -> usize {
        self.outside.iter().position(|&other| other == variable).expect("the variable is outside the basis")
    }

    fn may_enter(&self, column: usize) -> bool {
        !self.banned.contains(&self.outside[column])
    }

    /// The first variable, by number, that improves the quantity of a row.
    fn entering(&self, row: usize, end: Extremum) -> Option<usize> {
        let improves = |column: &usize| match end {
            Extremum::Greatest => self.rows[row][*column].is_negative(),
            Extremum::Least => self.rows[row][*column].is_positive(),
        };
        let columns = (0..self.last()).filter(|&column| self.may_enter(column)).filter(improves);
        columns.min_by_key(|&column| self.outside[column])
    }

    /// The row that limits the growth of a column's variable first; of several the one with the first variable.
    fn leaving(&self, column: usize) -> Option<usize> {
        let b = self.last();
        let rows = (0..self.limits()).filter(|&row| self.rows[row][column].is_positive());
        rows.min_by(|&i, &j| {
            let (left, right) =
                (&self.rows[i][b] * &self.rows[j][column], &self.rows[j][b] * &self.rows[i][column]);
            left.cmp(&right).then(self.basic[i].cmp(&self.basic[j]))
        })
    }

    /// Exchanges the variable of a row with that of a column. All entries are minors of the table at the start
    /// (Edmonds), so the division leaves no remainder.
    fn pivot(&mut self, row: usize, column: usize) {
        let pivot_row = self.rows[row].clone();
        let pivot = &pivot_row[column];
        for (i, entries) in self.rows.iter_mut().enumerate().filter(|(i, _)| *i != row) {
            let factor = entries[column].clone();
            for (j, entry) in entries.iter_mut().enumerate().filter(|(j, _)| *j != column) {
                let numerator = &*entry * pivot - &factor * &pivot_row[j];
                *entry = &numerator / &self.denominator;
                debug_assert!((&*entry * &self.denominator) == numerator, "row {i}: a remainder");
            }
            entries[column] = -factor;
        }
        self.rows[row][column] = std::mem::replace(&mut self.denominator, pivot.clone());
        if self.denominator.is_negative() {
            self.denominator = -&self.denominator;
            self.rows.iter_mut().flatten().for_each(|entry| *entry = -&*entry);
        }
        let leaving = self.basic[row].replace(self.outside[column]);
        self.outside[column] = leaving.expect("rows that report stay");
    }
}
