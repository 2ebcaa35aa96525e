//! Work-precision diagrams: time against error, for each method on each problem.
//!
//! Tolerances are 1e-2 to 1e-10. `bench/work_precision.py` draws the pictures.
//!
//! The time is of one trajectory in one lane, because the lanes of all instruction sets would take
//! an hour to compile. Errors are at the end of the span, against the references of
//! `examples/models`. For stiff systems the error is of the worst component, relative to the
//! component plus a size below which it does not matter. For other systems the error is relative to
//! the largest component. The absolute tolerance is the relative one times the same size.

use odes::methods::{Dop853, Kvaerno5, Method, Rodas4, Rosenbrock23, TrBdf2, Vern9};
use odes::prelude::*;
use odes::system::{Quantities, System};
use odes::{SolveOptions, Vern7};
use serde::Serialize;

use crate::Failure;
use crate::counted::{self, Counted};
use crate::output::{Output, Row, significant};

/// The limit of steps of a trajectory. A method that reaches it does not suit the problem.
const MOST_STEPS: u32 = 1_000_000;

/// The measurements of one solve.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    problem: &'static str,
    stiff: bool,
    method: &'static str,
    reltol: f64,
    abstol: f64,
    /// Accepted and rejected steps.
    steps: u64,
    rejected: u64,
    /// The number of evaluations of the right-hand side, counted.
    evaluations: u64,
    factorisations: u64,
    microseconds: f64,
    error: Option<f64>,
    code: String,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("problem", 20),
        ("method", 12),
        ("reltol", 6),
        ("steps", 7),
        ("rejected", 8),
        ("evaluations", 11),
        ("factors", 7),
        ("us each", 9),
        ("error", 8),
        ("code", 8),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.problem.to_owned(),
            self.method.to_owned(),
            format!("{:.0e}", self.reltol),
            self.steps.to_string(),
            self.rejected.to_string(),
            self.evaluations.to_string(),
            self.factorisations.to_string(),
            significant(Some(self.microseconds), 3),
            significant(self.error, 2),
            self.code.clone(),
        ]
    }
}

/// A problem with a known final state.
struct Problem<S: System<N, P>, const N: usize, const P: usize> {
    problem: OdeProblem<Counted<S>, f64, N, P>,
    reference: [f64; N],
    /// The size below which components do not matter.
    ///
    /// For a problem that is not stiff, only the largest component matters.
    small: Option<f64>,
    /// The number of solves; the best time counts.
    runs: usize,
}

/// The methods for stiff problems and for others. To add a method, add its name.
macro_rules! stiff {
    ($problem:ident, $output:ident) => {
        by!($problem, $output, Rosenbrock23, Rodas4, Rodas5P, TrBdf2, Kvaerno5);
    };
}
macro_rules! nonstiff {
    ($problem:ident, $output:ident) => {
        by!($problem, $output, Tsit5, Vern7, Dop853, Vern9);
    };
}
macro_rules! by {
    ($problem:ident, $output:ident, $($method:ident),*) => {
        $($problem.by($method, $output)?;)*
    };
}

/// Measures all problems by all methods.
pub(crate) fn run(quick: bool, output: &mut Output) -> Result<(), Failure> {
    let runs = if quick { 1 } else { 9 };
    macro_rules! problem {
        ($name:ident, $small:expr, $methods:ident $(, until $earlier:ident)?) => {{
            use odes_models::$name::*;
            #[allow(unused_variables)]
            let (end, reference) = (SPAN.1, REFERENCE);
            $(let (end, reference) = $earlier;)?
            let problem = OdeProblem::new(Counted::new($name), U0, SPAN.0..=end, P);
            let problem = Problem { problem, reference, small: $small, runs };
            $methods!(problem, output);
        }};
    }
    problem!(robertson, Some(1e-8), stiff);
    problem!(oregonator, Some(1e-3), stiff);
    problem!(hires, Some(1e-4), stiff);
    problem!(pollution, Some(1e-9), stiff);
    problem!(e5, Some(1e-20), stiff, until EARLIER);
    problem!(stiff_van_der_pol, Some(1e-3), stiff);
    problem!(diffusive_brusselator, Some(1.0), stiff);
    problem!(arenstorf, None, nonstiff);
    problem!(pleiades, None, nonstiff);
    Ok(())
}

impl<S: System<N, P> + Default, const N: usize, const P: usize> Problem<S, N, P> {
    fn by<M: Method>(&self, method: M, output: &mut Output) -> Result<(), Failure> {
        for exponent in 2..=10 {
            output.row(&self.at(method, f64::powi(10.0, -exponent))?)?;
        }
        Ok(())
    }

    fn at<M: Method>(&self, method: M, reltol: f64) -> Result<Measured, Failure> {
        let abstol = reltol * self.small.unwrap_or(1.0);
        let options = SolveOptions::default().reltol(reltol).abstol(abstol).max_steps(MOST_STEPS);
        let ensemble = EnsembleProblem::new(self.problem);
        let solve = || ensemble.solve(method, EnsembleSerial, &options);
        counted::taken();
        let solution = solve()?;
        let (evaluations, factorisations) = counted::taken();
        let mut time = solution.timings().solve;
        for _ in 1..self.runs {
            time = time.min(solve()?.timings().solve);
        }
        let code = solution.code(0);
        let (steps, rejected) = (u64::from(solution.accepted(0)), u64::from(solution.rejected(0)));
        Ok(Measured {
            bench: "work-precision",
            problem: S::default().info().name,
            stiff: self.small.is_some(),
            method: M::PROPERTIES.name,
            reltol,
            abstol,
            steps: steps + rejected,
            rejected,
            evaluations,
            factorisations,
            microseconds: 1e6 * time.as_secs_f64(),
            error: code.is_success().then(|| self.error(&solution.final_state(0).to_numbers())),
            code: format!("{code:?}"),
        })
    }

    fn error(&self, end: &[f64; N]) -> f64 {
        let largest = self.reference.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
        let size = |x: f64| self.small.map_or(largest, |small| x.abs() + small);
        let errors = end.iter().zip(self.reference).map(|(x, y)| (x - y).abs() / size(y));
        errors.fold(0.0, f64::max)
    }
}
