//! Frames built to touch: whatever the lattice they lie on, touching is not an intersection.

use carom::{Frame, FrameKind};

use crate::random::Random;
use crate::rational::agreement::{ContactCounts, Durations, SmallFrames, Still, assert_agreement};
use crate::rational::{ContactKind, Overlap};

const REST: Durations = [None, None];

type Vector<const D: usize> = [f64; D];

/// A skew lattice: points are given by coordinates, as integers.
#[derive(Clone, Copy)]
struct SkewLattice<const D: usize>(Frame<D>);

impl<const D: usize> SkewLattice<D> {
    fn vector(&self, x: Vector<D>) -> Vector<D> {
        std::array::from_fn(|axis| (0..D).map(|i| x[i] * self.0.components[i][axis]).sum())
    }

    fn point(&self, x: Vector<D>) -> Vector<D> {
        let from_origin = self.vector(x);
        std::array::from_fn(|axis| self.0.origin[axis] + from_origin[axis])
    }

    /// The cuboid or tetrahedron with this origin and these components.
    fn frame(&self, kind: FrameKind, origin: Vector<D>, components: [Vector<D>; D]) -> Frame<D> {
        let components = components.map(|component| self.vector(component));
        Frame { kind, origin: self.point(origin), components, velocity: [0.0; D] }
    }

    /// One cell.
    fn cell(&self, kind: FrameKind, origin: Vector<D>) -> Frame<D> {
        self.frame(kind, origin, std::array::from_fn(unit))
    }

    /// The tetrahedron with these vertices.
    fn simplex(&self, vertices: &[Vector<D>]) -> Frame<D> {
        let component = |i: usize| std::array::from_fn(|axis| vertices[i + 1][axis] - vertices[0][axis]);
        self.frame(FrameKind::Tetrahedron, vertices[0], std::array::from_fn(component))
    }

    fn moving(&self, frame: Frame<D>, velocity: Vector<D>) -> Frame<D> {
        frame.with_velocity(self.vector(velocity))
    }
}

fn unit<const D: usize>(axis: usize) -> Vector<D> {
    std::array::from_fn(|k| f64::from(u8::from(k == axis)))
}

const CUBOID: FrameKind = FrameKind::Cuboid;
const TETRAHEDRON: FrameKind = FrameKind::Tetrahedron;

/// Pairs on many lattices, the plain one first.
fn on_lattices<const D: usize>(
    count: usize,
    seed: u64,
    mut pairs: impl FnMut(&SkewLattice<D>, &mut Random) -> Vec<[Frame<D>; 2]>,
) -> Vec<[Frame<D>; 2]> {
    let mut random = Random(seed);
    let small = SmallFrames { component: 3, origin: 5, velocity: 0 };
    let plain = Frame::cuboid([0.0; D], std::array::from_fn(unit));
    let lattices = (0..count).map(|k| if k == 0 { plain } else { small.frame(&mut random, Still::Yes) });
    let lattices: Vec<_> = lattices.map(SkewLattice).collect();
    lattices.iter().flat_map(|lattice| pairs(lattice, &mut random)).collect()
}

/// In both orders: the frames touch, and the engine finds no intersection.
fn assert_touching<const D: usize>(pairs: &[[Frame<D>; 2]], motion: Durations) {
    assert_all(pairs, motion, |tally| tally.touching);
}

/// In both orders: the frames overlap, and the engine computes where.
fn assert_overlapping<const D: usize>(pairs: &[[Frame<D>; 2]], motion: Durations) {
    assert_all(pairs, motion, |tally| tally.overlapping);
}

fn assert_all<const D: usize>(
    pairs: &[[Frame<D>; 2]],
    motion: Durations,
    of: impl Fn(&ContactCounts) -> usize,
) {
    assert!(!pairs.is_empty());
    let swapped: Vec<_> = pairs.iter().map(|&[a, b]| [b, a]).collect();
    for tally in [assert_agreement(pairs, motion), assert_agreement(&swapped, [motion[1], motion[0]])] {
        assert_eq!(of(&tally), pairs.len(), "{tally:?}");
    }
}

/// All offsets to the neighbours of a cell, by a face, an edge or a vertex.
fn neighbours<const D: usize>() -> Vec<Vector<D>> {
    let count = 3_usize.pow(D as u32);
    let offset = |n: usize| std::array::from_fn(|axis| (n / 3_usize.pow(axis as u32) % 3) as f64 - 1.0);
    (0..count).map(offset).filter(|offset: &Vector<D>| offset.iter().any(|&x| x != 0.0)).collect()
}

fn cells_touch_their_neighbours<const D: usize>(lattices: usize, seed: u64) {
    let pairs = on_lattices::<D>(lattices, seed, |lattice, _| {
        let cell = lattice.cell(CUBOID, [0.0; D]);
        neighbours().into_iter().map(|offset| [cell, lattice.cell(CUBOID, offset)]).collect()
    });
    assert_touching(&pairs, REST);
    assert_touching(&pairs, [Some(1.0), None]);
    assert_touching(&pairs, [Some(0.5); 2]);
}

#[test]
fn cells_of_a_lattice_touch_their_neighbours() {
    cells_touch_their_neighbours::<2>(12, 1);
    cells_touch_their_neighbours::<3>(6, 2);
}

#[test]
fn tetrahedra_touch_when_moved_by_a_component() {
    let pairs = on_lattices::<3>(60, 3, |lattice, _| {
        let tetrahedron = lattice.cell(TETRAHEDRON, [0.0; 3]);
        (0..3).map(|i| [tetrahedron, lattice.cell(TETRAHEDRON, unit(i))]).collect()
    });
    assert_touching(&pairs, REST);
    let pairs = on_lattices::<2>(60, 4, |lattice, _| {
        (0..2).map(|i| [lattice.cell(TETRAHEDRON, [0.0; 2]), lattice.cell(TETRAHEDRON, unit(i))]).collect()
    });
    assert_touching(&pairs, REST);
}

/// The simplices into which a cell is divided by the paths along its edges, one for every order of the axes.
fn simplices_of_a_cell<const D: usize>(lattice: &SkewLattice<D>, origin: Vector<D>) -> Vec<Frame<D>> {
    let orders: &[&[usize]] = match D {
        2 => &[&[0, 1], &[1, 0]],
        _ => &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]],
    };
    let walk = |order: &&[usize]| {
        let mut vertices = vec![origin];
        for &axis in *order {
            let mut next = *vertices.last().expect("a vertex");
            next[axis] += 1.0;
            vertices.push(next);
        }
        lattice.simplex(&vertices)
    };
    orders.iter().map(walk).collect()
}

fn simplices_of_two_cells_touch<const D: usize>(lattices: usize, seed: u64) {
    let pairs = on_lattices::<D>(lattices, seed, |lattice, random| {
        let offsets = neighbours::<D>();
        let offset = offsets[random.next_u64() as usize % offsets.len()];
        let within = simplices_of_a_cell(lattice, [0.0; D]);
        let beyond = lattice.cell(CUBOID, offset);
        let inner = (1..within.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let inner = inner.map(|(i, j)| [within[i], within[j]]).collect::<Vec<_>>();
        // A simplex of the cell need not have each vertex of the cell.
        let touches =
            |pair: &[Frame<D>; 2]| Overlap::of(&pair[0], &pair[1], None).contact != ContactKind::Apart;
        let outer = within.iter().map(|simplex| [*simplex, beyond]).filter(touches);
        outer.chain(inner).collect()
    });
    assert_touching(&pairs, REST);
}

#[test]
fn the_simplices_of_a_lattice_touch() {
    simplices_of_two_cells_touch::<2>(40, 5);
    simplices_of_two_cells_touch::<3>(8, 6);
}

#[test]
fn tetrahedra_on_both_sides_of_a_face_touch() {
    let pairs = on_lattices::<3>(150, 7, |lattice, random| {
        let mut apex =
            |side: f64| [0.0, 1.0, 2.0].map(|k| if k == 2.0 { side } else { random.real(-3.0, 4.0).floor() });
        let [above, below] = [apex(1.0), apex(-2.0)];
        let face = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let [v, w, x] = face;
        vec![[lattice.simplex(&[v, w, x, above]), lattice.simplex(&[x, below, v, w])]]
    });
    assert_touching(&pairs, REST);
    assert_touching(&pairs, [Some(2.0), None]);
}

#[test]
fn edges_that_cross_in_a_point_touch() {
    let pairs = on_lattices::<3>(150, 8, |lattice, random| {
        // One edge goes along x, the other one along y; what is behind them is below and above z = 0.
        let mut integer = |lo: f64, hi: f64| random.real(lo, hi).floor();
        let mut beyond = |z: f64| [integer(-3.0, 4.0), integer(-3.0, 4.0), z];
        let below = [[-1.0, 0.0, 0.0], [2.0, 0.0, 0.0], beyond(-1.0), beyond(-2.0)];
        let above = [[0.0, 1.0, 0.0], beyond(1.0), [0.0, -2.0, 0.0], beyond(1.0)];
        let pair = [below, above].map(|vertices| lattice.simplex(&vertices));
        if pair.iter().any(Frame::is_degenerate) { Vec::new() } else { vec![pair] }
    });
    assert!(pairs.len() > 100, "{}", pairs.len());
    assert_touching(&pairs, REST);
}

#[test]
fn nested_frames_with_common_faces_overlap() {
    let pairs = on_lattices::<3>(30, 9, |lattice, _| {
        let diagonal = |size: f64| std::array::from_fn(|i| unit::<3>(i).map(|x| x * size));
        let inner = [CUBOID, TETRAHEDRON].map(|kind| lattice.cell(kind, [0.0; 3]));
        let outer = [2.0, 3.0].map(|size| lattice.frame(CUBOID, [0.0; 3], diagonal(size)));
        let tetrahedron = lattice.frame(TETRAHEDRON, [0.0; 3], diagonal(3.0));
        vec![
            [inner[0], inner[0]],
            [inner[1], inner[1]],
            [inner[0], inner[1]],
            [inner[0], outer[0]],
            [inner[1], outer[1]],
            [inner[0], tetrahedron],
            [inner[1], tetrahedron],
            [lattice.cell(CUBOID, [1.0, 0.0, 1.0]), outer[0]],
            [lattice.cell(TETRAHEDRON, [1.0, 1.0, 0.0]), tetrahedron],
        ]
    });
    assert_overlapping(&pairs, REST);
    assert_overlapping(&pairs[..200], [Some(1.0), None]);
}

#[test]
fn frames_that_slide_along_a_face_never_enter() {
    let pairs = on_lattices::<3>(80, 10, |lattice, random| {
        let mut integer = || random.real(-3.0, 4.0).floor();
        let along = [0.0, integer(), integer()];
        let cell = lattice.cell(CUBOID, [0.0; 3]);
        let other = |kind: FrameKind| lattice.moving(lattice.cell(kind, [1.0, 0.0, 0.0]), along);
        vec![[cell, other(CUBOID)], [cell, other(TETRAHEDRON)]]
    });
    assert_touching(&pairs, [None, Some(1.0)]);
    let both: Vec<_> = pairs.iter().map(|&[a, b]| faster(a, b, [3.0, -1.0, 2.0])).collect();
    assert_touching(&both, [Some(0.5); 2]);
    let flat = on_lattices::<2>(80, 11, |lattice, random| {
        let along = [random.real(-3.0, 4.0).floor(), 0.0];
        let cell = lattice.cell(CUBOID, [0.0; 2]);
        vec![[cell, lattice.moving(lattice.cell(TETRAHEDRON, [0.0, 1.0]), along)]]
    });
    assert_touching(&flat, [None, Some(2.0)]);
}

/// The same pair in a moving frame of reference.
fn faster<const D: usize>(a: Frame<D>, b: Frame<D>, by: Vector<D>) -> [Frame<D>; 2] {
    [a, b].map(|frame| frame.with_velocity(std::array::from_fn(|axis| frame.velocity[axis] + by[axis])))
}

/// Cells that are two apart on the first axis and pass each other's edge or vertex at time 1.
fn passing<const D: usize>(lattices: usize, seed: u64) -> Vec<[Frame<D>; 2]> {
    on_lattices::<D>(lattices, seed, |lattice, _| {
        let start = std::array::from_fn(|axis| if axis == 0 { -2.0 } else { 0.0 });
        let velocity = std::array::from_fn(|axis| if axis < 2 { 1.0 } else { 0.0 });
        vec![[lattice.cell(CUBOID, [0.0; D]), lattice.moving(lattice.cell(CUBOID, start), velocity)]]
    })
}

#[test]
fn frames_that_touch_for_one_instant_do_not_intersect() {
    for duration in [1.0, 2.0, 4.0] {
        assert_touching(&passing::<2>(50, 12), [None, Some(duration)]);
        assert_touching(&passing::<3>(50, 13), [None, Some(duration)]);
        let both: Vec<_> =
            passing::<3>(50, 13).iter().map(|&[a, b]| faster(a, b, [1.0, 2.0, -5.0])).collect();
        assert_touching(&both, [Some(duration); 2]);
    }
}

/// Frames that approach along the first axis, face to face, and touch at time 1; or separate from time 0 on.
fn face_to_face<const D: usize>(lattices: usize, seed: u64, start: f64, velocity: f64) -> Vec<[Frame<D>; 2]> {
    let along = |x: f64| std::array::from_fn(|axis| if axis == 0 { x } else { 0.0 });
    on_lattices::<D>(lattices, seed, |lattice, _| {
        let kinds = [CUBOID, TETRAHEDRON].map(|kind| lattice.cell(kind, [0.0; D]));
        let mover = lattice.moving(lattice.cell(CUBOID, along(start)), along(velocity));
        kinds.map(|resting| [resting, mover]).into()
    })
}

#[test]
fn frames_that_touch_at_the_last_or_first_moment_do_not_intersect() {
    let (just_before, just_after) = (1.0 - f64::EPSILON / 2.0, 1.0 + f64::EPSILON);
    let arriving = face_to_face::<3>(40, 14, -2.0, 1.0);
    assert_touching(&arriving, [None, Some(1.0)]);
    assert_all(&arriving, [None, Some(just_before)], |tally| tally.apart);
    assert_overlapping(&arriving, [None, Some(just_after)]);
    let arriving = face_to_face::<2>(40, 15, -2.0, 1.0);
    assert_touching(&arriving, [None, Some(1.0)]);
    assert_all(&arriving, [None, Some(just_before)], |tally| tally.apart);
    assert_overlapping(&arriving, [None, Some(just_after)]);
    assert_touching(&face_to_face::<3>(40, 16, -1.0, -1.0), [None, Some(1.0)]);
    assert_touching(&face_to_face::<2>(40, 17, -1.0, -2.0), [None, Some(2.0)]);
    assert_overlapping(&face_to_face::<3>(40, 18, -0.5, -1.0), [None, Some(1.0)]);
}
