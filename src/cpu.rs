//! Whether this CPU has the instructions this build was compiled for.
//!
//! A build for x86-64-v3 ends with an illegal instruction on an older CPU. The tool and the C ABI check first and report
//! it instead. The detection of the standard library does not help: a build for v3 folds it to `true`. The test of the
//! C ABI runs on an emulated older CPU.

use crate::error::{Error, Result};

/// What a build for x86-64-v3 needs.
const NEEDS: &str = "AVX2, FMA and BMI2 (x86-64-v3)";

/// [`UnsupportedCpu`](Error::UnsupportedCpu) if this build uses instructions that this CPU lacks.
///
/// Call it before anything else of carom. Code that runs before it must not use vector instructions; where even the
/// construction of an [`Error`] may use them, call [`is_supported`].
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

/// Whether the operating system saves the SSE and AVX registers. Called only if the CPU has OSXSAVE.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
fn system_keeps_vector_registers() -> bool {
    const SSE_AND_AVX: u64 = 0b110;
    // SAFETY: the caller has seen the OSXSAVE bit, so the instruction exists and user code may run it.
    let saved = unsafe { std::arch::x86_64::_xgetbv(0) };
    saved & SSE_AND_AVX == SSE_AND_AVX
}

#[cfg(all(test, target_arch = "x86_64", target_feature = "avx2"))]
mod tests {
    /// What the kernel lists for the CPU is independent of the detection here and of the target of the build.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_answer_is_that_of_the_system() {
        let listed = std::fs::read_to_string("/proc/cpuinfo").expect("Linux lists its CPUs");
        let flags: Vec<&str> = listed
            .lines()
            .find(|line| line.starts_with("flags"))
            .expect("every CPU has flags")
            .split_whitespace()
            .collect();
        let needed = ["avx2", "fma", "bmi1", "bmi2", "f16c", "movbe", "popcnt", "abm"];
        assert_eq!(super::is_supported(), needed.iter().all(|flag| flags.contains(flag)));
        assert_eq!(super::check().is_ok(), super::is_supported());
    }
}
