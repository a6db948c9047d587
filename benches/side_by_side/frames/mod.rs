//! Frames and FMB. Work on one core is timed in parts of less than a millisecond, because the speed of a shared machine
//! changes; the clock measured meanwhile is given beside the results.

mod broad;
mod contacts;
mod contest;
mod costs;
mod lattice;
mod orientations;
mod pairs;
mod parry;
mod threads;

use crate::table::Table;

/// Prints the contest and the orientations, which have columns of their own, and adds the rest to the table.
pub(crate) fn measure(table: &mut Table) {
    contest::measure();
    println!();
    orientations::measure();
    println!();
    costs::measure(table);
    contacts::measure(table);
    threads::measure(table);
    lattice::measure(table);
    broad::measure(table);
}
