//! C++ functions of random programs, for the host's C++ compiler.

macro_rules! calls {
    ($($(#[$_:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
        /// The functions are called here, where a kernel inlines them: that takes time to compile.
        const CALLS: &str = concat!($(
            "[[gnu::noinline]] static double ", stringify!($name), "(double ", stringify!($x),
            $(", double ", stringify!($y),)? ") { return odes::math::", stringify!($name), "(",
            stringify!($x), $(", ", stringify!($y),)? "); }\n",
        )*);
    };
}
ode_core::elementary_functions!(calls);

/// A function: inputs and results one after another.
type Evaluate = unsafe extern "C" fn(inputs: *const f64, results: *mut f64);

/// Returns these texts as one C++ source, with the functions that they call.
pub(crate) fn source(texts: &str) -> String {
    let prelude = ode_core::kernel::Target::Host.prelude();
    let math = ode_core::math::device_source();
    // Systems name the type of the nodes of their noise.
    let path = ode_core::random::path::DEVICE;
    format!(
        "{prelude}\nnamespace odes {{\n{math}\n{path}\n}}\n\
         namespace odes {{ namespace calling {{ namespace math {{\n{CALLS}}}\n{texts}\n}} }}\n"
    )
}

/// Returns the results of the C function `name`, of which there are `count`.
pub(crate) fn evaluate(
    library: &libloading::Library,
    name: &str,
    inputs: &[f64],
    count: usize,
) -> Vec<f64> {
    let mut results = vec![f64::INFINITY; count];
    if count > 0 {
        // SAFETY: the function has this type.
        let evaluate: libloading::Symbol<'_, Evaluate> =
            unsafe { library.get(name.as_bytes()) }.unwrap();
        // SAFETY: it reads the inputs, and writes as many results.
        unsafe { evaluate(inputs.as_ptr(), results.as_mut_ptr()) };
    }
    results
}
