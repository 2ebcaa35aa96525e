//! The device text of random programs, for the host's C++ compiler.

use odes_random_programs::program::{Program, weights};

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

/// A function of a program: inputs and results one after another.
type Evaluate = unsafe extern "C" fn(inputs: *const f64, results: *mut f64);

/// Some programs as one C++ source.
pub(crate) fn source<'a>(programs: impl IntoIterator<Item = &'a Program>) -> String {
    let prelude = ode_core::kernel::Target::Host.prelude();
    let math = ode_core::math::device_source();
    let texts: String = programs.into_iter().map(text).collect();
    format!(
        "{prelude}\nnamespace odes {{\n{math}\n}}\n\
         namespace odes {{ namespace calling {{ namespace math {{\n{CALLS}}}\n{texts}\n}} }}\n"
    )
}

/// A program, with a C function for each of its functions.
fn text(program: &Program) -> String {
    let Program { name, states, parameters, .. } = program;
    let call = |index: usize, call: &str, store: &str| {
        format!(
            "extern \"C\" void {name}_{index}(const double* in, double* out) {{
                Arr<double, {states}> u;
                Arr<double, {parameters}> p;
                for (int i = 0; i < {states}; i++) u[i] = *in++;
                for (int i = 0; i < {parameters}; i++) p[i] = *in++;
                double t = *in;
                {call}
                {store}
            }}\n"
        )
    };
    let function = |index: usize, function: &str, store: &str| {
        let made = format!("auto a = {name}::System::{function}(u, p, t);");
        call(index, &made, &format!("for (int i = 0; i < {states}; i++) {store};"))
    };
    let matrix = |columns: &usize| format!("for (int j = 0; j < {columns}; j++) *out++ = a[i][j]");
    let mut text = format!("namespace {name} {{\n{}}}\n", (program.device_source)());
    text += &function(0, "rhs", "*out++ = a[i]");
    text += &function(1, "jacobian", &matrix(states));
    // A system without parameters has no parameter Jacobian on a device.
    if *parameters > 0 {
        text += &function(2, "parameter_jacobian", &matrix(parameters));
    }
    text += &function(3, "time_gradient", "*out++ = a[i]");
    if program.functions.len() > 4 {
        let vector = |kind: usize| {
            let numbers: Vec<String> =
                weights::<8>(kind)[..*states].iter().map(|number| format!("{number:?}")).collect();
            format!("Arr<double, {states}>{{{{{}}}}}", numbers.join(", "))
        };
        let [b, column, row] = [0, 1, 2].map(vector);
        let store = format!("for (int i = 0; i < {states} + {parameters}; i++) *out++ = a[i];");
        let pulled = format!("auto a = {name}::System::pull_back(u, p, t, {b});");
        let curve = format!("{name}::System::curve({column}, {row})");
        let curved = format!("auto a = {name}::System::curved(u, p, t, {curve}, {b});");
        text += &call(4, &pulled, &store);
        text += &call(5, &curved, &store);
    }
    text
}

/// The results of a program's function, of which there are `count`.
pub(crate) fn evaluate(
    library: &libloading::Library,
    program: &Program,
    function: usize,
    inputs: &[f64],
    count: usize,
) -> Vec<f64> {
    let mut results = vec![f64::INFINITY; count];
    if count > 0 {
        let name = format!("{}_{function}", program.name);
        // SAFETY: the function has this type.
        let evaluate: libloading::Symbol<'_, Evaluate> =
            unsafe { library.get(name.as_bytes()) }.unwrap();
        // SAFETY: it reads the inputs, and writes as many results.
        unsafe { evaluate(inputs.as_ptr(), results.as_mut_ptr()) };
    }
    results
}
