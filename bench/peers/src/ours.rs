//! odes: one lane on one thread, or SIMD lanes on several threads, the widest or AVX2.

use odes::SolveOptions;
use odes::backend::InstructionSet;
use odes::methods::{Method, Rodas4, Rosenbrock23};
use odes::prelude::*;
use odes::system::System;

use crate::{FLOOR, Problem, Question, Solved};

pub(crate) fn solve<S, const N: usize, const P: usize>(
    problem: &Problem<S, N, P>,
    question: &Question,
    reltol: f64,
) -> Solved<N>
where
    S: System<N, P>,
{
    let Problem { system, u0, p, end, trajectories, .. } = *problem;
    let base = OdeProblem::new(system, u0, 0.0..=end, p);
    let ensemble = EnsembleProblem::new(base)
        .trajectories(trajectories)
        .vary(|q, i| q.with_p(problem.parameters(i)));
    let options = SolveOptions::default().reltol(reltol).abstol(FLOOR * reltol);
    match question.method.as_str() {
        "Rosenbrock23" => by(Rosenbrock23, &ensemble, question, &options),
        "Rodas4" => by(Rodas4, &ensemble, question, &options),
        "Rodas5P" => by(Rodas5P, &ensemble, question, &options),
        other => panic!("no method {other}"),
    }
}

fn by<M, S, F, const N: usize, const P: usize>(
    method: M,
    ensemble: &EnsembleProblem<S, f64, F, N, P>,
    question: &Question,
    options: &SolveOptions,
) -> Solved<N>
where
    M: Method,
    S: System<N, P>,
    F: odes::problem::Vary<S, f64, N, P>,
{
    let threads = EnsembleThreads::new().threads(question.threads);
    let solution = match question.code.as_str() {
        "serial" => ensemble.solve(method, EnsembleSerial, options),
        "avx2" => ensemble.solve(method, threads.instructions(InstructionSet::Avx2), options),
        _ => ensemble.solve(method, threads, options),
    };
    let solution = solution.expect("a question that can be answered");
    assert!(solution.all_succeeded(), "{:?}", solution.code_counts());
    let steps = |i| u64::from(solution.accepted(i)) + u64::from(solution.rejected(i));
    Solved {
        seconds: solution.timings().total.as_secs_f64(),
        steps: (0..solution.len()).map(steps).sum(),
        ends: (0..solution.len()).map(|i| solution.final_state(i)).collect(),
    }
}
