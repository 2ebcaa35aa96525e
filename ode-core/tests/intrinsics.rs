//! All functions that lanes call are compiled for their instruction set.
//!
//! An intrinsic is an instruction where it is inlined, and it is not inlined into what is compiled
//! for every machine: there each of them is a call, which costs ten times the instruction. Then it
//! is a function of this process, with a name. So the process solves ensembles by methods of each
//! family, with all that the loop can do, and looks for such names in its own file. That no symbol
//! is there at all is an error of the test.

// The registers are those of x86-64, and the file read is an ELF file. The workspace's tests inline nothing
// where debug assertions are on, so these run with `--release`.
#![cfg(all(target_arch = "x86_64", target_os = "linux", not(debug_assertions)))]

use object::{Object, ObjectSymbol};
use ode_core::lane::{Real, Scalar};
use ode_core::methods::{Bs3, Kvaerno3, Rodas4, Tsit5Rodas4, Vern7};
use ode_core::system::System;
use ode_core::{
    EnsembleProblem, EnsembleSerial, EnsembleThreads, Method, OdeProblem, Saving, SolveOptions,
};

/// Stands for `odes` in the expansions of the macro.
mod facade {
    pub(crate) use ode_core::__private;
}

/// A step of which takes too little to be a function of its own.
#[ode_macros::ode_system(crate = crate::facade)]
fn spiral<R: Real>(u: &[R; 2], p: &[R; 1]) -> [R; 2] {
    [u[1] - p[0] * u[0], -u[0] - p[0] * u[1]]
}

/// With elementary functions and an observable.
#[ode_macros::ode_system(crate = crate::facade)]
mod functions {
    use ode_core::lane::Real;

    fn rhs<R: Real>(u: &[R; 2], p: &[R; 1], t: R) -> [R; 2] {
        let [x, y] = *u;
        let forced = (p[0] * t).sin() + (-t).exp() + x.abs().powf(p[0]);
        [y.tanh() - x, forced.ln_1p().cbrt() - y + x.atan2(y).cos()]
    }

    #[observable]
    fn radius<R: Real>(u: &[R; 2]) -> R {
        u[0].hypot(u[1])
    }
}

/// With a domain, and an algebraic equation whose pivots are searched for.
#[ode_macros::ode_system(crate = crate::facade, pivoting = "on")]
mod algebraic {
    #[mass_matrix]
    const M: [f64; 3] = [1.0, 1.0, 0.0];

    fn rhs(u: &[f64; 3], p: &[f64; 1]) -> [f64; 3] {
        let [a, b, c] = *u;
        let rate = p[0] * a - b * c;
        [-rate, rate - b * b, a + b + c - 1.0]
    }

    fn is_out_of_domain(u: &[f64; 3]) -> bool {
        u[0] < -0.1
    }
}

/// With linear equations that are solved in loops.
#[ode_macros::ode_system(crate = crate::facade)]
mod full {
    const N: usize = 33;

    fn rhs(u: &[f64; N], p: &[f64; 1]) -> [f64; N] {
        let mut sum = 0.0;
        for i in 0..N {
            sum += u[i] * u[i];
        }
        std::array::from_fn(|i| u[(i + 1) % N] - p[0] * u[i] * sum)
    }
}

/// Solves on threads with lanes of each instruction set that there is.
fn solve<M, S, T, const N: usize>(method: M, system: S, u0: [f64; N])
where
    M: Method,
    S: System<N, 1>,
    T: Scalar,
{
    let problem = OdeProblem::new(system, u0, 0.0..=1.0, [0.5]).cast::<T>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(40)
        .vary(|problem, i| problem.with_p([T::narrow(0.5 + 0.01 * i as f64)]));
    let saving = if S::OBSERVABLES > 0 { Saving::Both } else { Saving::States };
    let options =
        SolveOptions::default().abstol(1e-4).reltol(1e-4).saveat(0.25).saving(saving).tstops([0.3]);
    let serial = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    assert!(serial.all_succeeded(), "{:?}", serial.code_counts());
    let lanes = ensemble.solve(method, EnsembleThreads, &options).unwrap();
    assert_eq!(serial.all_states(), lanes.all_states());
}

/// The names of the intrinsics that are functions of this process.
fn called() -> Vec<String> {
    let path = std::env::current_exe().expect("the process has a file");
    let bytes = std::fs::read(path).expect("the file can be read");
    let file = object::File::parse(&*bytes).expect("it is an object file");
    let names = file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    let names: Vec<String> = names.collect();
    assert!(names.iter().any(|name| name.contains("intrinsics")), "no symbols");
    // Those by which the standard library identifies the processor.
    let asks = |name: &String| name.contains("xgetbv") || name.contains("cpuid");
    names.into_iter().filter(|name| name.contains("core_arch") && !asks(name)).collect()
}

#[test]
fn no_intrinsic_is_called() {
    solve::<_, _, f64, 2>(Bs3, spiral, [1.0, 0.0]);
    solve::<_, _, f32, 2>(Bs3, spiral, [1.0, 0.0]);
    solve::<_, _, f64, 2>(Vern7, functions, [1.0, 0.5]);
    solve::<_, _, f32, 2>(Vern7, functions, [1.0, 0.5]);
    solve::<_, _, f64, 2>(Tsit5Rodas4, functions, [1.0, 0.5]);
    solve::<_, _, f32, 2>(Tsit5Rodas4, functions, [1.0, 0.5]);
    solve::<_, _, f64, 2>(Kvaerno3, functions, [1.0, 0.5]);
    solve::<_, _, f32, 2>(Kvaerno3, functions, [1.0, 0.5]);
    solve::<_, _, f64, 3>(Rodas4, algebraic, [1.0, 0.0, 0.0]);
    solve::<_, _, f64, 3>(Kvaerno3, algebraic, [1.0, 0.0, 0.0]);
    solve::<_, _, f64, 33>(Rodas4, full, std::array::from_fn(|i| 0.03 * i as f64));
    let called = called();
    assert!(called.is_empty(), "{} intrinsics are calls, {:?} …", called.len(), called.first());
}
