//! Functions that are compiled for an instruction set, and the alignment of their stacks.
//!
//! LLVM does not align the stack for the registers that it spills, so the entry points do.

/// Declares a function that calls another one and is compiled for the given CPU features.
macro_rules! entry {
    ([$($feature:tt)*] $(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[target_feature($(enable = $feature),*)]
        #[inline(never)]
        pub(crate) fn $name<O>(f: impl FnOnce() -> O) -> O {
            align_stack();
            f()
        }
    };
}

/// A local variable that begins at a cache line.
#[repr(align(64))]
struct CacheLine([u8; 64]);

/// Aligns the stack of the function that it is inlined into.
///
/// LLVM aligns the stack for local variables, but not for registers that it spills later. If there
/// are only spilled registers, every access to one crosses a cache line (measured: up to half of
/// the speed).
#[ode_macros::inlined]
pub(crate) fn align_stack() {
    // Mutable, since an immutable value would become a constant elsewhere.
    let mut line = CacheLine([0; 64]);
    core::hint::black_box(&mut line.0);
}

avx2! { entry with_fma }
avx2! { entry #[cold] seldom_with_fma }
