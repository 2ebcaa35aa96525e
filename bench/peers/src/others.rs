//! diffsol: one problem for each thread, with a new solver for each trajectory.
//!
//! The thread sets the problem's parameters to those of one trajectory after the other. The
//! right-hand side and the Jacobian are the same as in odes, one lane wide.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use diffsol::{
    FaerSparseLU, FaerSparseMat, NalgebraLU, NalgebraMat, OdeBuilder, OdeEquations,
    OdeSolverMethod, OdeSolverStopReason, Vector,
};
use odes::system::System;

use crate::{FLOOR, Problem, Question, Solved};

/// Trajectories per chunk of a thread.
const CHUNK: usize = 8;

/// Computes `du` of the system of `_problem`.
fn rhs<S: System<N, P> + Default, const N: usize, const P: usize>(
    _problem: &Problem<S, N, P>,
    (u, p, t): (&[f64], &[f64], f64),
    du: &mut [f64],
) {
    let (u, p) = (u.try_into().expect("N states"), p.try_into().expect("P parameters"));
    du.copy_from_slice(&S::default().rhs::<f64>(u, p, t));
}

/// Computes the product of the system's Jacobian and `v`, over the nonzeros.
fn jacobian<S: System<N, P> + Default, const N: usize, const P: usize>(
    _problem: &Problem<S, N, P>,
    (u, p, t): (&[f64], &[f64], f64),
    v: &[f64],
    product: &mut [f64],
) {
    let (u, p) = (u.try_into().expect("N states"), p.try_into().expect("P parameters"));
    let jacobian = S::default().jacobian::<f64>(u, p, t);
    product.fill(0.0);
    for &(row, column) in S::default().info().jacobian_pattern {
        product[row] += jacobian[row][column] * v[column];
    }
}

/// The work of one thread: a macro, because a function generic over diffsol's matrices would need
/// longer bounds.
macro_rules! thread {
    ($matrix:ty, $lu:ty, $solver:ident, $problem:expr, $reltol:expr, $next:expr) => {{
        let (problem, reltol, next) = ($problem, $reltol, $next);
        let built = OdeBuilder::<$matrix>::new()
            .rtol(reltol)
            .atol([FLOOR * reltol])
            .p(problem.p)
            .use_coloring(true)
            .rhs_implicit(
                |u, p, t, du: &mut [f64]| rhs(problem, (u, p, t), du),
                |u, p, t, v, product: &mut [f64]| jacobian(problem, (u, p, t), v, product),
            )
            .init(|_p, _t, u: &mut [f64]| u.copy_from_slice(&problem.u0), N)
            .build();
        let mut built = built.expect("a problem");
        let (mut steps, mut ends) = (0, Vec::new());
        loop {
            let begin = next.fetch_add(CHUNK, Ordering::Relaxed);
            if begin >= problem.trajectories {
                break (steps, ends);
            }
            for i in begin..(begin + CHUNK).min(problem.trajectories) {
                let p = Vector::from_vec(problem.parameters(i).to_vec(), built.context().clone());
                built.eqn_mut().set_params(&p);
                let mut solver = built.$solver::<$lu>().expect("a solver");
                solver.set_stop_time(problem.end).expect("an end ahead");
                while solver.step().expect("a step") != OdeSolverStopReason::TstopReached {}
                let statistics = solver.get_statistics();
                steps += statistics.number_of_steps + statistics.number_of_error_test_failures;
                let end = solver.state().y.clone_as_vec();
                ends.push((i, end.try_into().expect("N states")));
            }
        }
    }};
}

pub(crate) fn solve<S, const N: usize, const P: usize>(
    problem: &Problem<S, N, P>,
    question: &Question,
    reltol: f64,
) -> Solved<N>
where
    S: System<N, P>,
{
    type Dense = NalgebraMat<f64>;
    type Sparse = FaerSparseMat<f64>;
    let next = &AtomicUsize::new(0);
    let work = || -> (usize, Vec<(usize, [f64; N])>) {
        match question.method.as_str() {
            "BDF, dense" => thread!(Dense, NalgebraLU<f64>, bdf, problem, reltol, next),
            "BDF, sparse" => thread!(Sparse, FaerSparseLU<f64>, bdf, problem, reltol, next),
            "ESDIRK34, dense" => thread!(Dense, NalgebraLU<f64>, esdirk34, problem, reltol, next),
            "TR-BDF2, dense" => thread!(Dense, NalgebraLU<f64>, tr_bdf2, problem, reltol, next),
            other => panic!("no method {other}"),
        }
    };
    let begin = Instant::now();
    let mut solved = Solved { seconds: 0.0, steps: 0, ends: vec![[0.0; N]; problem.trajectories] };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..question.threads).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            let (steps, ends) = thread.join().expect("a thread that ends");
            solved.steps += steps as u64;
            for (i, end) in ends {
                solved.ends[i] = end;
            }
        }
    });
    solved.seconds = begin.elapsed().as_secs_f64();
    solved
}
