//! Levels of instructions, chosen at run time: one library runs on every CPU and uses what it has, with the same bits.
//!
//! A lane kernel is a value with a `run` that is generic over `Simd`. `level::run` enters it in a function
//! compiled for the level of this process, once per call of an entry or per piece of work of a thread; everything below is
//! inlined into it. What is not inlined is right but slow: a test of the library's symbols finds it.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_wide;

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

use super::simd::Simd;
use crate::error::{Error, Result};
#[cfg(test)]
pub(crate) use portable::Portable;

/// The environment variable that forces a level, for tests: `portable`, `avx2` or `avx512`.
pub const VARIABLE: &str = "CAROM_LEVEL";

/// A level of instructions. Results do not depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Level {
    /// What every CPU of the architecture has.
    Portable = 1,
    /// AVX2 and fused products: x86-64-v3, from 2013 on.
    Avx2 = 2,
    /// AVX-512: x86-64-v4.
    Avx512 = 3,
}

impl Level {
    /// All levels, the least first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Avx2, Self::Avx512];

    /// The name that [`VARIABLE`] takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this CPU has the instructions.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => x86::has_avx512(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The level of this process: the one that [`VARIABLE`] names, or else the best that this CPU has. It is chosen once.
    ///
    /// [`UnsupportedCpu`](Error::UnsupportedCpu) if the variable names a level that this CPU lacks, or none at all.
    pub fn current() -> Result<Self> {
        chosen().map_or_else(choose, Ok)
    }

    /// Makes this the level of the process from now on, for tests; an error if this CPU lacks it.
    #[doc(hidden)]
    pub fn force(self) -> Result<()> {
        if !self.is_available() {
            return Err(Error::UnsupportedCpu { level: self.name().into() });
        }
        CHOSEN.store(self as u8, Ordering::Relaxed);
        Ok(())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let level = Self::ALL.into_iter().find(|level| level.name() == name);
        level.ok_or_else(|| Error::UnsupportedCpu { level: name.into() })
    }
}

/// The names of the levels that this CPU has, for messages.
pub(crate) fn available_names() -> String {
    let levels = Level::ALL.into_iter().filter(|level| level.is_available());
    levels.map(Level::name).collect::<Vec<_>>().join(", ")
}

/// The level of this process as a number, 0 before it is chosen. Threads that choose at the same time choose the same.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

#[inline(always)]
fn chosen() -> Option<Level> {
    match CHOSEN.load(Ordering::Relaxed) {
        1 => Some(Level::Portable),
        2 => Some(Level::Avx2),
        3 => Some(Level::Avx512),
        _ => None,
    }
}

#[cold]
fn choose() -> Result<Level> {
    let best = Level::ALL.into_iter().rfind(|level| level.is_available()).unwrap_or(Level::Portable);
    let level = match std::env::var_os(VARIABLE) {
        Some(name) => name.to_string_lossy().parse()?,
        None => best,
    };
    level.force()?;
    Ok(level)
}

/// A lane kernel with its input, to be run at a level of instructions.
pub(crate) trait Kernel: Sized {
    /// What it computes.
    type Output;

    /// The body; to be marked `#[inline(always)]`.
    fn run<S: Simd>(self) -> Self::Output;
}

/// Runs a kernel at the level of this process.
///
/// # Panics
/// If [`VARIABLE`] names a level that this CPU lacks; see [`Level::current`].
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    let level = chosen().unwrap_or_else(choose_or_panic);
    // SAFETY: only a level that this CPU has becomes that of the process.
    unsafe { run_at(level, kernel) }
}

#[cold]
fn choose_or_panic() -> Level {
    choose().unwrap_or_else(|error| panic!("{error}"))
}

/// # Safety
/// This CPU must have the level.
#[inline(always)]
unsafe fn run_at<K: Kernel>(level: Level, kernel: K) -> K::Output {
    match level {
        Level::Portable => portable::Enter::enter(kernel),
        // SAFETY: by the contract of this function.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::Enter::enter_avx2(kernel) },
        // SAFETY: by the contract of this function.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::Enter::enter_avx512(kernel) },
        #[cfg(not(target_arch = "x86_64"))]
        Level::Avx2 | Level::Avx512 => unreachable!("no CPU of this architecture has it"),
    }
}

/// What a kernel computes at each level that this CPU has.
#[cfg(test)]
pub(crate) fn run_at_each_level<K: Kernel + Clone>(kernel: &K) -> Vec<K::Output> {
    let levels = Level::ALL.into_iter().filter(|level| level.is_available());
    // SAFETY: this CPU has the level.
    levels.map(|level| unsafe { run_at(level, kernel.clone()) }).collect()
}
