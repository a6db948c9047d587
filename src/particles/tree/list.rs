//! What attracts a group of particles: near ones one by one, far parts of the tree as one particle each.

use super::build::{Extent, Node, Tree};
use super::{LEAF, MASS, Row, UNIT, WIDTH, out_of_memory};
use crate::error::Result;
use crate::soa::block::{Doubles, LANES, Lanes, Quantity, Singles};
use crate::soa::simd::Simd;

/// The box of a group, and the units of its far parts, which are summed in single precision.
pub(super) struct Units<const D: usize> {
    lower: [f64; D],
    upper: [f64; D],
    /// The middle of the box, from which lengths are measured.
    pub(super) origin: [f64; D],
    /// One over the unit of length.
    pub(super) per_length: f64,
    /// One over the unit of mass.
    per_mass: f64,
    /// The unit of mass over the square of the unit of length.
    pub(super) acceleration: f64,
    /// The square of the least distance in single precision.
    from2: f64,
    /// The least mass in single precision.
    least_mass: f64,
    pub(super) softening2: f64,
}

/// The least unit of length over the edge of the tree: cubes of all distances are within the range of single precision.
const LEAST_UNIT: f64 = 1.0 / (1 << 24) as f64;

/// The least distance in single precision, in units of length: rounded positions change it by less than a millionth.
const LEAST_DISTANCE: f64 = 0.25;

/// The least mass in single precision, in units of mass.
const LEAST_MASS: f64 = 1.0 / (1_u64 << 40) as f64;

/// The largest square of a softening in single precision, in square units of length.
const MOST_SOFTENING2: f64 = (1_u64 << 40) as f64;

impl<const D: usize> Units<D> {
    #[inline(always)]
    pub(super) fn new(group: &[Row<f64>], tree: &Tree<D>, softening2: f64) -> Self {
        let extent = Extent::<D>::of(group);
        let mut origin = [0.0; D];
        for axis in 0..D {
            origin[axis] = 0.5 * extent.lower[axis] + 0.5 * extent.upper[axis];
        }
        let length = extent.longest().1.max(LEAST_UNIT * tree.edge);
        let is_single = (1e-50..1e100).contains(&length)
            && (1e-100..1e150).contains(&tree.mass)
            && softening2 <= MOST_SOFTENING2 * length * length;
        let (length, mass) = if is_single { (length, tree.mass) } else { (1.0, 1.0) };
        let least = if is_single { LEAST_DISTANCE * length } else { f64::INFINITY };
        Self {
            lower: extent.lower,
            upper: extent.upper,
            origin,
            per_length: 1.0 / length,
            per_mass: 1.0 / mass,
            acceleration: mass / (length * length),
            from2: least * least,
            least_mass: LEAST_MASS * mass,
            softening2,
        }
    }
}

/// The lists of a group; what stands behind their ends means nothing.
#[derive(Debug, Default)]
pub(super) struct Lists {
    near: Vec<Row<f64>>,
    near_count: usize,
    far: Vec<Row<f32>>,
    far_count: usize,
    /// Nodes that are opened.
    open: Vec<usize>,
}

/// What is done with the parts of a node: one bit for each.
struct Choice {
    /// One particle each, in single precision.
    single: u32,
    /// One particle each, in double precision.
    double: u32,
    opened: u32,
    /// The parts in single precision.
    rows: [Row<f32>; WIDTH],
}

impl Lists {
    /// Particles, and few parts that must not be rounded.
    #[inline(always)]
    pub(super) fn near(&self) -> &[Row<f64>] {
        &self.near[..self.near_count]
    }

    /// Parts in the units of the group.
    #[inline(always)]
    pub(super) fn far(&self) -> &[Row<f32>] {
        &self.far[..self.far_count]
    }

    /// Lists what attracts the particles of a group, in the order of the nodes.
    #[inline(always)]
    pub(super) fn collect<S: Simd, const D: usize>(
        &mut self,
        tree: &Tree<D>,
        units: &Units<D>,
    ) -> Result<()> {
        (self.near_count, self.far_count) = (0, 0);
        self.open.clear();
        self.make_room()?;
        self.open.push(0);
        let mut next = 0;
        while let Some(&n) = self.open.get(next) {
            next += 1;
            let node = &tree.nodes[n];
            self.make_room()?;
            let choice = Choice::of::<S, D>(node, units);
            self.push_far(&choice.rows, choice.single);
            self.push_centres(node, choice.double);
            if node.is_lowest {
                self.push_leaves(&tree.rows[node.first..][..UNIT], choice.opened);
            } else {
                self.push_nodes(node.first, choice.opened);
            }
        }
        Ok(())
    }

    /// Makes room for all parts of a node.
    #[inline(always)]
    fn make_room(&mut self) -> Result<()> {
        grow(&mut self.near, self.near_count + UNIT)?;
        grow(&mut self.far, self.far_count + WIDTH)?;
        self.open.try_reserve(WIDTH).map_err(|_| out_of_memory::<usize>(WIDTH))
    }

    /// Writes all rows and keeps those that are chosen, without a branch.
    #[inline(always)]
    fn push_far(&mut self, rows: &[Row<f32>; WIDTH], chosen: u32) {
        let room = &mut self.far[self.far_count..][..WIDTH];
        let mut count = 0;
        for part in 0..WIDTH {
            room[count % WIDTH] = rows[part];
            count += (chosen >> part & 1) as usize;
        }
        self.far_count += count;
    }

    #[inline(always)]
    fn push_centres<const D: usize>(&mut self, node: &Node<D>, mut chosen: u32) {
        while chosen != 0 {
            let part = chosen.trailing_zeros() as usize;
            let (block, lane) = (part / LANES, part % LANES);
            let mut row = [0.0, 0.0, 0.0, node.mass[block][lane]];
            for axis in 0..D {
                row[axis] = node.centre[axis][block][lane];
            }
            self.near[self.near_count] = row;
            self.near_count += 1;
            chosen &= chosen - 1;
        }
    }

    #[inline(always)]
    fn push_leaves(&mut self, rows: &[Row<f64>], mut chosen: u32) {
        while chosen != 0 {
            let leaf = chosen.trailing_zeros() as usize;
            self.near[self.near_count..][..LEAF].copy_from_slice(&rows[leaf * LEAF..][..LEAF]);
            self.near_count += LEAF;
            chosen &= chosen - 1;
        }
    }

    #[inline(always)]
    fn push_nodes(&mut self, first: usize, mut chosen: u32) {
        while chosen != 0 {
            self.open.push(first + chosen.trailing_zeros() as usize);
            chosen &= chosen - 1;
        }
    }
}

/// Makes a list at least so long.
#[inline(always)]
fn grow<T: Copy + Default>(list: &mut Vec<T>, len: usize) -> Result<()> {
    if list.len() < len {
        list.try_reserve(len - list.len()).map_err(|_| out_of_memory::<T>(len))?;
        list.resize(list.capacity(), T::default());
    }
    Ok(())
}

impl Choice {
    /// A part is far if its centre of mass is farther from the box of the group than its reach.
    #[inline(always)]
    fn of<S: Simd, const D: usize>(node: &Node<D>, units: &Units<D>) -> Self {
        let (mut far, mut single, mut real) = (0, 0, 0);
        let mut columns = [[S::Block::ZERO; 2]; 4];
        for half in 0..2 {
            let mass = S::Block::new(node.mass[half]);
            let mut square = S::Block::ZERO;
            for axis in 0..D {
                let centre = S::Block::new(node.centre[axis][half]);
                let (lower, upper) = (S::Block::splat(units.lower[axis]), S::Block::splat(units.upper[axis]));
                let outside = (lower - centre).max(centre - upper).max(S::Block::ZERO);
                square += outside * outside;
                columns[axis][half] =
                    (centre - S::Block::splat(units.origin[axis])) * S::Block::splat(units.per_length);
            }
            columns[MASS][half] = mass * S::Block::splat(units.per_mass);
            let fits = S::Block::splat(units.from2).le(square) & S::Block::splat(units.least_mass).le(mass);
            let shift = half * LANES;
            far |= S::Block::new(node.reach2[half]).lt(square).bits() << shift;
            single |= fits.bits() << shift;
            real |= S::Block::ZERO.lt(mass).bits() << shift;
        }
        let mut blocks = [S::Block32::ZERO; 4];
        for column in 0..4 {
            blocks[column] = S::to_single(columns[column][0], columns[column][1]);
        }
        let far = far & real;
        Self {
            single: far & single,
            double: far & !single,
            opened: real & !far,
            rows: S::Block32::rows_of_quads(blocks),
        }
    }
}
