//! Lattices: positions for many balls, as far apart as the region allows.

/// The region in which balls are placed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    /// Lowest and highest corner, in metres; axes from `dim` on are not used.
    pub(super) lower: [f64; 3],
    pub(super) upper: [f64; 3],
    /// Axes along which balls must be inside as a whole; along the others only their centres must be.
    pub(super) walled: [bool; 3],
    pub(super) dim: usize,
}

impl Region {
    /// Lower and upper end along the periodic axes.
    pub(super) fn periodic(&self) -> [Option<[f64; 2]>; 3] {
        [0, 1, 2].map(|axis| {
            let closes = axis < self.dim && !self.walled[axis];
            closes.then_some([self.lower[axis], self.upper[axis]])
        })
    }
}

/// A pattern of sites that fills space.
struct Pattern {
    /// Sites within a cell, as fractions of its sides. They are symmetric, so that the gaps at both faces of a region are equal.
    basis: &'static [[f64; 3]],
    /// Ratios of the sides of a cell for which the sites are farthest apart.
    proportions: [f64; 3],
}

const ROW: Pattern = Pattern { basis: &[[0.5, 0.5, 0.5]], proportions: [1.0; 3] };
const SQUARE: Pattern = ROW;
/// Two rows of a triangular lattice; the second side of a cell is the square root of 3.
const TRIANGULAR: Pattern = Pattern {
    basis: &[[0.25, 0.25, 0.5], [0.75, 0.75, 0.5]],
    proportions: [1.0, 1.732_050_807_568_877_2, 1.0],
};
const FACE_CENTRED: Pattern = Pattern {
    basis: &[[0.25, 0.25, 0.25], [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75]],
    proportions: [1.0; 3],
};
const BODY_CENTRED: Pattern =
    Pattern { basis: &[[0.25, 0.25, 0.25], [0.75, 0.75, 0.75]], proportions: [1.0; 3] };
const SIMPLE_CUBIC: Pattern = ROW;

/// The patterns of a dimension, the usual one first; the others are for counts and regions that it does not fit.
fn patterns(dim: usize) -> &'static [Pattern] {
    match dim {
        1 => &[ROW],
        2 => &[SQUARE, TRIANGULAR],
        _ => &[FACE_CENTRED, BODY_CENTRED, SIMPLE_CUBIC],
    }
}

/// Factor on distances of sites so that rounding cannot make balls overlap.
pub(super) const CLEARANCE: f64 = 1.0 + 1e-9;

/// Centres of `count` balls of this radius on a lattice; `None` if they do not fit on any lattice.
///
/// Equidistant in one dimension, square or triangular in two, face-centred cubic in three (or body-centred or simple
/// where only those fit). Where the lattice has more sites, the empty ones are spread evenly.
pub(super) fn sites(region: &Region, count: usize, radius: f64) -> Option<Vec<[f64; 3]>> {
    if count == 0 {
        return Some(Vec::new());
    }
    let lattice = patterns(region.dim)
        .iter()
        .flat_map(|pattern| cell_counts(pattern, region, count).map(move |cells| (pattern, cells)))
        .filter_map(|(pattern, cells)| Lattice::new(pattern, region, cells, radius))
        .find(|lattice| lattice.spacing() >= 2.0 * radius * CLEARANCE)?;
    Some(spread(count, lattice.len()).map(|site| lattice.site(site)).collect())
}

/// Indices of `count` out of at least as many sites such that the empty ones are spread evenly.
pub(super) fn spread(count: usize, total: usize) -> impl Iterator<Item = usize> {
    // The sites at which the proportional count of balls increases by one.
    let share = move |site: usize| site as u128 * count as u128 / total as u128;
    (0..total).filter(move |&site| share(site + 1) > share(site))
}

/// A pattern fitted to a region.
struct Lattice<'a> {
    pattern: &'a Pattern,
    dim: usize,
    cells: [usize; 3],
    /// Sides of a cell, in metres.
    cell: [f64; 3],
    /// Corner of the first cell, in metres.
    origin: [f64; 3],
}

impl<'a> Lattice<'a> {
    /// A lattice with this many cells along each axis; `None` if it does not fit between the walls.
    fn new(pattern: &'a Pattern, region: &Region, cells: [usize; 3], radius: f64) -> Option<Self> {
        let (mut cell, mut origin) = ([1.0; 3], [0.0; 3]);
        for axis in 0..region.dim {
            let side = region.upper[axis] - region.lower[axis];
            let gap = pattern.basis.iter().map(|site| site[axis]).fold(1.0, f64::min);
            // In cells: the first and last sites are this far from the faces, and this far from each other.
            let (margin, length) = (gap, cells[axis] as f64 - 2.0 * gap);
            cell[axis] = side / cells[axis] as f64;
            if region.walled[axis] && margin * cell[axis] < radius {
                // Compressed, so that the outermost balls touch the walls.
                let free = side - 2.0 * radius;
                if free < 0.0 || length == 0.0 {
                    return None;
                }
                cell[axis] = free / length;
            }
            origin[axis] = 0.5 * (region.lower[axis] + region.upper[axis] - cells[axis] as f64 * cell[axis]);
        }
        Some(Self { pattern, dim: region.dim, cells, cell, origin })
    }

    fn len(&self) -> usize {
        self.cells[..self.dim].iter().product::<usize>() * self.pattern.basis.len()
    }

    /// The smallest distance of two sites, in metres, also from one end of the region to the other.
    fn spacing(&self) -> f64 {
        let basis = self.pattern.basis;
        let mut least = f64::INFINITY;
        for (one, two) in basis.iter().flat_map(|one| basis.iter().map(move |two| (one, two))) {
            for neighbour in 0..3_usize.pow(self.dim as u32) {
                let distance = self.distance(one, two, neighbour);
                if distance > 0.0 {
                    least = least.min(distance);
                }
            }
        }
        least
    }

    /// Distance from a site of a cell to a site of a neighbouring cell, whose number has one base-3 digit per axis.
    fn distance(&self, one: &[f64; 3], two: &[f64; 3], mut neighbour: usize) -> f64 {
        let mut square = 0.0;
        for axis in 0..self.dim {
            let step = (neighbour % 3) as f64 - 1.0;
            neighbour /= 3;
            let difference = (one[axis] - two[axis] + step) * self.cell[axis];
            square += difference * difference;
        }
        square.sqrt()
    }

    fn site(&self, index: usize) -> [f64; 3] {
        let basis = self.pattern.basis[index % self.pattern.basis.len()];
        let mut cell = index / self.pattern.basis.len();
        let mut site = [0.0; 3];
        for axis in 0..self.dim {
            site[axis] =
                self.origin[axis] + ((cell % self.cells[axis]) as f64 + basis[axis]) * self.cell[axis];
            cell /= self.cells[axis];
        }
        site
    }
}

/// Numbers of cells with at least `count` sites. The first has cells of the best proportions; in two dimensions, where
/// a triangular lattice may fit in one orientation only, all others follow.
fn cell_counts(pattern: &Pattern, region: &Region, count: usize) -> impl Iterator<Item = [usize; 3]> {
    let best = even_cells(pattern, region, count);
    let sites = pattern.basis.len();
    let widths = if region.dim == 2 { 1..2 * best[0] } else { 0..0 };
    std::iter::once(best).chain(widths.map(move |width| [width, count.div_ceil(width * sites), 1]))
}

/// Cells of about the best proportions: one more at a time along the axis with the longest cells.
fn even_cells(pattern: &Pattern, region: &Region, count: usize) -> [usize; 3] {
    let mut cells = [1_usize; 3];
    let enough = |cells: &[usize; 3]| {
        let sites = cells[..region.dim].iter().fold(pattern.basis.len(), |n, &cells| n.saturating_mul(cells));
        sites >= count
    };
    let length = |cells: &[usize; 3], axis: usize| {
        (region.upper[axis] - region.lower[axis]) / (pattern.proportions[axis] * cells[axis] as f64)
    };
    while !enough(&cells) {
        let mut longest = 0;
        for axis in 1..region.dim {
            if length(&cells, axis) > length(&cells, longest) {
                longest = axis;
            }
        }
        cells[longest] += 1;
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(dim: usize, side: f64, walled: bool) -> Region {
        Region { lower: [0.0; 3], upper: [side; 3], walled: [walled; 3], dim }
    }

    /// The smallest distance of two sites, through the faces too if the region has no walls.
    fn least_distance(sites: &[[f64; 3]], region: &Region) -> f64 {
        let mut least = f64::INFINITY;
        for (n, one) in sites.iter().enumerate() {
            for two in &sites[..n] {
                let component = |axis: usize| {
                    let (d, side) = ((one[axis] - two[axis]).abs(), region.upper[axis] - region.lower[axis]);
                    if region.walled[axis] { d } else { d.min(side - d) }
                };
                least = least.min((0..region.dim).map(|axis| component(axis).powi(2)).sum::<f64>().sqrt());
            }
        }
        least
    }

    #[test]
    fn four_k_cubed_balls_fill_a_face_centred_lattice() {
        for k in 1..5_usize {
            let region = cube(3, k as f64, false);
            let sites = sites(&region, 4 * k * k * k, 0.3).unwrap();
            assert_eq!(sites.len(), 4 * k * k * k);
            assert!(k == 1 || (least_distance(&sites, &region) - 0.5_f64.sqrt()).abs() < 1e-12);
        }
    }

    #[test]
    fn any_number_of_balls_is_placed_without_overlap() {
        for dim in 1..=3 {
            for walled in [false, true] {
                for count in 1..60_usize {
                    let region = cube(dim, crate::random::root(count as f64 / 0.4, dim).max(2.0), walled);
                    let sites = sites(&region, count, 0.5).unwrap_or_else(|| panic!("{count} in {dim}D"));
                    assert_eq!(sites.len(), count);
                    assert!(count == 1 || least_distance(&sites, &region) > 1.0, "{count} in {dim}D");
                    let gap = if walled { 0.5 } else { 0.0 };
                    let inside = |x: f64| x >= gap - 1e-12 && x <= region.upper[0] - gap + 1e-12;
                    assert!(sites.iter().all(|site| site[..dim].iter().all(|&x| inside(x))));
                }
            }
        }
    }

    #[test]
    fn disks_too_dense_for_a_square_lattice_get_a_triangular_one() {
        // Packing 0.85: the limit of the square lattice is 0.785.
        let count = 900_usize;
        let region = cube(2, (count as f64 * std::f64::consts::PI / 4.0 / 0.85).sqrt(), false);
        let sites = sites(&region, count, 0.5).unwrap();
        assert_eq!(sites.len(), count);
        assert!(least_distance(&sites, &region) > 1.0);
    }

    #[test]
    fn balls_that_do_not_fit_are_refused() {
        assert!(sites(&cube(3, 1.0, false), 8, 0.5).is_none());
        assert!(sites(&cube(2, 0.9, true), 1, 0.5).is_none());
        assert!(sites(&cube(1, 10.0, true), 11, 0.5).is_none());
        assert!(sites(&cube(1, 10.1, true), 10, 0.5).is_some());
    }

    #[test]
    fn long_regions_get_more_cells_along_their_length() {
        let region = Region { lower: [0.0; 3], upper: [8.0, 2.0, 0.0], walled: [true; 3], dim: 2 };
        let sites = sites(&region, 16, 0.4).unwrap();
        assert_eq!(sites.len(), 16);
        assert!((least_distance(&sites, &region) - 1.0).abs() < 1e-12);
    }
}
