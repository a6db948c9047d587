//! Two numbers, each cut to half its size, in the place of one.

use crate::soa::block::Singles;

/// The bits of an `f32` that stay when its number is cut to half its size.
const UPPER_HALF: u32 = 0xFFFF_0000;

/// Two numbers, both cut towards 0 to half their size, in the place of one.
#[inline(always)]
pub(super) fn join_halves<B: Singles>(upper: B, lower: B) -> B {
    (upper & B::broadcast(f32::from_bits(UPPER_HALF))) | lower.shift_right::<16>()
}

/// The two numbers that [`join_halves`] put together.
#[inline(always)]
pub(super) fn halves<B: Singles>(joined: B) -> [B; 2] {
    [joined & B::broadcast(f32::from_bits(UPPER_HALF)), joined.shift_left::<16>()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::block::LANES32;
    use crate::soa::level::{self, Kernel};
    use crate::soa::simd::Simd;

    #[derive(Clone)]
    struct JoinAndPart([[f32; LANES32]; 2]);

    impl Kernel for JoinAndPart {
        type Output = [[f32; LANES32]; 2];

        #[inline(always)]
        fn run<S: Simd>(self) -> Self::Output {
            let [upper, lower] = self.0.map(S::Block32::new);
            halves(join_halves(upper, lower)).map(Singles::to_array)
        }
    }

    #[test]
    fn halves_hold_the_upper_bits() {
        let twice = |[a, b, c, d]: [f32; 4]| [a, b, c, d, a, b, c, d];
        let kernel = JoinAndPart([twice([1.0, -2.5, 0.0, 1e30]), twice([3.0, 0.1, 7.0, f32::INFINITY])]);
        for [upper, lower] in level::run_at_each_level(&kernel) {
            assert_eq!(
                (upper[0], upper[1], upper[2], lower[0], lower[7]),
                (1.0, -2.5, 0.0, 3.0, f32::INFINITY)
            );
            assert!(lower[1] <= 0.1 && lower[1] > 0.0992 && upper[3] <= 1e30 && upper[3] > 0.99e30);
        }
    }
}
