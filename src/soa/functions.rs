//! Logarithm, exponential function, sine and cosine, and cube root of blocks.
//!
//! They use nothing but sums, products, quotients and roots, each rounded once, so that every machine and every build gives
//! the same bits; those of a C library do not. The polynomials and their coefficients are those of FDLIBM (Sun Microsystems,
//! 1993), with errors below one unit in the last place.

use super::block::{Doubles, Quantity, each};
use super::simd::{mantissa_and_exponent, power_of_two};

/// ln 2 cut to 33 bits, and the rest: products of the first with exponents are exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// Adding and subtracting it rounds to the nearest whole number.
pub(crate) const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// The polynomial with these coefficients, the constant first (Horner).
#[inline(always)]
pub(crate) fn polynomial<B: Quantity, const N: usize>(x: B, coefficients: [f64; N]) -> B {
    let mut sum = B::splat(coefficients[N - 1]);
    for k in (0..N - 1).rev() {
        sum = sum * x + B::splat(coefficients[k]);
    }
    sum
}

/// The nearest whole number of each lane, below 2^51.
#[inline(always)]
pub(crate) fn nearest_whole<B: Doubles>(x: B) -> B {
    (x + B::splat(ROUNDING)) - B::splat(ROUNDING)
}

/// Natural logarithm of positive, normal numbers.
#[inline(always)]
pub(crate) fn ln<B: Doubles>(x: B) -> B {
    let [mantissa, exponent] = mantissa_and_exponent(x);
    let f = mantissa - B::splat(1.0);
    let s = f / (f + B::splat(2.0));
    let z = s * s;
    let rest = z * polynomial(
        z,
        [
            0.666_666_666_666_673_5,
            0.399_999_999_994_094_2,
            0.285_714_287_436_623_9,
            0.222_221_984_321_497_84,
            0.181_835_721_616_180_5,
            0.153_138_376_992_093_73,
            0.147_981_986_051_165_86,
        ],
    );
    let half_square = B::splat(0.5) * f * f;
    let low = s * (half_square + rest) + exponent * B::splat(LN_2[1]);
    exponent * B::splat(LN_2[0]) - ((half_square - low) - f)
}

/// The exponential function, from -700 to 700.
#[inline(always)]
pub(crate) fn exp<B: Doubles>(x: B) -> B {
    let exponent = nearest_whole(x * B::splat(std::f64::consts::LOG2_E));
    let (high, low) = (x - exponent * B::splat(LN_2[0]), exponent * B::splat(LN_2[1]));
    let r = high - low;
    let z = r * r;
    let c = r - z * polynomial(
        z,
        [
            0.166_666_666_666_666_02,
            -0.002_777_777_777_701_559_3,
            6.613_756_321_437_934e-5,
            -1.653_390_220_546_525_2e-6,
            4.138_136_797_057_238_5e-8,
        ],
    );
    let power = B::splat(1.0) - ((low - r * c / (B::splat(2.0) - c)) - high);
    power * power_of_two(exponent)
}

/// Cosine and sine of an angle from -pi/4 to pi/4, in radians.
#[inline(always)]
pub(crate) fn cos_sin_near_zero<B: Quantity>(t: B) -> [B; 2] {
    let z = t * t;
    let sine = t + t
        * z
        * polynomial(
            z,
            [
                -0.166_666_666_666_666_32,
                0.008_333_333_333_322_49,
                -0.000_198_412_698_298_579_5,
                2.755_731_370_707_006_8e-6,
                -2.505_076_025_340_686_3e-8,
                1.589_690_995_211_55e-10,
            ],
        );
    let rest = z
        * z
        * polynomial(
            z,
            [
                0.041_666_666_666_666_6,
                -0.001_388_888_888_887_411,
                2.480_158_728_947_673e-5,
                -2.755_731_435_139_066_3e-7,
                2.087_572_321_298_175e-9,
                -1.135_964_755_778_819_5e-11,
            ],
        );
    let half = z * B::splat(0.5);
    let most = B::splat(1.0) - half;
    let cosine = most + (((B::splat(1.0) - most) - half) + rest);
    [cosine, sine]
}

/// Cosine and sine of `turns` full turns, from 0 to 1.
#[inline(always)]
pub(crate) fn cos_sin<B: Doubles>(turns: B) -> [B; 2] {
    let quarter = nearest_whole(turns * B::splat(4.0));
    let t = (turns - quarter * B::splat(0.25)) * B::splat(std::f64::consts::TAU);
    let [cosine, sine] = cos_sin_near_zero(t);
    let [is_one, is_two, is_three] = each!(n in [0, 1, 2] => quarter.equals(B::splat([1.0, 2.0, 3.0][n])));
    let is_odd = is_one | is_three;
    let (x, y) = (is_odd.select(sine, cosine), is_odd.select(cosine, sine));
    [(is_one | is_two).select(-x, x), (is_two | is_three).select(-y, y)]
}

/// Cube root of positive, normal numbers.
#[inline(always)]
pub(crate) fn cube_root<B: Doubles>(x: B) -> B {
    let near = exp(ln(x) * B::splat(1.0 / 3.0));
    // One step of Newton's method takes away what the logarithm of a small number has lost.
    let square = near * near;
    near - (square * near - x) / (B::splat(3.0) * square)
}

/// Two normal deviates of mean 0 and variance 1 from two numbers, uniform in (0, 1] (Box and Muller).
#[inline(always)]
pub(crate) fn normal_pair<B: Doubles>(first: B, second: B) -> [B; 2] {
    let radius = (B::splat(-2.0) * ln(first)).sqrt();
    let [cosine, sine] = cos_sin(second);
    [radius * cosine, radius * sine]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::level::Portable;
    use crate::soa::simd::Simd;

    type Block = <Portable as Simd>::Block;

    fn splat(value: f64) -> Block {
        Quantity::splat(value)
    }

    /// The largest distance of a function from its value in the standard library, as a share of `scale`.
    fn worst(
        inputs: impl Iterator<Item = f64>,
        function: fn(Block) -> Block,
        known: fn(f64) -> f64,
        scale: fn(f64) -> f64,
    ) -> f64 {
        inputs
            .map(|x| {
                let [value, _, _, again] = function(splat(x)).to_array();
                assert_eq!(value.to_bits(), again.to_bits());
                ((value - known(x)) / scale(known(x))).abs()
            })
            .fold(0.0, f64::max)
    }

    fn spread(from: f64, to: f64) -> impl Iterator<Item = f64> {
        (0..=20_000).map(move |k| from + (to - from) * f64::from(k) / 20_000.0)
    }

    #[test]
    fn functions_are_those_of_the_standard_library() {
        let relative = |y: f64| if y == 0.0 { 1.0 } else { y };
        let tiny = || spread(-45.0, 0.0).map(f64::exp2).chain(spread(-65.0, -44.0).map(f64::exp2));
        assert!(worst(tiny().chain(spread(0.5, 1.6)), ln, f64::ln, relative) < 1e-15);
        assert!(worst(spread(-95.0, 95.0).chain(spread(-1.0, 1.0)), exp, f64::exp, relative) < 1e-15);
        assert!(worst(tiny().chain(spread(1e-3, 1.0)), cube_root, f64::cbrt, relative) < 1e-15);
        // The product of the standard library's argument with 2 pi is rounded, too.
        let [cosine, sine]: [fn(Block) -> Block; 2] = [|u| cos_sin(u)[0], |u| cos_sin(u)[1]];
        assert!(worst(spread(0.0, 1.0), cosine, |u| (u * std::f64::consts::TAU).cos(), |_| 1.0) < 1e-15);
        assert!(worst(spread(0.0, 1.0), sine, |u| (u * std::f64::consts::TAU).sin(), |_| 1.0) < 1e-15);
        assert_eq!(cos_sin(splat(0.25)).map(|x| x.to_array()[0]), [0.0, 1.0]);
        assert_eq!(cos_sin(splat(1.0)).map(|x| x.to_array()[0]), [1.0, 0.0]);
        assert_eq!(ln(splat(1.0)).to_array(), [0.0; 4]);
    }

    #[test]
    fn the_bits_never_change() {
        let bits = |x: Block| x.to_array()[0].to_bits();
        let [cosine, sine] = cos_sin(splat(0.3));
        let found = [ln(splat(0.3)), exp(splat(0.3)), cube_root(splat(0.3)), cosine, sine].map(bits);
        assert_eq!(found, PINNED);
    }
    const PINNED: [u64; 5] = [
        13_831_473_067_500_349_217,
        4_608_758_042_795_448_982,
        4_604_204_935_514_355_597,
        13_822_610_412_055_554_382,
        4_606_741_575_090_066_688,
    ];
}
