use odes::prelude::*;
use std::cell::RefCell;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() {
    let problem = OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1.0, [1.0]);
    let rate = RefCell::new(1.0);
    let _ = EnsembleProblem::new(problem).trajectories(100).vary(|problem, _| {
        *rate.borrow_mut() *= 0.9;
        problem.with_p([*rate.borrow()])
    });
}
