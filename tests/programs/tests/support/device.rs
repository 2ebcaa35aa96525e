//! The device text of random programs.

use odes_random_programs::program::{Program, weights};

/// A program, with a C function for each of its functions.
pub(crate) fn text(program: &Program) -> String {
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
