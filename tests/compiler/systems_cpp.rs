//! The device text of compiled systems, including derivatives.
//!
//! Compiled by the host's C++ compiler, it gives the bits of the Rust code.

use crate::cpp::HostCpp;
use crate::random::Random;
use crate::systems;
use odes::__private::System;
use odes_skipped::needs;

/// All functions of a system, one after another.
type Evaluate = unsafe extern "C" fn(u: *const f64, p: *const f64, t: f64, out: *mut f64);

/// Returns the C++ text of a system and of a function `evaluate_NAME` with the type above.
fn text<S: System<N, P>, const N: usize, const P: usize>(system: S) -> String {
    let name = system.info().name;
    // A system without parameters has no parameter Jacobian on a device.
    let by_parameters = if P > 0 {
        format!(
            "auto d = {name}_system::System::parameter_jacobian(x, y, t);
            for (int i = 0; i < {N}; i++) for (int j = 0; j < {P}; j++) *out++ = d[i][j];"
        )
    } else {
        String::new()
    };
    format!(
        r#"
        namespace odes {{ namespace {name}_system {{
        {}
        }} }}
        extern "C" void evaluate_{name}(const double* u, const double* p, double t, double* out) {{
            using namespace odes;
            Arr<double, {N}> x;
            Arr<double, {P}> y;
            for (int i = 0; i < {N}; i++) x[i] = u[i];
            for (int i = 0; i < {P}; i++) y[i] = p[i];
            auto a = {name}_system::System::rhs(x, y, t);
            for (int i = 0; i < {N}; i++) *out++ = a[i];
            auto b = {name}_system::System::jacobian(x, y, t);
            for (int i = 0; i < {N}; i++) for (int j = 0; j < {N}; j++) *out++ = b[i][j];
            auto c = {name}_system::System::time_gradient(x, y, t);
            for (int i = 0; i < {N}; i++) *out++ = c[i];
            {by_parameters}
            *out++ = {name}_system::System::row_sum(x, y, t);
        }}
        "#,
        system.device_source().unwrap()
    )
}

fn compare<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    library: &libloading::Library,
    (u, p): ([f64; N], [f64; P]),
) {
    let name = format!("evaluate_{}", system.info().name);
    // SAFETY: the function has this type.
    let evaluate: libloading::Symbol<'_, Evaluate> =
        unsafe { library.get(name.as_bytes()) }.unwrap();
    let mut random = Random(2);
    for _ in 0..50 {
        let mut near = |value: f64| value * random.uniform(-1.5, 1.5);
        let (u, p) = (u.map(&mut near), p.map(&mut near));
        let t = random.uniform(0.0, 15.0);
        let mut expected: Vec<f64> = system.rhs(&u, &p, t).into();
        expected.extend(system.jacobian(&u, &p, t).as_flattened());
        expected.extend(system.time_gradient(&u, &p, t));
        expected.extend(system.parameter_jacobian(&u, &p, t).as_flattened());
        expected.push(system.row_sum(&u, &p, t));
        let mut computed = vec![f64::INFINITY; expected.len()];
        // SAFETY: the pointers are to as many numbers as the function reads and writes.
        unsafe { evaluate(u.as_ptr(), p.as_ptr(), t, computed.as_mut_ptr()) };
        for (index, (computed, expected)) in computed.iter().zip(&expected).enumerate() {
            // Some functions have no value at some of these points; the NaN may differ.
            let same =
                computed.to_bits() == expected.to_bits() || computed.is_nan() && expected.is_nan();
            assert!(same, "{name}[{index}]: {computed:e} instead of {expected:e}");
        }
    }
}

macro_rules! tests {
    (systems { $($system:ident,)* } models { $($model:ident,)* }) => {
        #[needs(cpp)]
        #[test]
        fn every_function_of_every_system() {
            let Some(cpp) = HostCpp::find() else {
                eprintln!("skipped: no C++ compiler (c++, g++ or clang++)");
                return;
            };
            let prelude = ode_core::kernel::Target::Host.prelude();
            let math = ode_core::math::device_source();
            // Systems name the type of the nodes of their noise.
            let path = ode_core::random::path::DEVICE;
            let mut source = format!("{prelude}\nnamespace odes {{\n{math}\n{path}\n}}\n");
            $(source += &text(systems::$system::$system);)*
            $(source += &text(odes_models::$model::$model);)*
            let library = cpp.compile(&source);
            $(
                let inputs = (systems::$system::U, systems::$system::P);
                compare(systems::$system::$system, &library, inputs);
            )*
            $(
                let inputs = (odes_models::$model::REFERENCE, odes_models::$model::P);
                compare(odes_models::$model::$model, &library, inputs);
            )*
        }
    };
}

tests! {
    systems {
        constants,
        constructs,
        control,
        corners,
        forced_oscillator,
        functions,
        helpers,
        iteration,
        remainders,
        returning,
        tables,
        tuples,
    }
    models {
        arenstorf,
        brusselator,
        charged_particle,
        diffusive_brusselator,
        double_pendulum,
        duffing,
        e5,
        fitzhugh_nagumo,
        goodwin,
        h2o2,
        hires,
        hodgkin_huxley,
        keller_miksis,
        kuramoto,
        lorenz,
        lorenz96,
        lotka_volterra,
        measles,
        morris_lecar,
        neural_ode,
        oregonator,
        phenytoin,
        pleiades,
        pollution,
        repressilator,
        robertson,
        rossler,
        satellite,
        sir,
        stiff_van_der_pol,
        stirred_tank,
        stratosphere,
        van_der_pol,
    }
}
