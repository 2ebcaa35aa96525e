//! What is wrong is an error that says so.

use ode_arrays::{
    Array, ArrayCpu, ArrayError, ArrayProblem, ArraySolution, ArraySystem, Function, Linear, Shape,
};
use ode_core::methods::{Rk4, Rodas4, Tsit5};
use ode_core::{ReturnCode, Saving, SolveError, SolveOptions};

fn identity(rows: usize, columns: usize) -> Array<f64> {
    Array::matrix(rows, columns, |row, column| f64::from(row == column))
}

fn solved(
    a: Array<f64>,
    u0: Array<f64>,
    options: SolveOptions,
) -> Result<ArraySolution<f64>, ArrayError> {
    Linear::problem(a, u0, 0.0..=1.0)?.solve(Tsit5, ArrayCpu::new(), &options)
}

fn message(result: Result<ArraySolution<f64>, ArrayError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn shapes() {
    let own = SolveOptions::default();
    let of_three = || Array::vector([1.0; 3]);
    let error = solved(identity(3, 4), of_three(), own.clone());
    assert_eq!(message(error), "u' = A u: the matrix has shape 3 by 4; it must be square");
    let error = solved(identity(4, 4), of_three(), own.clone());
    assert_eq!(
        message(error),
        "u' = A u: u0 has shape 3 by 1, and the matrix has shape 4 by 4; u0 must have 4 rows"
    );
    let row = Array::matrix(1, 2, |_, _| 1.0);
    assert_eq!(
        message(solved(identity(2, 2), row, own.clone())),
        "u' = A u: u0 has shape 1 by 2, and the matrix has shape 2 by 2; u0 must have 2 rows"
    );
    let batch = |columns, batch| {
        let shape = Shape { rows: 2, columns, batch };
        Array::of(shape, vec![1.0; shape.len()]).unwrap()
    };
    let error = message(solved(batch(2, 3), batch(1, 4), own.clone()));
    assert!(error.ends_with("u0 must be 3 matrices of 2 rows"), "{error}");
    let error = solved(identity(0, 0), Array::vector([]), own.clone());
    assert!(message(error).starts_with("the initial state has shape 0 by 1"));
    let none = ArrayProblem::new(Linear, of_three(), 0.0..=1.0, []);
    let error = none.solve(Tsit5, ArrayCpu::new(), &own);
    assert_eq!(
        message(error),
        "Linear takes one matrix as parameters, and the problem has 0 arrays"
    );
    let error = Array::of(Shape::matrix(2, 2), vec![1.0; 3]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the array has shape 2 by 2, which needs 4 numbers, and 3 were given"
    );
}

#[test]
fn operations_check_shapes() {
    let mut y = Array::vector([0.0; 3]);
    let (a, x, long) = (identity(3, 2), Array::vector([1.0; 2]), Array::vector([1.0; 4]));
    let is_shape = |result: Result<(), ArrayError>| matches!(result, Err(ArrayError::Shape { .. }));
    assert!(y.product(1.0, &a, &x).is_ok());
    assert!(is_shape(y.product(1.0, &a, &long)));
    assert!(is_shape(y.product(1.0, &x, &a)));
    assert!(is_shape(y.add_product(1.0, &identity(2, 2), &x)));
    assert!(is_shape(y.copy(&x)));
    assert!(is_shape(y.combine(&long, 1.0, &[])));
    assert!(is_shape(y.add(1.0, &[(1.0, &x)])));
    assert!(is_shape(y.multiply(&x)));
    assert!(is_shape(y.add_to_columns(&x)));
}

#[test]
fn numbers_that_are_none() {
    let own = SolveOptions::default();
    let error = solved(identity(2, 2), Array::vector([1.0, f64::NAN]), own.clone()).unwrap_err();
    let given = SolveError::NonFinite { what: "u0", index: 1, value: f64::NAN };
    assert_eq!(error.to_string(), given.to_string());
    let mut a = identity(2, 2);
    a.as_mut_slice().unwrap()[3] = f64::NAN;
    let error = solved(a, Array::vector([1.0, 1.0]), own.clone()).unwrap_err();
    assert!(matches!(error, ArrayError::Solve(SolveError::NonFinite { what: "p", index: 3, .. })));
    let error = solved(identity(2, 2), Array::vector([1.0; 2]), own.abstol([1e-6; 3])).unwrap_err();
    let tolerances = SolveError::Tolerances { tolerances: 3, components: 2 };
    assert_eq!(error.to_string(), tolerances.to_string());
}

#[test]
fn options_are_checked_as_for_lanes() {
    let own = SolveOptions::default();
    let wrong = [
        own.clone().reltol(-1.0),
        own.clone().abstol([1e-6, f64::NAN]),
        own.clone().max_steps(0),
        own.saveat(0.0),
    ];
    for options in wrong {
        let error = solved(identity(2, 2), Array::vector([1.0; 2]), options.clone()).unwrap_err();
        assert!(matches!(error, ArrayError::Solve(_)), "{options:?} {error}");
    }
    let zero = SolveOptions::default().abstol([1e-6, 0.0]).reltol(0.0);
    let error = solved(identity(2, 2), Array::vector([1.0; 2]), zero).unwrap_err();
    let expected = SolveError::ZeroTolerance { component: Some(1) };
    assert_eq!(error.to_string(), expected.to_string());
    let problem = Linear::problem(identity(1, 1), Array::vector([1.0]), 0.0..=1.0).unwrap();
    let error = problem.solve(Rk4, ArrayCpu::new(), &SolveOptions::default()).unwrap_err();
    assert!(matches!(error, ArrayError::Solve(SolveError::NotAdaptive { method: "Rk4" })));
}

/// Errors whose texts for ensembles do not fit an array.
#[test]
fn errors_speak_of_arrays() {
    let own = SolveOptions::default();
    let solve = |options| solved(identity(2, 2), Array::vector([1.0; 2]), options);
    assert_eq!(
        message(solve(own.clone().event_log(5))),
        "an array has no events to log; leave `event_log` out"
    );
    assert_eq!(
        message(solve(own.clone().saveat([1.0]).saving(Saving::Both))),
        "an array has no observables to save; save its states by `Saving::States`"
    );
    assert_eq!(
        message(solve(own.saveat([2.0]))),
        "saveat contains 2.0, which is outside the time span 0.0..=1.0"
    );
}

/// Arrays and Jacobians that exceed the addresses of the process.
#[test]
fn memory_that_does_not_suffice() {
    let error = Array::vector([1.0]).like(Shape::matrix(1 << 40, 1 << 40)).unwrap_err();
    assert!(matches!(error, ArrayError::OutOfMemory { .. }));
    let remedy = "bytes of memory cannot be allocated; use smaller arrays, or save fewer states";
    assert!(error.to_string().ends_with(remedy), "{error}");
    let system =
        |u: &Array<f32>, _p: &[Array<f32>], _t: f32, du: &mut Array<f32>| du.add(-1.0, &[(1.0, u)]);
    let order = 1 << 23;
    let u0 = Array::vector(vec![1.0_f32; order]);
    let problem = ArrayProblem::new(system, u0, 0.0_f32..=1.0, []);
    let error = problem.solve(Rodas4, ArrayCpu::new(), &SolveOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a dense Jacobian of 8388608 equations needs 281474976710656 bytes of memory, which cannot \
         be allocated; use an explicit method, such as `Tsit5`, or fewer equations"
    );
}

#[test]
fn errors_of_the_right_hand_side_end_the_solve() {
    let system = |u: &Array<f64>, p: &[Array<f64>], t: f64, du: &mut Array<f64>| {
        du.copy(u)?;
        du.map(Function::Tanh)?;
        if t > 0.5 { du.multiply(&p[0]) } else { Ok(()) }
    };
    let p = [Array::vector([1.0; 2])];
    let problem = ArrayProblem::new(system, Array::vector([1.0; 3]), 0.0..=1.0, p);
    for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.01)] {
        let error = problem.solve(Tsit5, ArrayCpu::new(), &options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "multiply: an array has shape 2 by 1; it must have shape 3 by 1"
        );
    }
}

/// Equations of a stage without a solution, and a derivative that is not finite.
#[test]
fn linear_equations_without_a_solution() {
    let n = 3;
    let step = 0.5;
    // The matrix of a step is zero.
    let gamma = ode_core::methods::rodas4::GAMMA;
    let a = Array::matrix(n, n, |row, column| f64::from(row == column) / (gamma * step));
    let problem = Linear::problem(a, Array::vector([1.0; 3]), 0.0..=1.0).unwrap();
    let options = SolveOptions::default().fixed_step(step);
    let solution = problem.solve(Rodas4, ArrayCpu::new(), &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Singular);
    let system = |u: &Array<f64>, _p: &[Array<f64>], _t: f64, du: &mut Array<f64>| {
        du.copy(u)?;
        du.scale(f64::INFINITY)
    };
    let problem = ArrayProblem::new(system, Array::vector([1.0; 3]), 0.0..=1.0, []);
    let solution = problem.solve(Rodas4, ArrayCpu::new(), &SolveOptions::default()).unwrap();
    assert_eq!(solution.code(), ReturnCode::NonFinite);
    let solution = problem.solve(Tsit5, ArrayCpu::new(), &SolveOptions::default()).unwrap();
    assert_eq!(solution.code(), ReturnCode::NonFinite);
}

/// A solution that blows up, and one that is over before it begins.
#[test]
fn ends() {
    let system = |u: &Array<f64>, _p: &[Array<f64>], _t: f64, du: &mut Array<f64>| {
        du.copy(u)?;
        du.map(Function::Square)
    };
    let u0 = || Array::vector([1.0, 0.5]);
    let problem = ArrayProblem::new(system, u0(), 0.0..=2.0, []);
    let solution = problem.solve(Tsit5, ArrayCpu::new(), &SolveOptions::default()).unwrap();
    assert!(!solution.code().is_success());
    assert!(solution.end_time() > 0.99 && solution.end_time() < 1.001, "{}", solution.end_time());
    let problem = ArrayProblem::new(system, u0(), 1.0..=1.0, []);
    let solution = problem.solve(Tsit5, ArrayCpu::new(), &SolveOptions::default()).unwrap();
    assert!(solution.code().is_success());
    assert_eq!(solution.final_state(), [1.0, 0.5]);
}

/// A closure that puts another array in the place of its results.
#[test]
fn results_of_another_shape() {
    for len in [2, 5] {
        let system = move |_u: &Array<f64>, _p: &[Array<f64>], _t: f64, du: &mut Array<f64>| {
            *du = Array::vector(vec![1.0; len]);
            Ok(())
        };
        let problem = ArrayProblem::new(system, Array::vector([1.0; 3]), 0.0..=1.0, []);
        let own = SolveOptions::default();
        let expected =
            format!("a right-hand side: an array has shape {len} by 1; it must have shape 3 by 1");
        assert_eq!(message(problem.solve(Tsit5, ArrayCpu::new(), &own)), expected);
        assert_eq!(message(problem.solve(Rodas4, ArrayCpu::new(), &own)), expected);
    }
}

/// `u' = -u` with derivatives of other shapes.
struct OtherDerivatives {
    order: usize,
    len: usize,
    is_given: bool,
}

impl ArraySystem<f64> for OtherDerivatives {
    fn rhs(
        &self,
        u: &Array<f64>,
        _p: &[Array<f64>],
        _t: f64,
        du: &mut Array<f64>,
    ) -> Result<(), ArrayError> {
        du.copy(u)?;
        du.scale(-1.0)
    }

    fn jacobian(
        &self,
        _u: &Array<f64>,
        _p: &[Array<f64>],
        _t: f64,
        jacobian: &mut Array<f64>,
    ) -> Result<bool, ArrayError> {
        *jacobian = identity(self.order, self.order);
        jacobian.scale(-1.0)?;
        Ok(self.is_given)
    }

    fn time_gradient(
        &self,
        _u: &Array<f64>,
        _p: &[Array<f64>],
        _t: f64,
        by_time: &mut Array<f64>,
    ) -> Result<bool, ArrayError> {
        *by_time = Array::vector(vec![0.0; self.len]);
        Ok(self.is_given)
    }
}

/// Derivatives that a system puts in the place of the solver's arrays.
#[test]
fn derivatives_of_another_shape() {
    let own = SolveOptions::default();
    let solve = |system: OtherDerivatives| {
        let problem = ArrayProblem::new(system, Array::vector([1.0; 2]), 0.0..=1.0, []);
        problem.solve(Rodas4, ArrayCpu::new(), &own)
    };
    for is_given in [true, false] {
        for other in [1, 3] {
            assert_eq!(
                message(solve(OtherDerivatives { order: other, len: 2, is_given })),
                format!(
                    "a Jacobian: an array has shape {other} by {other}; it must have shape 2 by 2"
                )
            );
            assert_eq!(
                message(solve(OtherDerivatives { order: 2, len: other, is_given })),
                format!(
                    "a time derivative: an array has shape {other} by 1; it must have shape 2 by 1"
                )
            );
        }
        let solution = solve(OtherDerivatives { order: 2, len: 2, is_given }).unwrap();
        assert!((solution.final_state()[1] - (-1.0_f64).exp()).abs() < 1e-2);
    }
}

/// A closure that adds to its results, which are zero before.
#[test]
fn results_that_are_added() {
    let system =
        |u: &Array<f64>, _p: &[Array<f64>], _t: f64, du: &mut Array<f64>| du.add(-1.0, &[(1.0, u)]);
    let problem = ArrayProblem::new(system, Array::vector([1.0; 3]), 0.0..=1.0, []);
    let own = SolveOptions::default().tolerance(1e-8);
    for solution in [
        problem.solve(Tsit5, ArrayCpu::new(), &own).unwrap(),
        problem.solve(Rodas4, ArrayCpu::new(), &own).unwrap(),
    ] {
        assert!((solution.final_state()[0] - (-1.0_f64).exp()).abs() < 1e-6);
    }
}
