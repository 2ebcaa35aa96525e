//! The arguments of operation kernels, with the layouts of `operations.hpp`, and the kernel
//! sources.

use crate::function::{self, Function};
use crate::host::{BLOCK, SUMS};
use crate::number::Number;
use core::marker::PhantomData;
use ode_core::kernel::Target;
use ode_core::{math, step::norm};
use ode_gpu::KernelSource;

/// The largest number of terms that one launch adds.
pub(crate) const TERMS: usize = 24;

/// The argument of a launch.
pub(crate) trait Work<T: Number>: Copy {
    /// The name of the `struct` in `operations.hpp`.
    const NAME: &'static str;
    /// The most threads of a block, if they cooperate; otherwise each thread has its own numbers.
    const BLOCK: Option<u32>;
}

/// Returns the number of columns of a panel, whose rows have 128 bytes.
pub(crate) const fn width<T>() -> usize {
    128 / size_of::<T>()
}

/// The most threads of a block for a panel: with more, its registers could not hold their rows.
pub(crate) const PANEL_THREADS: u32 = 1024;
/// The threads of a warp.
pub(crate) const LANES: usize = 32;
/// The number of columns that a block updates, each by a warp, and of rows that it multiplies.
pub(crate) const TILE: usize = 8;
/// The threads of a block for a product with rows.
pub(crate) const ROWS_THREADS: u32 = 512;

macro_rules! work {
    ($($(#[$documentation:meta])* $name:ident $([$block:expr])? { $($field:ident: $type:ty),* $(,)? })*) => { $(
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub(crate) struct $name<T> {
            $(pub(crate) $field: $type,)*
        }

        impl<T: Number> Work<T> for $name<T> {
            const NAME: &'static str = stringify!($name);
            const BLOCK: Option<u32> = work!(@ $($block)?);
        }
    )* };
    (@) => { None };
    (@ $block:expr) => { Some($block) };
}

work! {
    /// `out = u + h Σ c k`.
    Combine {
        out: u64, u: u64, begun: u64, k: [u64; TERMS], c: [T; TERMS], h: T, terms: u32,
    }
    /// `out = value`.
    Fill { out: u64, value: T }
    /// `out = by of`.
    Scale { out: u64, of: u64, by: T }
    /// `out = out b`, number by number.
    Multiply { out: u64, by: u64, numbers: PhantomData<T> }
    /// Adds the vector `b` to each column.
    AddToColumns { out: u64, b: u64, rows: u64, numbers: PhantomData<T> }
    /// `out = f(out)`.
    Map { out: u64, numbers: PhantomData<T> }
    /// Sums of squared errors.
    Squares {
        sums: u64, error: u64, u: u64, end: u64, abstol: u64, len: u64, reltol: T, own: u32,
    }
    /// Whether a number is not finite.
    NonFinite { x: u64, found: u64, numbers: PhantomData<T> }
    /// `out = scale I - of`, the order of its rows, and no sign change.
    Shifted { out: u64, of: u64, order: u64, negative: u64, rows: u64, scale: T }
    /// The factors of some columns.
    Panel[PANEL_THREADS] {
        a: u64, lower: u64, upper: u64, order: u64, moved: u64, negative: u64, words: u64,
        rows: u64, from: u64, width: u32, turn: u32, blocks: u32, threads: u32,
        numbers: PhantomData<T>,
    }
    /// The other columns behind a panel.
    Update[(TILE * LANES) as u32] {
        a: u64, lower: u64, moved: u64, rows: u64, from: u64, width: u32, numbers: PhantomData<T>,
    }
    /// Inverses of upper triangles on a diagonal.
    Invert[(TILE * LANES) as u32] { upper: u64, rows: u64, numbers: PhantomData<T> }
    /// `out = plus - shift x + M x`, for a matrix or a triangle of its blocks.
    Rows[ROWS_THREADS] {
        out: u64, plus: u64, matrix: u64, of: u64, order: u64, rows: u64, shift: T, left: u32,
        right: u32,
    }
}

/// The identity of a kernel in its precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) function: Option<Function>,
}

/// Returns the source of an operation's kernel.
pub(crate) fn program<T: Number, W: Work<T>>(key: Key) -> KernelSource {
    let (number, size) = (T::DEVICE_NAME, size_of::<W>());
    let mut name = format!("odes_array_{}_{number}", key.name.to_lowercase());
    let (mut programs, mut function) = (norm::DEVICE.to_owned(), String::new());
    if let Some(which) = key.function {
        name = format!("{name}_{}", which.name());
        programs = [&math::device_source(), norm::DEVICE, function::DEVICE].concat();
        function = format!("#define FUNCTION {}\n", which.name());
    }
    let precision = if T::DOUBLE { "#define NUMBER_IS_DOUBLE\n" } else { "" };
    let (prelude, of) = (Target::Cuda.prelude(), key.name);
    let (operations, kernel) = match W::BLOCK {
        Some(threads) => {
            name = format!("odes_block_{}_{number}", of.to_lowercase());
            let width = width::<T>();
            let constants = format!(
                "constexpr unsigned BLOCK_THREADS = {threads}, WIDTH = {width}, TILE = {TILE};\n"
            );
            (constants + include_str!("lu.hpp"), format!("BLOCKS({name}, Work, {threads})"))
        }
        None => (include_str!("operations.hpp").to_owned(), format!("OPERATION({name}, Work)")),
    };
    let source = format!(
        "{precision}{function}{prelude}\nnamespace odes {{\n{programs}\n\
         constexpr int TERMS = {TERMS};\nconstexpr u64 BLOCK = {BLOCK};\nconstexpr u64 SUMS = {SUMS};\n\
         }} // namespace odes\n{operations}\n\
         typedef odes::{of}<{number}> Work;\n{kernel}\n\
         static_assert(sizeof(Work) == {size}, \"the layout of {of}\");\n"
    );
    KernelSource::new(name, source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ode_gpu::{Cache, Nvrtc};
    use odes_skipped::{Needed, needs};

    fn compiles<T: Number, W: Work<T>>(function: Option<Function>) {
        let program = program::<T, W>(Key { name: W::NAME, function });
        let compiled = program.compile("sm_90", &Cache::off()).unwrap();
        let resources = compiled.resources.unwrap();
        assert_eq!(resources.spill_store_bytes + resources.spill_load_bytes, 0, "{}", W::NAME);
    }

    fn all_compile<T: Number>() {
        for function in [Function::Tanh, Function::Logistic, Function::Sin, Function::Cube] {
            compiles::<T, Map<T>>(Some(function));
        }
        compiles::<T, Combine<T>>(None);
        compiles::<T, Fill<T>>(None);
        compiles::<T, Scale<T>>(None);
        compiles::<T, Multiply<T>>(None);
        compiles::<T, AddToColumns<T>>(None);
        compiles::<T, Squares<T>>(None);
        compiles::<T, NonFinite<T>>(None);
        compiles::<T, Shifted<T>>(None);
        compiles::<T, Panel<T>>(None);
        compiles::<T, Update<T>>(None);
        compiles::<T, Invert<T>>(None);
        compiles::<T, Rows<T>>(None);
    }

    #[needs(nvrtc)]
    #[test]
    fn kernels_compile_without_spills() {
        if let Err(error) = Nvrtc::get() {
            Needed::Nvrtc.is_missing(error);
            return;
        }
        all_compile::<f32>();
        all_compile::<f64>();
    }
}
