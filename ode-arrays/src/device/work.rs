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
    /// Whether the threads of one block cooperate; otherwise each thread has its own numbers.
    const TOGETHER: bool;
}

/// The largest number of columns of a panel.
pub(crate) const WIDTH: usize = 32;
/// The number of cooperating threads.
pub(crate) const THREADS: u32 = 512;

macro_rules! work {
    ($together:literal: $($(#[$documentation:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => { $(
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub(crate) struct $name<T> {
            $(pub(crate) $field: $type,)*
        }

        impl<T: Number> Work<T> for $name<T> {
            const NAME: &'static str = stringify!($name);
            const TOGETHER: bool = $together;
        }
    )* };
}

work! {
    false:
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
    /// `out = scale I - of`.
    Shifted { out: u64, of: u64, rows: u64, scale: T }
    /// Exchanges the rows of a column like those of a panel.
    Exchange {
        a: u64, order: u64, pivots: u64, rows: u64, from: u64, width: u32, numbers: PhantomData<T>,
    }
    /// `order = 0, 1, 2, …`.
    Count { order: u64, numbers: PhantomData<T> }
    /// `out = of`, permuted.
    Reorder { out: u64, of: u64, order: u64, numbers: PhantomData<T> }
    /// The number of sign changes of a determinant.
    Signs { a: u64, pivots: u64, count: u64, rows: u64, numbers: PhantomData<T> }
}

work! {
    true:
    /// The factors of some columns.
    Panel { a: u64, pivots: u64, rows: u64, from: u64, width: u32, numbers: PhantomData<T> }
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
    let (prelude, operations) = (Target::Cuda.prelude(), include_str!("operations.hpp"));
    let of = key.name;
    let (panel, kernel) = if W::TOGETHER {
        let threads = format!("#define PANEL_THREADS {THREADS}u\n");
        (threads, format!("TOGETHER({name}, Work, {THREADS})"))
    } else {
        (String::new(), format!("OPERATION({name}, Work)"))
    };
    let source = format!(
        "{precision}{function}{panel}{prelude}\nnamespace odes {{\n{programs}\n\
         constexpr int TERMS = {TERMS};\nconstexpr u64 BLOCK = {BLOCK};\nconstexpr u64 SUMS = {SUMS};\n\
         constexpr u32 WIDTH = {WIDTH};\n\
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
        compiles::<T, Exchange<T>>(None);
        compiles::<T, Count<T>>(None);
        compiles::<T, Reorder<T>>(None);
        compiles::<T, Signs<T>>(None);
        compiles::<T, Panel<T>>(None);
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
