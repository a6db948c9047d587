//! Frames (parallelograms, triangles, parallelepipeds, tetrahedra): which pairs intersect, when and where.
//!
//! ```text
//! cargo run --release --example frames
//! ```

use carom::broad::{Candidates, intersections_of_set};
use carom::fmb::{self, Intersections, Pairs, Request};
use carom::{Context, Frame, Frames};

fn main() -> carom::Result<()> {
    one_pair();
    many_pairs()?;
    a_moving_set()
}

/// Two frames without a set. The answer is exact for the given numbers, and frames that only touch do not intersect.
fn one_pair() {
    // A frame is an origin and one edge per dimension: the points O + C X with X from 0 to 1. A tetrahedron (in the plane
    // a triangle) has the points whose X also add up to at most 1.
    let square = |x: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
    println!("squares side by side intersect: {}", fmb::intersects(&square(0.0), &square(1.0), None));
    let nearer = square(1.0_f64.next_down());
    println!("one rounding step nearer: {}", fmb::intersects(&square(0.0), &nearer, None));
}

/// Many pairs at once: eight per block of lanes, on all threads of the context.
fn many_pairs() -> carom::Result<()> {
    let context = Context::with_threads(0)?; // 0: one thread per core. The answers are the same for any number.

    // The frames of a set are stored as columns. Set `a` holds one cube; set `b` a row of tetrahedra along axis 0.
    let (mut a, mut b) = (Frames::<3>::resting(), Frames::<3>::resting());
    let edges = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    a.add(&Frame::cuboid([10.25, 0.0, 0.0], edges))?;
    let row: Vec<_> = (0..1000).map(|i| Frame::tetrahedron([f64::from(i), 0.0, 0.0], edges)).collect();
    b.add_many(&row)?;

    // A request says what is wanted beside the count, because boxes take longer than hits. The object keeps its memory:
    // used again, a test allocates nothing.
    let mut found = Intersections::new(Request::ALL);
    found.test(&context, &a, &b, Pairs::One(0))?;
    for (hit, region) in found.list().iter().zip(found.boxes()) {
        println!(
            "the cube intersects tetrahedron {hit} within x = {:.2} to {:.2} m",
            region.min[0], region.max[0]
        );
    }
    Ok(())
}

/// All pairs of a set of moving frames. Boxes that do not overlap rule out almost all of them beforehand.
fn a_moving_set() -> carom::Result<()> {
    // A moving set has a duration, and every frame a constant velocity in it. Frames do not rotate.
    let mut frames = Frames::<2>::moving(1.0)?;
    let square = |x: f64, v: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]).with_velocity([v, 0.0]);
    frames.add_many(&[square(0.0, 0.0), square(2.0, -2.0), square(4.0, 0.0)])?;

    let (mut candidates, mut found) = (Candidates::new(), Intersections::new(Request::ALL));
    intersections_of_set(&Context::serial(), &frames, &mut candidates, &mut found)?;
    for (&hit, [from, to]) in found.list().iter().zip(found.times()) {
        // The list has positions in the list of candidates, and these have the rows of the frames.
        let [i, j] = candidates.pairs()[hit as usize];
        println!("frames {i} and {j} overlap from {from} to {to} s");
    }
    Ok(())
}
