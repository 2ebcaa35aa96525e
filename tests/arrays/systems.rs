//! The systems of the lockstep tests.

use odes::prelude::*;

/// An oscillator with a force that jumps in time, an observable and a wall.
#[ode_system]
pub(crate) mod forced {
    pub(crate) fn rhs(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
        let [x, v] = *u;
        let force = if t < 1.5 { p[1] } else { -p[1] };
        [v, force * t - p[0] * x]
    }

    #[observable]
    pub(crate) fn energy(u: &[f64; 2], p: &[f64; 2]) -> f64 {
        0.5 * (u[1] * u[1] + p[0] * u[0] * u[0])
    }

    pub(crate) fn is_out_of_domain(u: &[f64; 2]) -> bool {
        u[0] > 50.0
    }
}

/// Growth from a seed to one, with an algebraic unknown as its rate, and a component that follows.
///
/// One row of the mass matrix is negative, so the determinants of short steps are negative too.
#[ode_system]
pub(crate) mod constrained {
    #[mass_matrix]
    const M: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, -1e-3, 0.0], [0.0, 0.0, 0.0]];

    fn rhs(u: &[f64; 3], p: &[f64; 1]) -> [f64; 3] {
        let [x, follower, rate] = *u;
        [rate * x, follower - x, rate - p[0] * (1.0 - x)]
    }
}

/// A ball that bounces and is kicked, with all kinds of events.
#[ode_system]
pub(crate) mod kicked {
    pub(crate) struct State {
        pub(crate) height: f64,
        pub(crate) velocity: f64,
    }

    pub(crate) struct Modes {
        pub(crate) bounces: f64,
    }

    pub(crate) struct Parameters {
        pub(crate) restitution: f64,
        pub(crate) kick: f64,
        pub(crate) modes: Modes,
    }

    fn rhs(u: &State) -> State {
        State { height: u.velocity, velocity: -9.81 }
    }

    #[event(falling, log)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn bounce(u: &State, p: &Parameters) -> (State, Modes) {
        let up = State { height: 0.0, velocity: -p.restitution * u.velocity };
        (up, Modes { bounces: p.modes.bounces + 1.0 })
    }

    #[event(both, log)]
    fn turn(u: &State) -> f64 {
        u.velocity
    }

    #[event(rising, stop, log)]
    fn high(u: &State, m: &Modes) -> f64 {
        u.height - 8.0 - 0.25 * m.bounces
    }

    #[at(p.kick)]
    fn kick(u: &State, p: &Parameters) -> State {
        State { velocity: u.velocity + 3.0 * p.restitution, ..*u }
    }

    #[after_step]
    fn fast(u: &State) -> bool {
        u.velocity.abs() > 8.0
    }

    #[action(fast)]
    fn slow(u: &State) -> State {
        State { velocity: 0.875 * u.velocity, ..*u }
    }

    #[observable]
    fn bounces(_: &State, m: &Modes) -> f64 {
        m.bounces
    }
}

/// `u' = p u²`, which ends at `t = 1/(p u0)`.
#[ode_system]
pub(crate) fn hyperbola(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [p[0] * u[0] * u[0]]
}
