//! Attraction by a tree of groups of particles (Barnes and Hut 1986; docs/methods/particles.md, section 4.3).
//!
//! Particles are halved along the longest axis of their box until a group fits a leaf. For every leaf one list of sources is
//! made, of particles that are near and of groups that are far enough to count as one particle at their centre of mass (Barnes
//! 1990), and each particle of the leaf sums over the list in lanes. What a particle feels depends on the tree alone, so that
//! any number of threads gives the same bits.

use super::gravity::inverse_cube;
use super::store::Particles;
use crate::error::{Error, Result};
use crate::soa::block::{Doubles, Quantity};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;
use crate::soa::{Column, Context};

/// Most particles of a leaf.
const LEAF: usize = 16;

/// Leaves per chunk of work.
const CHUNK: usize = 16;

/// A particle: where it is, its mass and its index.
#[derive(Debug, Clone, Copy)]
struct Body<const D: usize> {
    position: [f64; D],
    mass: f64,
    index: usize,
}

/// Consecutive particles of the tree.
#[derive(Debug, Clone, Copy)]
struct Node<const D: usize> {
    /// The box around them.
    lower: [f64; D],
    upper: [f64; D],
    /// Their centre of mass.
    centre: [f64; D],
    mass: f64,
    /// The square of the distance from which on they count as one particle.
    reach2: f64,
    first: usize,
    last: usize,
    /// The next node that is not a part of this one.
    after: usize,
}

impl<const D: usize> Node<D> {
    fn is_leaf(&self) -> bool {
        self.last - self.first <= LEAF
    }
}

/// Fills `out`, one column per axis, with the acceleration that attraction with the constant 1 gives every particle.
pub(super) fn sums<const D: usize>(
    particles: &Particles,
    opening: f64,
    softening2: f64,
    context: &Context,
    out: &mut [Column<f64>],
) -> Result<()> {
    let tree = Tree::<D>::new(particles, opening)?;
    let leaves = tree.leaves()?;
    let chunks = context.map_chunks(leaves.len(), CHUNK, |range| {
        let mut felt = Vec::new();
        let mut sources = Sources::default();
        for &leaf in &leaves[range] {
            tree.collect(leaf, &mut sources)?;
            let targets = tree.bodies_of(leaf);
            felt.try_reserve(targets.len()).map_err(|_| out_of_memory::<[f64; D]>(targets.len()))?;
            level::run(Felt { targets, sources: &sources, softening2, felt: &mut felt });
        }
        Ok(felt)
    });
    let mut bodies = tree.bodies.iter();
    for chunk in chunks {
        for (sum, body) in chunk?.iter().zip(&mut bodies) {
            for (column, sum) in out.iter_mut().zip(sum) {
                column.as_mut_slice()[body.index] = *sum;
            }
        }
    }
    Ok(())
}

struct Tree<const D: usize> {
    bodies: Vec<Body<D>>,
    /// A node comes before its halves, the first half before the second.
    nodes: Vec<Node<D>>,
}

impl<const D: usize> Tree<D> {
    fn new(particles: &Particles, opening: f64) -> Result<Self> {
        let mut bodies = reserved(particles.len())?;
        let mass = particles.mass.as_slice();
        bodies.extend((0..particles.len()).map(|i| Body {
            position: std::array::from_fn(|axis| particles.position[axis].as_slice()[i]),
            mass: mass[i],
            index: i,
        }));
        // Halves are whole leaves but for the last one.
        let nodes = reserved(2 * bodies.len().div_ceil(LEAF))?;
        let mut tree = Self { bodies, nodes };
        if !tree.bodies.is_empty() {
            tree.grow(0, particles.len(), opening);
        }
        Ok(tree)
    }

    /// Adds the node of the bodies from `first` to before `last`, and those below it.
    fn grow(&mut self, first: usize, last: usize, opening: f64) {
        let (node, longest) = node_of(&self.bodies[first..last], first, opening);
        let (at, is_leaf) = (self.nodes.len(), node.is_leaf());
        self.nodes.push(node);
        if !is_leaf {
            let half = ((last - first) / 2).next_multiple_of(LEAF);
            self.bodies[first..last].select_nth_unstable_by(half, |a, b| {
                a.position[longest].total_cmp(&b.position[longest]).then(a.index.cmp(&b.index))
            });
            self.grow(first, first + half, opening);
            self.grow(first + half, last, opening);
        }
        self.nodes[at].after = self.nodes.len();
    }

    fn leaves(&self) -> Result<Vec<usize>> {
        let mut leaves = reserved(self.nodes.len() / 2 + 1)?;
        leaves.extend((0..self.nodes.len()).filter(|&n| self.nodes[n].is_leaf()));
        Ok(leaves)
    }

    fn bodies_of(&self, node: usize) -> &[Body<D>] {
        let node = &self.nodes[node];
        &self.bodies[node.first..node.last]
    }

    /// Lists what attracts the particles of a leaf, in the order of the tree.
    fn collect(&self, leaf: usize, sources: &mut Sources<D>) -> Result<()> {
        let group = &self.nodes[leaf];
        sources.clear();
        let mut next = 0;
        while let Some(node) = self.nodes.get(next) {
            let is_far = distance2(&node.centre, group) > node.reach2;
            if node.mass == 0.0 {
                next = node.after;
            } else if is_far {
                sources.push(&[Body { position: node.centre, mass: node.mass, index: 0 }])?;
                next = node.after;
            } else {
                if node.is_leaf() {
                    sources.push(self.bodies_of(next))?;
                }
                next += 1;
            }
        }
        Ok(())
    }
}

/// The node of these bodies, the first of which has the index `first`, and the longest axis of its box.
fn node_of<const D: usize>(bodies: &[Body<D>], first: usize, opening: f64) -> (Node<D>, usize) {
    let (mut lower, mut upper) = (bodies[0].position, bodies[0].position);
    let (mut moment, mut mass) = ([0.0; D], 0.0);
    for body in bodies {
        mass += body.mass;
        for axis in 0..D {
            lower[axis] = lower[axis].min(body.position[axis]);
            upper[axis] = upper[axis].max(body.position[axis]);
            moment[axis] += body.mass * body.position[axis];
        }
    }
    let longest = (1..D).fold(0, |longest, axis| {
        if upper[axis] - lower[axis] > upper[longest] - lower[longest] { axis } else { longest }
    });
    let reach = if opening > 0.0 { (upper[longest] - lower[longest]) / opening } else { f64::INFINITY };
    // A quotient that is rounded, or tiny masses, must not take the centre out of the box.
    let centre = std::array::from_fn(|axis| (moment[axis] / mass).clamp(lower[axis], upper[axis]));
    let (last, after) = (first + bodies.len(), 0);
    (Node { lower, upper, centre, mass, reach2: reach * reach, first, last, after }, longest)
}

/// The square of the distance of a place from the box of a node.
#[inline(always)]
fn distance2<const D: usize>(place: &[f64; D], node: &Node<D>) -> f64 {
    let mut square = 0.0;
    for axis in 0..D {
        let outside = (node.lower[axis] - place[axis]).max(place[axis] - node.upper[axis]).max(0.0);
        square += outside * outside;
    }
    square
}

/// What attracts the particles of a leaf: positions and masses. The padding has no mass.
struct Sources<const D: usize> {
    position: [Column<f64>; D],
    mass: Column<f64>,
}

impl<const D: usize> Default for Sources<D> {
    fn default() -> Self {
        Self { position: std::array::from_fn(|_| Column::new(0.0)), mass: Column::new(0.0) }
    }
}

impl<const D: usize> Sources<D> {
    fn clear(&mut self) {
        self.position.iter_mut().chain([&mut self.mass]).for_each(|column| column.truncate(0));
    }

    #[inline(always)]
    fn push(&mut self, bodies: &[Body<D>]) -> Result<()> {
        for column in self.position.iter_mut().chain([&mut self.mass]) {
            column.reserve(bodies.len())?;
        }
        for body in bodies {
            for (column, x) in self.position.iter_mut().zip(body.position) {
                column.push_in_room(x);
            }
            self.mass.push_in_room(body.mass);
        }
        Ok(())
    }
}

/// What each of the targets feels, added at the end of `felt`.
struct Felt<'a, const D: usize> {
    targets: &'a [Body<D>],
    sources: &'a Sources<D>,
    softening2: f64,
    felt: &'a mut Vec<[f64; D]>,
}

impl<const D: usize> Kernel for Felt<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let mass = S::Block::of_quads(self.sources.mass.quads());
        let mut position: [&[S::Block]; D] = [&[]; D];
        for axis in 0..D {
            position[axis] = &S::Block::of_quads(self.sources.position[axis].quads())[..mass.len()];
        }
        let softening2 = S::Block::splat(self.softening2);
        for target in self.targets {
            let mut place = [S::Block::ZERO; D];
            for axis in 0..D {
                place[axis] = S::Block::splat(target.position[axis]);
            }
            let mut sum = [S::Block::ZERO; D];
            for n in 0..mass.len() {
                let mut towards = [S::Block::ZERO; D];
                let mut square = softening2;
                for axis in 0..D {
                    towards[axis] = position[axis][n] - place[axis];
                    square += towards[axis] * towards[axis];
                }
                let pull = mass[n] * inverse_cube(square);
                for axis in 0..D {
                    sum[axis] += towards[axis] * pull;
                }
            }
            let mut felt = [0.0; D];
            for axis in 0..D {
                felt[axis] = sum[axis].sum();
            }
            self.felt.push(felt);
        }
    }
}

fn reserved<T>(count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|_| out_of_memory::<T>(count))?;
    Ok(values)
}

fn out_of_memory<T>(count: usize) -> Error {
    Error::OutOfMemory { bytes: count.saturating_mul(size_of::<T>()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particle;

    fn cloud(count: usize) -> Particles {
        let mut seed = 1_u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut particles = Particles::new(3).unwrap();
        for _ in 0..count {
            let place = [uniform(), uniform(), uniform()];
            particles.add(&Particle::sphere(&place, 0.1).with_mass(uniform())).unwrap();
        }
        particles
    }

    #[test]
    fn every_particle_is_in_one_leaf_within_the_boxes_above() {
        for count in [0, 1, LEAF, LEAF + 1, 10 * LEAF + 3, 1000] {
            let tree = Tree::<3>::new(&cloud(count), 0.5).unwrap();
            let leaves = tree.leaves().unwrap();
            let mut found: Vec<usize> =
                leaves.iter().flat_map(|&leaf| tree.bodies_of(leaf)).map(|body| body.index).collect();
            found.sort_unstable();
            assert!(found.into_iter().eq(0..count));
            for node in 0..tree.nodes.len() {
                for body in tree.bodies_of(node) {
                    assert_eq!(distance2(&body.position, &tree.nodes[node]), 0.0);
                }
            }
            assert_eq!(tree.nodes.first().map_or(0, |root| root.after), tree.nodes.len());
        }
    }

    #[test]
    fn lists_hold_the_mass_of_all() {
        let tree = Tree::<3>::new(&cloud(1000), 0.7).unwrap();
        let all: f64 = tree.bodies.iter().map(|body| body.mass).sum();
        let mut sources = Sources::default();
        for leaf in tree.leaves().unwrap() {
            tree.collect(leaf, &mut sources).unwrap();
            assert!((sources.mass.as_slice().iter().sum::<f64>() - all).abs() < 1e-9);
            assert!(sources.mass.len() < 700, "{}", sources.mass.len());
        }
    }
}
