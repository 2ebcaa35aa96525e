// The noise of stochastic equations.

//# noise_has_the_type_of_the_state
//! Noise has the type of the state, or is an array of it.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[noise]
    pub(crate) fn kicks(u: &[f64; 2]) -> [f64; 3] {
//~                                      ^^^^^^^^
//~ error: noise has the type of the state, for one Wiener process in each component, or is an array
//~ of it with an element for each process: return `State` or `[State; M]`
        [u[0], 0.5, 1.0]
    }
}

//# noise_is_one_function
//! A system has one function with noise.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[noise]
    pub(crate) fn first(u: &[f64; 2]) -> [f64; 2] {
        [0.5, u[1]]
    }

    #[noise]
    pub(crate) fn second(_u: &[f64; 2]) -> [f64; 2] {
//~               ^^^^^^
//~ error: `first` is the noise of this system already: write one function, which returns an array
//~ with an element for each Wiener process, as in `-> [State; 2]`
        [1.0, 1.0]
    }
}

//# the_calculus_is_known
//! The calculus is Itô's or Stratonovich's.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[noise(strato)]
//~         ^^^^^^
//~ error: `strato` is not a calculus: write `#[noise]` or `#[noise(ito)]` for Itô's calculus, and
//~ `#[noise(stratonovich)]` for Stratonovich's
    pub(crate) fn kicks(u: &[f64; 1]) -> [f64; 1] {
        [u[0]]
    }
}

//# noise_without_features
//! A system with noise has no features.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[noise]
    pub(crate) fn kicks(u: &[f64; 1]) -> [f64; 1] {
        [u[0]]
    }

    #[feature(maximum)]
    pub(crate) fn height(u: &[f64; 1]) -> f64 {
//~               ^^^^^^
//~ error: `height` is a feature, and this system has noise (`kicks`): the two do not work together;
//~ save the trajectory, and compute this number from it
        u[0]
    }
}

//# gradients_need_constant_times
//! With noise, gradients need constant times of actions.

use odes::ode_system;

#[ode_system(gradients = "on")]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        [-p[0] * u[0]]
    }

    #[noise]
    pub(crate) fn kicks(u: &[f64; 1]) -> [f64; 1] {
//~               ^^^^^
//~ error: the times of `dose` depend on parameters, and the path of the noise has no derivative
//~ with respect to the time: use constant times, or write a module without gradients
        [u[0]]
    }

    #[at(p[1])]
    pub(crate) fn dose(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        [u[0] + p[1]]
    }
}

//# noise_without_mass_matrix
//! A system with noise has no mass matrix.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];
//~       ^
//~ error: a system with noise cannot have a mass matrix: solve the equations for the derivatives,
//~ and write these

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], u[0] + u[1]]
    }

    #[noise]
    pub(crate) fn kicks(u: &[f64; 2]) -> [f64; 2] {
        [u[0], 0.0]
    }
}
