//! The tree: particles in its order, and nodes with up to eight parts each.

use std::ops::Range;

use super::{LEAF, MASS, Row, UNIT, WIDTH, reserved};
use crate::error::Result;
use crate::particles::store::Particles;
use crate::soa::block::LANES;

/// Particles in the order of the tree and its nodes, the root first.
pub(super) struct Tree<const D: usize> {
    /// The particles, and at the end massless ones to whole lowest nodes.
    pub(super) rows: Vec<Row<f64>>,
    /// The index of each particle.
    pub(super) indices: Vec<usize>,
    pub(super) nodes: Vec<Node<D>>,
    /// The longest edge of the box around all particles.
    pub(super) edge: f64,
    /// The mass of all particles.
    pub(super) mass: f64,
}

/// One number per part of a node, in the blocks of a level.
type Parts = [[f64; LANES]; WIDTH / LANES];

/// The parts of a node. Parts that do not exist have no mass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<const D: usize> {
    /// The centres of mass.
    pub(super) centre: [Parts; D],
    pub(super) mass: Parts,
    /// The squares of the distances from which on a part counts as one particle.
    pub(super) reach2: Parts,
    /// The first of its parts, which are leaves if it is a lowest node and nodes otherwise: a row or a node.
    pub(super) first: usize,
    pub(super) is_lowest: bool,
}

/// A particle before it has its place in the tree.
#[derive(Debug, Clone, Copy)]
struct Body {
    row: Row<f64>,
    index: usize,
}

impl<const D: usize> Tree<D> {
    pub(super) fn new(particles: &Particles, opening: f64) -> Result<Self> {
        let mut bodies = bodies_of(particles)?;
        let spans = arrange::<D>(&mut bodies)?;
        let padded = bodies.len().next_multiple_of(UNIT);
        let mut rows: Vec<Row<f64>> = reserved(padded)?;
        rows.extend(bodies.iter().map(|body| body.row));
        if let Some(&[x, y, z, _]) = rows.last() {
            rows.resize(padded, [x, y, z, 0.0]);
        }
        let mut indices = reserved(bodies.len())?;
        indices.extend(bodies.iter().map(|body| body.index));
        let mut tree = Self { rows, indices, nodes: reserved(spans.len())?, edge: 0.0, mass: 0.0 };
        tree.weigh(&spans, opening)?;
        Ok(tree)
    }

    /// Makes the nodes of these spans, from the last to the first, because the extent of a node is that of its parts.
    fn weigh(&mut self, spans: &[Span], opening: f64) -> Result<()> {
        let mut extents = reserved(spans.len())?;
        extents.resize(spans.len(), Extent::<D>::EMPTY);
        self.nodes.resize(spans.len(), Node::EMPTY);
        for (n, span) in spans.iter().enumerate().rev() {
            let node = &mut self.nodes[n];
            (node.first, node.is_lowest) = (span.first, span.is_lowest);
            for part in 0..span.parts {
                let extent = if span.is_lowest {
                    Extent::of(&self.rows[span.first + part * LEAF..][..LEAF])
                } else {
                    extents[span.first + part]
                };
                node.set(part, &extent, opening);
                extents[n].join(&extent);
            }
        }
        if let Some(root) = extents.first() {
            (self.edge, self.mass) = (root.longest().1, root.mass);
        }
        Ok(())
    }
}

impl<const D: usize> Node<D> {
    const EMPTY: Self = Self {
        centre: [[[0.0; LANES]; 2]; D],
        mass: [[0.0; LANES]; 2],
        reach2: [[0.0; LANES]; 2],
        first: 0,
        is_lowest: true,
    };

    fn set(&mut self, part: usize, extent: &Extent<D>, opening: f64) {
        let (block, lane) = (part / LANES, part % LANES);
        let reach = if opening > 0.0 { extent.longest().1 / opening } else { f64::INFINITY };
        self.reach2[block][lane] = reach * reach;
        self.mass[block][lane] = extent.mass;
        if extent.mass > 0.0 {
            for axis in 0..D {
                // A quotient that is rounded, or tiny masses, must not take the centre out of the box.
                self.centre[axis][block][lane] =
                    (extent.moment[axis] / extent.mass).clamp(extent.lower[axis], extent.upper[axis]);
            }
        }
    }
}

/// The box around some particles, their mass, and the sum of their positions times their masses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent<const D: usize> {
    pub(super) lower: [f64; D],
    pub(super) upper: [f64; D],
    moment: [f64; D],
    mass: f64,
}

impl<const D: usize> Extent<D> {
    const EMPTY: Self =
        Self { lower: [f64::INFINITY; D], upper: [f64::NEG_INFINITY; D], moment: [0.0; D], mass: 0.0 };

    #[inline(always)]
    pub(super) fn of(rows: &[Row<f64>]) -> Self {
        let mut extent = Self::EMPTY;
        for row in rows {
            extent.mass += row[MASS];
            for axis in 0..D {
                extent.stretch(axis, row[axis], row[axis]);
                extent.moment[axis] += row[MASS] * row[axis];
            }
        }
        extent
    }

    fn join(&mut self, other: &Self) {
        self.mass += other.mass;
        for axis in 0..D {
            self.stretch(axis, other.lower[axis], other.upper[axis]);
            self.moment[axis] += other.moment[axis];
        }
    }

    #[inline(always)]
    fn stretch(&mut self, axis: usize, lower: f64, upper: f64) {
        self.lower[axis] = if lower < self.lower[axis] { lower } else { self.lower[axis] };
        self.upper[axis] = if upper > self.upper[axis] { upper } else { self.upper[axis] };
    }

    /// The longest axis of the box, and its length.
    #[inline(always)]
    pub(super) fn longest(&self) -> (usize, f64) {
        let mut longest = (0, self.upper[0] - self.lower[0]);
        for axis in 1..D {
            let edge = self.upper[axis] - self.lower[axis];
            if edge > longest.1 {
                longest = (axis, edge);
            }
        }
        longest
    }
}

fn bodies_of(particles: &Particles) -> Result<Vec<Body>> {
    let mut bodies = reserved(particles.len())?;
    let mass = particles.mass.as_slice();
    bodies.extend((0..particles.len()).map(|index| {
        let mut row = [0.0, 0.0, 0.0, mass[index]];
        for (to, column) in row.iter_mut().zip(&particles.position) {
            *to = column.as_slice()[index];
        }
        Body { row, index }
    }));
    Ok(bodies)
}

/// The particles of a node, and its parts as in [`Node`].
struct Span {
    bodies: Range<usize>,
    first: usize,
    parts: usize,
    is_lowest: bool,
}

impl Span {
    fn new(bodies: Range<usize>) -> Self {
        let is_lowest = bodies.len() <= UNIT;
        Self { first: bodies.start, bodies, parts: 0, is_lowest }
    }
}

/// Puts the bodies into the order of the tree, and returns the nodes: one before its parts, and its parts next to each other.
fn arrange<const D: usize>(bodies: &mut [Body]) -> Result<Vec<Span>> {
    // Nodes that are not lowest have at least two parts.
    let mut spans = reserved(2 * bodies.len().div_ceil(UNIT))?;
    if !bodies.is_empty() {
        spans.push(Span::new(0..bodies.len()));
    }
    let mut n = 0;
    while n < spans.len() {
        let (range, is_lowest) = (spans[n].bodies.clone(), spans[n].is_lowest);
        if !is_lowest {
            spans[n].first = spans.len();
        }
        let unit = if is_lowest { LEAF } else { UNIT };
        divide::<D>(bodies, range, WIDTH.ilog2(), unit, &mut |part| {
            spans[n].parts += 1;
            if !is_lowest {
                spans.push(Span::new(part));
            }
        });
        n += 1;
    }
    Ok(spans)
}

/// Halves the bodies of a range so often, or until at most `unit` are left; the first half has whole units.
fn divide<const D: usize>(
    bodies: &mut [Body],
    range: Range<usize>,
    depth: u32,
    unit: usize,
    part: &mut impl FnMut(Range<usize>),
) {
    if depth == 0 || range.len() <= unit {
        return part(range);
    }
    let half = (range.len() / 2).next_multiple_of(unit);
    halve::<D>(&mut bodies[range.clone()], half);
    let middle = range.start + half;
    divide::<D>(bodies, range.start..middle, depth - 1, unit, part);
    divide::<D>(bodies, middle..range.end, depth - 1, unit, part);
}

/// Puts those bodies first that come first along the longest axis of their box, and of those at one place the ones of lower index.
fn halve<const D: usize>(bodies: &mut [Body], half: usize) {
    let mut extent = Extent::<D>::EMPTY;
    for body in &*bodies {
        for axis in 0..D {
            extent.stretch(axis, body.row[axis], body.row[axis]);
        }
    }
    let (axis, _) = extent.longest();
    bodies
        .select_nth_unstable_by(half, |a, b| a.row[axis].total_cmp(&b.row[axis]).then(a.index.cmp(&b.index)));
}
