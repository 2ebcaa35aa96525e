//! Systems that are modules.

use odes::{ode_fn, ode_system};

#[ode_system]
mod empty {}

#[ode_system]
mod elsewhere;

#[ode_system]
mod wrong_derivatives {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    fn rhs(u: &State, t: f64) -> State {
        State { x: u.v, v: -u.x * t }
    }

    fn jacobian(_u: &State, _t: f64) -> [[f64; 2]; 2] {
        [[0.0, 1.0], [-1.0, 0.0]]
    }

    fn tgrad(u: &State, _t: f64) -> State {
        State { x: 0.0, v: u.x }
    }
}

#[ode_system]
mod fields {
    pub struct State {
        pub velocity: f64,
        pub count: usize,
    }

    pub struct Parameters {
        pub mass: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let State { velocity } = *u;
        State { velocity: u.velocty / p.mas }
    }
}

#[ode_system]
mod names {
    const N: usize = 2;
    pub struct Pair {
        a: f64,
        b: f64,
    }

    fn rhs(du: &mut [f64; N], u: &[f64; N], t: f64) {
        let pair = Pair { a: 1.0 };
        let Pair { a, .. } = pair;
        du[0] = a + pair.c + u.x;
        du[M] = t;
    }

    fn jacobian(u: &[f64; N], t: f64) -> [[f64; 3]; 3] {
        [[0.0; 3]; 3]
    }

    #[observable]
    fn large(u: &[f64; 3]) -> bool {
        u[0] > 0.0
    }

    #[observable]
    fn written(out: &mut f64, u: &[f64; N]) {
        *out = u[0];
    }
}

#[ode_system]
mod taken {
    pub struct Model(f64);

    fn rhs(u: &[f64; 1], p: Model) -> [f64; 1] {
        [u[0] * p.0]
    }
}

fn plain(x: f64) -> f64 {
    x
}

mod other {
    #[odes::ode_fn]
    pub(crate) fn deep(x: &[f64; 2]) -> f64 {
        x[2]
    }
}

#[ode_system]
fn outside(du: &mut [f64; 1], u: &[f64; 1]) {
    du[0] = plain(u[0]);
}

#[ode_system]
fn imported(du: &mut [f64; 2], u: &[f64; 2]) {
    use self::other::deep;
    du[0] = deep(u);
    du[1] = 0.0;
}

#[ode_fn]
async fn slow(x: f64) -> f64 {
    x
}

#[ode_fn]
struct Number;

fn main() {
    let _ = (wrong_derivatives, fields, outside, imported);
}
