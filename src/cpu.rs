//! Whether this CPU has the instructions this build was compiled for.
//!
//! A build for x86-64-v3 dies of an illegal instruction on an older CPU. The tool and the C ABI ask here first and
//! say so instead. The standard library cannot be asked: its detection is folded to "yes" by a build for v3.

use crate::error::{Error, Result};

/// What a build for the default target of this repository needs.
const NEEDS: &str = "AVX2, FMA and BMI2 (x86-64-v3)";

/// [`UnsupportedCpu`](Error::UnsupportedCpu) if this build uses instructions that this CPU lacks.
///
/// Call it before anything else of carom. What runs before it, and this itself, must get along without vector
/// instructions, so compare [`is_supported`] where even building an [`Error`] is too much.
pub fn check() -> Result<()> {
    if is_supported() { Ok(()) } else { Err(Error::UnsupportedCpu { needs: NEEDS }) }
}

/// Whether this CPU has the instructions this build uses.
#[inline(never)]
#[must_use]
pub fn is_supported() -> bool {
    detect()
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
fn detect() -> bool {
    true
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
fn detect() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    /// SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C.
    const LEAF_1_ECX: u32 =
        1 | 1 << 9 | 1 << 12 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 22 | 1 << 23 | 1 << 27 | 1 << 28 | 1 << 29;
    /// BMI1, AVX2, BMI2.
    const LEAF_7_EBX: u32 = 1 << 3 | 1 << 5 | 1 << 8;
    /// LAHF/SAHF and LZCNT.
    const LEAF_EXTENDED_1_ECX: u32 = 1 | 1 << 5;
    const EXTENDED: u32 = 0x8000_0000;

    let has = |register: u32, bits: u32| register & bits == bits;
    __cpuid(0).eax >= 7
        && __cpuid(EXTENDED).eax > EXTENDED
        && has(__cpuid(1).ecx, LEAF_1_ECX)
        && has(__cpuid_count(7, 0).ebx, LEAF_7_EBX)
        && has(__cpuid(EXTENDED + 1).ecx, LEAF_EXTENDED_1_ECX)
        && system_keeps_vector_registers()
}

/// Whether the operating system saves the SSE and AVX registers. Asked only once OSXSAVE is known to be there.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
fn system_keeps_vector_registers() -> bool {
    const SSE_AND_AVX: u64 = 0b110;
    // SAFETY: the caller has seen the OSXSAVE bit, so the instruction exists and user code may run it.
    let saved = unsafe { std::arch::x86_64::_xgetbv(0) };
    saved & SSE_AND_AVX == SSE_AND_AVX
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_cpu_that_runs_the_tests_is_supported() {
        assert!(super::is_supported());
        assert_eq!(super::check(), Ok(()));
    }
}
