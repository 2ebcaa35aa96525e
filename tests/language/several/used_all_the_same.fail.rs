//! Code that uses systems with mistakes gives no further errors.

use odes::prelude::*;

#[ode_system]
fn signature(du: &mut [f64; 2], u: &[f64; 2], p: &[f64]) {
    du[0] = -u[0];
}

#[ode_system]
fn body(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[2];
    du[1] = -u[0];
}

#[ode_system]
mod fields {
    pub struct State {
        pub x: f64,
    }

    pub struct Parameters {
        pub rates: Vec<f64>,
    }

    pub fn rhs(u: &State, p: &Parameters) -> State {
        State { x: p.rates[0] * u.x }
    }
}

#[ode_system]
mod nothing {
    pub fn right_hand_side(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

fn solve() {
    let problem = OdeProblem::new(signature, [1.0, 2.0], 0.0..=1.0, [0.5]);
    let _ = EnsembleProblem::new(problem).trajectories(3);
    let _ = OdeProblem::new(body, [1.0, 2.0], 0.0..=1.0, []);
    let (state, parameters) = (fields::State { x: 1.0 }, fields::Parameters { rates: vec![] });
    let _ = OdeProblem::new(fields, state, 0.0..=1.0, parameters);
    let _ = OdeProblem::<_, f64, 1, 0>::new(nothing, [1.0], 0.0..=1.0, []);
    println!("{}{}", signature::report(), body::report());
    println!("{}{}", fields::report(), nothing::report());
}

fn main() {
    solve();
}
