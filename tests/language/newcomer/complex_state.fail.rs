//! Complex numbers as the state.

use odes::ode_system;

#[ode_system]
fn amplitudes(u: &[Complex64; 2], p: &[f64; 1], t: f64) -> [Complex64; 2] {
    [u[1], u[0]]
}

#[ode_system]
fn field(u: &Complex<f64>) -> Complex<f64> {
    *u
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex<T> {
    re: T,
    im: T,
}

#[ode_system]
mod laser {
    use super::Complex;

    pub struct State {
        field: Complex<f64>,
        gain: f64,
    }

    pub fn rhs(u: &State) -> State {
        State { field: u.field, gain: u.gain }
    }
}

fn main() {}
