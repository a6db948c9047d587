//! Kernels and their rivals side by side in one run: `cargo bench --bench side_by_side`.
//!
//! The contenders take turns, and the best time of each counts: other work on the machine can only slow them down.

mod attraction;
mod collisions;
mod motion;
mod scene;
mod stepping;
mod table;

use table::Table;

fn main() {
    let mut table = Table::default();
    motion::measure(&mut table);
    attraction::measure(&mut table);
    collisions::measure(&mut table);
    stepping::measure(&mut table);
    table.print();
}
