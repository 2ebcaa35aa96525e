//! Parameters before the state, in a module with structs.

use odes::ode_system;

#[ode_system]
mod oscillator {
    pub struct State {
        x: f64,
        v: f64,
    }

    pub struct Parameters {
        stiffness: f64,
    }

    pub fn rhs(p: &Parameters, u: &State, t: f64) -> State {
        State { x: u.v, v: -p.stiffness * u.x }
    }
}

#[ode_system]
mod counted {
    const N: usize = 2;

    pub fn rhs(du: &mut [f64; N], p: &[f64; 3], u: &[f64; N]) {
        for i in 0..N {
            du[i] = p[i] - p[2] * u[i];
        }
    }
}

fn main() {}
