//! The training problem of DiffEqGPU.jl's documentation of data-parallel training.

use odes::prelude::*;

/// `u' = 1.01 u θ2` from `0.5 + i/100 θ1`; the loss is the sum of `(1 - u)²` over all saved times.
#[ode_system]
pub(crate) mod decay {
    pub struct Theta {
        pub start: f64,
        pub rate: f64,
    }
    pub struct Item {
        pub scale: f64,
    }
    pub struct State {
        pub u: f64,
    }
    pub struct Parameters {
        pub rate: f64,
    }

    fn initial(theta: &Theta, item: &Item) -> State {
        State { u: 0.5 + item.scale * theta.start }
    }

    fn parameters(theta: &Theta) -> Parameters {
        Parameters { rate: theta.rate }
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { u: 1.01 * u.u * p.rate }
    }

    #[loss]
    fn misfit(u: &State) -> f64 {
        (1.0 - u.u) * (1.0 - u.u)
    }
}

pub(crate) fn items() -> impl Iterator<Item = decay::Item> {
    (1..=100).map(|i| decay::Item { scale: f64::from(i) / 100.0 })
}
