//! Angles: sine and cosine of an angle, and the angle of a direction, with the same bits on every machine.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI, TAU};

use crate::soa::block::{Doubles, LANES};
use crate::soa::functions::{ROUNDING, cos_sin_near_zero, nearest_whole, polynomial};

/// A right angle in four parts of 33 bits and a rest (FDLIBM): products of the first three with whole numbers below 2^20
/// are exact.
const RIGHT_ANGLE: [f64; 4] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_711_166_5e-21,
    8.478_427_660_368_9e-32,
];

/// What pi lacks as `f64` has it.
const PI_REST: f64 = 1.224_646_799_147_353_2e-16;

/// Angles above it are reduced by full turns as `f64` has them.
const LARGEST_EXACT: f64 = 1e6;

/// Cosine and sine of any finite angle in radians, with an error below 3e-16 up to 10^6 rad.
///
/// Beyond, full turns are taken away as `f64` has them, which is off by 4e-17 of the angle.
pub(crate) fn cos_sin(angle: f64) -> [f64; 2] {
    // The remainder is exact, so that it has the same bits everywhere.
    let angle = if angle.abs() <= LARGEST_EXACT { angle } else { angle % TAU };
    let quarter = (angle * FRAC_2_PI + ROUNDING) - ROUNDING;
    let near = angle - quarter * RIGHT_ANGLE[0];
    let rest = quarter * RIGHT_ANGLE[1] + (quarter * RIGHT_ANGLE[2] + quarter * RIGHT_ANGLE[3]);
    let [cos, sin] = cos_sin_near_zero(near - rest);
    // From -2 to 2 quarters.
    match (quarter - 4.0 * ((quarter * 0.25 + ROUNDING) - ROUNDING)) as i8 {
        0 => [cos, sin],
        1 => [-sin, cos],
        -1 => [sin, -cos],
        _ => [-cos, -sin],
    }
}

/// The same for blocks, to the bit.
#[inline(always)]
pub(crate) fn cos_sin_of_blocks<B: Doubles>(angle: B) -> [B; 2] {
    let is_exact = angle.abs().le(B::splat(LARGEST_EXACT)).bits() == (1 << LANES) - 1;
    if !is_exact {
        return one_by_one(angle);
    }
    let quarter = nearest_whole(angle * B::splat(FRAC_2_PI));
    let near = angle - quarter * B::splat(RIGHT_ANGLE[0]);
    let rest = quarter * B::splat(RIGHT_ANGLE[1])
        + (quarter * B::splat(RIGHT_ANGLE[2]) + quarter * B::splat(RIGHT_ANGLE[3]));
    let [cos, sin] = cos_sin_near_zero(near - rest);
    // From -2 to 2 quarters.
    let quarter = quarter - B::splat(4.0) * nearest_whole(quarter * B::splat(0.25));
    let is_odd = quarter.abs().equals(B::ONE);
    let (x, y) = (is_odd.select(sin, cos), is_odd.select(cos, sin));
    let is_opposite = quarter.abs().equals(B::splat(2.0));
    let turns_x = quarter.equals(B::ONE) | is_opposite;
    let turns_y = quarter.equals(-B::ONE) | is_opposite;
    [turns_x.select(-x, x), turns_y.select(-y, y)]
}

#[cold]
fn one_by_one<B: Doubles>(angles: B) -> [B; 2] {
    let both = angles.to_array().map(cos_sin);
    [B::new(both.map(|[cos, _]| cos)), B::new(both.map(|[_, sin]| sin))]
}

/// The angle from the first axis to a direction, from -pi to pi in radians; 0 for the vector 0.
pub(crate) fn angle_of(x: f64, y: f64) -> f64 {
    let (low, high) = if x.abs() < y.abs() { (x.abs(), y.abs()) } else { (y.abs(), x.abs()) };
    let octant = if high > 0.0 { arc_tangent(low / high) } else { 0.0 };
    let quadrant = if x.abs() < y.abs() { FRAC_PI_2 - (octant - 0.5 * PI_REST) } else { octant };
    let half = if x < 0.0 { PI - (quadrant - PI_REST) } else { quadrant };
    if y < 0.0 { -half } else { half }
}

/// The arc tangent of a number from 0 to 1 (FDLIBM).
fn arc_tangent(x: f64) -> f64 {
    // Around 1/2 and 1 by the addition theorem, so that the series has a small argument.
    let [at, rest, t] = if x < 0.4375 {
        [0.0, 0.0, x]
    } else if x < 0.6875 {
        [0.463_647_609_000_806_1, 2.269_877_745_296_168_7e-17, (2.0 * x - 1.0) / (2.0 + x)]
    } else {
        [FRAC_PI_4, 3.061_616_997_868_383e-17, (x - 1.0) / (x + 1.0)]
    };
    let z = t * t;
    let series = polynomial(
        z,
        [
            0.333_333_333_333_329_3,
            -0.199_999_999_998_764_83,
            0.142_857_142_725_034_66,
            -0.111_111_104_054_623_56,
            0.090_908_871_334_365_07,
            -0.076_918_762_050_448_3,
            0.066_610_731_373_875_31,
            -0.058_335_701_337_905_735,
            0.049_768_779_946_159_324,
            -0.036_531_572_744_216_916,
            0.016_285_820_115_365_782,
        ],
    );
    at - ((t * z * series - rest) - t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::level::{Kernel, run_at_each_level};
    use crate::soa::simd::Simd;

    fn spread(from: f64, to: f64, count: u32) -> impl Iterator<Item = f64> {
        (0..=count).map(move |k| from + (to - from) * f64::from(k) / f64::from(count))
    }

    fn worst_cos_sin(angles: impl Iterator<Item = f64>) -> f64 {
        angles
            .map(|angle| {
                let [cos, sin] = cos_sin(angle);
                f64::max((cos - angle.cos()).abs(), (sin - angle.sin()).abs())
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn cosines_and_sines_are_those_of_the_standard_library() {
        assert!(worst_cos_sin(spread(-10.0, 10.0, 100_000)) < 4e-16);
        assert!(worst_cos_sin(spread(-1e6, 1e6, 100_003)) < 4e-16);
        assert!(worst_cos_sin((0..600_000).map(|k| f64::from(k) * FRAC_PI_2)) < 4e-16);
        assert!(worst_cos_sin(spread(1e7, 1e8, 1000)) < 1e-8);
        assert_eq!(cos_sin(0.0), [1.0, 0.0]);
        assert!(cos_sin(f64::MAX).iter().all(|x| x.abs() <= 1.0));
    }

    #[derive(Clone)]
    struct OfBlocks([f64; LANES]);

    impl Kernel for OfBlocks {
        type Output = [[f64; LANES]; 2];

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            cos_sin_of_blocks(S::Block::new(self.0)).map(Doubles::to_array)
        }
    }

    #[test]
    fn blocks_have_the_same_bits() {
        let quarters = (-9..=9).flat_map(|k| [-1e-9, 0.0, 1e-9].map(|by| f64::from(k) * FRAC_PI_4 + by));
        let angles: Vec<f64> =
            quarters.chain(spread(-1e6, 1e6, 1003)).chain([-0.0, 1e7, -3e300, 0.3]).collect();
        for four in angles.windows(LANES).map(|four| <[f64; LANES]>::try_from(four).unwrap()) {
            let expected = four.map(cos_sin);
            for [cos, sin] in run_at_each_level(&OfBlocks(four)) {
                for lane in 0..LANES {
                    let found = [cos[lane], sin[lane]].map(f64::to_bits);
                    assert_eq!(found, expected[lane].map(f64::to_bits), "{}", four[lane]);
                }
            }
        }
    }

    #[test]
    fn angles_are_those_of_the_standard_library() {
        for angle in spread(-PI, PI, 100_000) {
            let (x, y) = (3.0 * angle.cos(), 3.0 * angle.sin());
            assert!((angle_of(x, y) - y.atan2(x)).abs() < 4.5e-16, "{angle}");
            let [cos, sin] = cos_sin(angle_of(x, y));
            assert!((cos - x / 3.0).abs() < 7e-16 && (sin - y / 3.0).abs() < 7e-16, "{angle}");
        }
    }

    #[test]
    fn angles_of_axes_are_exact() {
        let angles = [(1.0, 0.0), (0.0, 2.0), (-1.0, 0.0), (0.0, -1e-300), (1e300, 1e300), (0.0, 0.0)];
        let known = [0.0, FRAC_PI_2, PI, -FRAC_PI_2, PI / 4.0, 0.0];
        assert_eq!(angles.map(|(x, y)| angle_of(x, y)), known);
    }
}
