//! The same answers by brute force: all corners of the overlap of two frames in space and time.

use carom::{Frame, FrameKind};
use num_rational::BigRational;
use num_traits::{One, Zero};

use super::{ContactKind, OverlapExtent, exactly};

type Point = Vec<BigRational>;

/// n . (x, t) >= c.
struct HalfSpace {
    n: Point,
    c: BigRational,
}

/// The contact and, unless the frames are apart, the extent, with the time going from 0 to `duration`, which must not
/// be 0.
pub(crate) fn corners<const D: usize>(
    a: &Frame<D>,
    b: &Frame<D>,
    duration: f64,
) -> (ContactKind, Option<OverlapExtent<D>>) {
    let sides: Vec<HalfSpace> =
        [sides_of(a), sides_of(b), sides_of_time::<D>(duration)].into_iter().flatten().collect();
    let corners: Vec<Point> = choices(sides.len(), D + 1)
        .filter_map(|chosen| intersection_of(chosen.iter().map(|&k| &sides[k])))
        .filter(|point| sides.iter().all(|side| dot(&side.n, point) >= side.c))
        .collect();
    let Some(first) = corners.first() else { return (ContactKind::Apart, None) };
    let spread = corners.iter().map(|point| point.iter().zip(first).map(|(x, y)| x - y).collect()).collect();
    let contact = if rank(spread) == D + 1 { ContactKind::Overlapping } else { ContactKind::Touching };
    (contact, Some(extent_of(b, &corners)))
}

fn extent_of<const D: usize>(b: &Frame<D>, corners: &[Point]) -> OverlapExtent<D> {
    let ends = |value: &dyn Fn(&Point) -> BigRational| {
        let least = corners.iter().map(value).min().expect("a corner");
        [least, corners.iter().map(value).max().expect("a corner")]
    };
    let coordinates = coordinate_half_spaces(b);
    OverlapExtent {
        times: ends(&|point| point[D].clone()),
        world: std::array::from_fn(|axis| ends(&|point| point[axis].clone())),
        local: std::array::from_fn(|i| ends(&|point| dot(&coordinates[i].n, point) - &coordinates[i].c)),
    }
}

fn dot(u: &[BigRational], v: &[BigRational]) -> BigRational {
    u.iter().zip(v).map(|(x, y)| x * y).sum()
}

/// X_i >= 0 for each i, scaled so that X_i = n . (x, t) - c.
fn coordinate_half_spaces<const D: usize>(frame: &Frame<D>) -> Vec<HalfSpace> {
    (0..D)
        .map(|i| {
            // n . component_k = [i = k], so n . (O + C X) = n . O + X_i.
            let mut rows: Vec<Point> = frame.components.iter().map(|c| c.map(exactly).to_vec()).collect();
            rows.iter_mut()
                .enumerate()
                .for_each(|(k, row)| row.push(BigRational::from_integer(u8::from(i == k).into())));
            let mut n = solve(rows).expect("not flat");
            let c = dot(&n, &frame.origin.map(exactly));
            n.push(-dot(&n, &frame.velocity.map(exactly)));
            HalfSpace { n, c }
        })
        .collect()
}

fn sides_of<const D: usize>(frame: &Frame<D>) -> Vec<HalfSpace> {
    let lower = coordinate_half_spaces(frame);
    let upper = |n: Point, c: BigRational| HalfSpace {
        n: n.iter().map(|x| -x).collect(),
        c: -c - BigRational::one(),
    };
    let upper = match frame.kind {
        FrameKind::Cuboid => lower.iter().map(|side| upper(side.n.clone(), side.c.clone())).collect(),
        FrameKind::Tetrahedron => {
            let n = (0..=D).map(|axis| lower.iter().map(|side| &side.n[axis]).sum()).collect();
            vec![upper(n, lower.iter().map(|side| &side.c).sum())]
        }
    };
    lower.into_iter().chain(upper).collect()
}

fn sides_of_time<const D: usize>(duration: f64) -> Vec<HalfSpace> {
    let axis = |value: i8| {
        let mut n = vec![BigRational::zero(); D + 1];
        n[D] = BigRational::from_integer(value.into());
        n
    };
    vec![HalfSpace { n: axis(1), c: BigRational::zero() }, HalfSpace { n: axis(-1), c: -exactly(duration) }]
}

/// All choices of `k` of `n`, ascending.
fn choices(n: usize, k: usize) -> impl Iterator<Item = Vec<usize>> {
    (0_u32..1 << n)
        .filter(move |mask| mask.count_ones() as usize == k)
        .map(move |mask| (0..n).filter(|bit| mask >> bit & 1 == 1).collect())
}

fn intersection_of<'a>(sides: impl Iterator<Item = &'a HalfSpace>) -> Option<Point> {
    solve(sides.map(|side| side.n.iter().chain([&side.c]).cloned().collect()).collect())
}

/// The only solution of the equations with these rows `[a.., b]`, by Gauss and Jordan.
fn solve(mut rows: Vec<Point>) -> Option<Point> {
    let unknowns = rows.len();
    (eliminate(&mut rows, unknowns) == unknowns)
        .then(|| rows.iter().map(|row| row[unknowns].clone()).collect())
}

fn rank(mut rows: Vec<Point>) -> usize {
    let columns = rows[0].len();
    eliminate(&mut rows, columns)
}

/// Makes the first `columns` columns a reduced echelon form and returns their rank.
fn eliminate(rows: &mut [Point], columns: usize) -> usize {
    let mut rank = 0;
    for column in 0..columns {
        let Some(pivot) = (rank..rows.len()).find(|&row| !rows[row][column].is_zero()) else { continue };
        rows.swap(rank, pivot);
        let scale = rows[rank][column].clone();
        rows[rank].iter_mut().for_each(|x| *x /= &scale);
        let pivot_row = rows[rank].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != rank) {
            let factor = row[column].clone();
            row.iter_mut().zip(&pivot_row).for_each(|(x, y)| *x -= &factor * y);
        }
        rank += 1;
    }
    rank
}
