use super::*;
use crate::particles::Particle;
use crate::particles::gravity::LEAST_SOFTENING2;

/// Particles at random places, from coordinates of 0 to 1 and masses of 0 to 1.
fn cloud(count: usize, dim: usize) -> Particles {
    let mut seed = 1_u64;
    let mut uniform = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut particles = Particles::new(dim).unwrap();
    for _ in 0..count {
        let place: Vec<f64> = (0..dim).map(|_| uniform()).collect();
        particles.add(&Particle::sphere(&place, 0.1).with_mass(uniform())).unwrap();
    }
    particles
}

/// Numbers of particles around the sizes of leaves, groups and nodes.
const COUNTS: [usize; 12] =
    [0, 1, LEAF, LEAF + 1, GROUP, GROUP + 1, UNIT, UNIT + 1, 100, 8 * UNIT, 8 * UNIT + 1, 3000];

/// The rows of a part, with those below it.
fn rows_of<const D: usize>(tree: &Tree<D>, node: usize, part: usize) -> Vec<Row<f64>> {
    let node = &tree.nodes[node];
    if node.is_lowest {
        return tree.rows[node.first + part * LEAF..][..LEAF].to_vec();
    }
    let (below, parts) = (node.first + part, 0..WIDTH);
    parts
        .filter(|&part| mass_of(tree, below, part) > 0.0)
        .flat_map(|part| rows_of(tree, below, part))
        .collect()
}

fn mass_of<const D: usize>(tree: &Tree<D>, node: usize, part: usize) -> f64 {
    tree.nodes[node].mass.as_flattened()[part]
}

#[test]
fn every_particle_is_in_the_tree_once() {
    for count in COUNTS {
        let particles = cloud(count, 3);
        let tree = Tree::<3>::new(&particles, 0.5).unwrap();
        let mut found = tree.indices.clone();
        found.sort_unstable();
        assert!(found.into_iter().eq(0..count));
        assert_eq!(tree.rows.len(), count.next_multiple_of(UNIT));
        assert!(tree.rows[count..].iter().all(|row| row[MASS] == 0.0));
        for (row, &index) in tree.rows.iter().zip(&tree.indices) {
            assert_eq!(row[MASS], particles.mass.as_slice()[index]);
            assert_eq!(row[1], particles.position[1].as_slice()[index]);
        }
    }
}

#[test]
fn parts_have_the_mass_and_the_extent_of_their_particles() {
    for count in COUNTS {
        let tree = Tree::<3>::new(&cloud(count, 3), 0.5).unwrap();
        for node in 0..tree.nodes.len() {
            for part in 0..WIDTH {
                let mass = mass_of(&tree, node, part);
                if mass == 0.0 {
                    continue;
                }
                let rows = rows_of(&tree, node, part);
                assert!((rows.iter().map(|row| row[MASS]).sum::<f64>() - mass).abs() < 1e-9);
                let bounds = |axis: usize| {
                    let places = rows.iter().filter(|row| row[MASS] > 0.0).map(|row| row[axis]);
                    places.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
                };
                for axis in 0..3 {
                    let moment: f64 = rows.iter().map(|row| row[MASS] * row[axis]).sum();
                    let centre = tree.nodes[node].centre[axis].as_flattened()[part];
                    assert!((moment / mass - centre).abs() < 1e-12, "{centre}");
                    assert!((bounds(axis)[0]..=bounds(axis)[1]).contains(&centre));
                }
                let edge = (0..3).map(|axis| bounds(axis)[1] - bounds(axis)[0]).fold(0.0, f64::max);
                assert_eq!(tree.nodes[node].reach2.as_flattened()[part], (edge / 0.5) * (edge / 0.5));
            }
        }
        let all: f64 = tree.rows.iter().map(|row| row[MASS]).sum();
        let root: f64 = (0..WIDTH).filter(|_| count > 0).map(|part| mass_of(&tree, 0, part)).sum();
        assert!((root - all).abs() < 1e-9);
    }
}

/// The scalar twin: what the particles of a group feel, each by a walk in double precision, and the sums of magnitudes.
fn felt_scalar<const D: usize>(tree: &Tree<D>, group: &[Row<f64>], softening2: f64) -> Vec<([f64; D], f64)> {
    let bounds = |axis: usize| {
        let places = group.iter().map(|row| row[axis]);
        places.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
    };
    let mut sources = Vec::new();
    let mut open = vec![0];
    while let Some(n) = open.pop() {
        let node = &tree.nodes[n];
        for part in (0..WIDTH).filter(|&part| mass_of(tree, n, part) > 0.0) {
            let mut row = [0.0, 0.0, 0.0, mass_of(tree, n, part)];
            let mut square = 0.0;
            for axis in 0..D {
                row[axis] = node.centre[axis].as_flattened()[part];
                let [lower, upper] = bounds(axis);
                square += (lower - row[axis]).max(row[axis] - upper).max(0.0).powi(2);
            }
            if square > node.reach2.as_flattened()[part] {
                sources.push(row);
            } else if node.is_lowest {
                sources.extend(rows_of(tree, n, part));
            } else {
                open.push(node.first + part);
            }
        }
    }
    let felt = |target: &Row<f64>| {
        let (mut sum, mut magnitude) = ([0.0; D], 0.0);
        for source in &sources {
            let towards: [f64; D] = std::array::from_fn(|axis| source[axis] - target[axis]);
            let square = towards.iter().map(|x| x * x).sum::<f64>();
            let pull = source[MASS] / ((square + softening2) * (square + softening2).sqrt());
            sum.iter_mut().zip(towards).for_each(|(sum, x)| *sum += x * pull);
            magnitude += square.sqrt() * pull;
        }
        (sum, magnitude)
    };
    group.iter().map(felt).collect()
}

fn assert_like_the_twin<const D: usize>(particles: &Particles, opening: f64, softening2: f64) {
    let tree = Tree::<D>::new(particles, opening).unwrap();
    let groups = tree.rows.len() / GROUP;
    let mut felt = vec![[[0.0; GROUP]; D]; groups];
    level::run(Piece { tree: &tree, first: 0, softening2, felt: &mut felt }).unwrap();
    for (group, felt) in tree.rows.chunks(GROUP).zip(felt) {
        for (n, (sum, magnitude)) in felt_scalar(&tree, group, softening2).into_iter().enumerate() {
            for axis in 0..D {
                let error = (felt[axis][n] - sum[axis]).abs();
                assert!(error <= 1e-6 * magnitude, "{error} of {magnitude}, opening {opening}");
            }
        }
    }
}

#[test]
fn lanes_sum_what_the_scalar_twin_sums() {
    for count in COUNTS.into_iter().chain([700]) {
        for (opening, softening2) in
            [(0.8, LEAST_SOFTENING2), (0.5, 0.01), (0.0, LEAST_SOFTENING2), (1.0, 1e12)]
        {
            assert_like_the_twin::<1>(&cloud(count, 1), opening, softening2);
            assert_like_the_twin::<2>(&cloud(count, 2), opening, softening2);
            assert_like_the_twin::<3>(&cloud(count, 3), opening, softening2);
        }
    }
}

/// Scales at which lengths or masses leave the range of single precision, and crowds that are small in the whole.
#[test]
fn lanes_sum_what_the_scalar_twin_sums_at_any_scale() {
    for (length, mass, far) in [
        (1e-40, 1.0, 1.0),
        (1e40, 1e-90, 1.0),
        (1e-20, 1e100, 1.0),
        (1.0, 1.0, 1e12),
        (1.0, 1e-30, 1e4),
        (1e-5, 1.0, 1e60),
    ] {
        let mut particles = cloud(600, 3);
        for (n, m) in particles.mass.as_mut_slice().iter_mut().enumerate() {
            *m *= if n % 5 == 0 { mass } else { mass * 1e-15 };
        }
        for column in &mut particles.position {
            let places = column.as_mut_slice().iter_mut().enumerate();
            places.for_each(|(n, x)| *x = *x * length + if n % 50 == 0 { far * length } else { 0.0 });
        }
        assert_like_the_twin::<3>(&particles, 0.7, LEAST_SOFTENING2);
    }
}

#[test]
fn lists_are_short_and_mostly_in_single_precision() {
    let tree = Tree::<3>::new(&cloud(3000, 3), 0.8).unwrap();
    let (mut near, mut far) = (0, 0);
    for group in tree.rows.chunks(GROUP) {
        let units = Units::new(group, &tree, LEAST_SOFTENING2);
        let mut lists = Lists::default();
        level::run(Collect { tree: &tree, units: &units, lists: &mut lists }).unwrap();
        (near, far) = (near + lists.near().len(), far + lists.far().len());
    }
    let groups = tree.rows.len() / GROUP;
    assert!(near < 300 * groups && far < 250 * groups, "{} near, {} far", near / groups, far / groups);
    assert!(far > 50 * groups, "{} far", far / groups);
}

struct Collect<'a> {
    tree: &'a Tree<3>,
    units: &'a Units<3>,
    lists: &'a mut Lists,
}

impl Kernel for Collect<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Result<()> {
        self.lists.collect::<S, 3>(self.tree, self.units)
    }
}
