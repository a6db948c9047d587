//! What the compiler made of the kernels: everything below the entry of a level must be inlined into it.

use super::support::{command, has, library_dir, run};

/// An operation of a block that is not inlined into a function of its level becomes a call of an intrinsic, with its
/// operands in memory: right, but several times slower.
#[test]
fn no_intrinsic_is_left_as_a_call() {
    if cfg!(debug_assertions) || !has("nm", "binutils") {
        return;
    }
    let symbols = run(command("nm", &["--demangle"]).arg(library_dir().join("libcarom.so")));
    for entry in ["enter_avx2", "enter_avx512"] {
        let kernels = symbols.lines().filter(|line| line.contains(entry)).count();
        assert!(
            kernels > 20,
            "{kernels} kernels of {entry}: the library has lost its symbols, or its levels"
        );
    }
    let left: Vec<&str> =
        symbols.lines().filter(|line| line.contains("core_arch") && line.contains("::_mm")).collect();
    assert!(left.is_empty(), "mark what calls these #[inline(always)]:\n{}", left.join("\n"));
}
