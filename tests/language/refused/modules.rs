// Systems as modules.

//# aliases
//! An alias of a type is declared in the module.

use odes::ode_system;

type Pair = [f64; 2];

#[ode_system]
mod rule {
    use super::Pair;

    pub fn rhs(u: &Pair) -> Pair {
//~                ^^^^
//~ error: this type cannot be part of a state or of parameters: they contain only floats; write
//~ `f64`, an array `[f64; N]`, or a struct or an alias of these that is declared in this module
        [u[1], -u[0]]
    }
}

//# domains_are_conditions
//! The condition of a domain returns a truth value.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[0] - u[1]]
    }

    fn is_out_of_domain(u: &[f64; 2]) -> f64 {
//~    ^^^^^^^^^^^^^^^^
//~ error: `is_out_of_domain` must return a truth value: write `fn is_out_of_domain(u: &State, p:
//~ &Parameters, t: f64) -> bool`
        u[0].min(u[1])
    }
}

//# domains_have_states
//! The domain is not empty.

use odes::ode_system;

#[ode_system]
mod rule {
    const LIMIT: i32 = -1;

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[0] - u[1]]
    }

    fn is_out_of_domain(_u: &[f64; 2]) -> bool {
//~    ^^^^^^^^^^^^^^^^
//~ error: every state is outside the domain: this condition is always true; compare the state with
//~ its bounds, as in `u.mass < 0.0`
        LIMIT < 0
    }
}

//# equations_have_unknowns
//! Each unknown has its own equation, in which it occurs.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 3] = [1.0, 0.0, 0.0];
//~       ^
//~ error: with this mass matrix, the equations of `v` and `force` have no unknown except `x`:
//~ another unknown has no equation, or only the derivative of one (an index above 1); write an
//~ algebraic equation for each unknown without a derivative, for example by differentiating by hand

    pub(crate) fn rhs(u: &[f64; 3]) -> [f64; 3] {
        let [x, v, force] = *u;
        [v + force, x * x - 1.0, 2.0 * x]
    }
}

//# fields
//! State and parameters may be structs with named fields.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct State {
        /// Prey, in thousands.
        pub hares: f64,
        /// Predators, in thousands.
        pub lynxes: f64,
    }

    pub struct Parameters {
        /// Births, and meals, per year.
        pub rate: f64,
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        State {
            hares: u.hares * (p.rate - u.lynxes),
            lynxes: u.lynxes * (p.rate * u.rabbits - 1.0),
//~                                      ^^^^^^^^^
//~ error: `State` has no field `rabbits`: its fields are hares, lynxes
        }
    }
}

//# jacobians_are_right
//! A handwritten Jacobian is the derivative of `rhs`.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[0] * u[1], -u[1]]
    }

    fn jacobian(u: &[f64; 2]) -> [[f64; 2]; 2] {
//~    ^^^^^^^^
//~ error: the derivative of the right-hand side of `u0` with respect to `u0` is 1.836697e0 here,
//~ but 1.921039e-1 by differentiation, at a test point: correct it, or remove this function,
//~ because exact derivatives are derived anyway; `#[ode_system(check = "off")]` disables this check
        [[u[0], u[1]], [0.0, -1.0]]
    }
}

//# jacobians_are_square
//! A Jacobian has a row for each derivative and a column for each state.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[0] * u[1], -u[1]]
    }

    fn jacobian(u: &[f64; 2]) -> [f64; 4] {
//~                              ^^^^^^^^
//~ error: expected `[[f64; 2]; 2]` here: a row for the right-hand side of each state, and a column
//~ for each of the 2 states
        [u[1], u[0], 0.0, -1.0]
    }
}

//# masses_are_constants
//! A mass matrix is a constant of the module.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }

    #[mass_matrix]
    fn mass(u: &[f64; 2]) -> [[f64; 2]; 2] {
//~    ^^^^
//~ error: a mass matrix cannot be a function: methods assume that it is constant; write
//~ `#[mass_matrix] const M: [[f64; N]; N] = […];`, or `[f64; N]` for a diagonal matrix; if it
//~ depends on the state, solve for the derivatives in the right-hand side
        [[1.0 + u[0], 0.0], [0.0, 0.0]]
    }
}

//# masses_are_finite
//! The entries of a mass matrix are finite.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, f64::INFINITY];
//~                     ^^^^^^^^^^^^^^^^^^^^
//~ error: an entry of this mass matrix is not finite: it multiplies a derivative; write a finite
//~ number

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }
}

//# masses_are_of_modules
//! A mass matrix belongs to a module.

use odes::ode_system;

#[ode_system]
fn rule(u: &[f64; 2]) -> [f64; 2] {
    #[mass_matrix]
//~ ^^^^^^^^^^^^^^
//~ error: a mass matrix cannot be here: it belongs to a module; write the system as `#[ode_system]
//~ mod name { … }`, with this function as `fn rhs` and `#[mass_matrix] const M: [[f64; N]; N] =
//~ […];`, or `[f64; N]` for a diagonal matrix
    const M: [f64; 2] = [1.0, 0.0];
    [-u[0] * u[1], u[1] - u[0]]
}

//# masses_are_square
//! A mass matrix has a row for each equation and a column for each derivative, or is diagonal.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 4] = [2.0, 1.0, 0.0, 1.0];
//~          ^^^^^^^^
//~ error: expected `[[f64; 2]; 2]` here, or `[f64; 2]` for a diagonal matrix: each row belongs to
//~ the equation of a state, and each column to the derivative of a state

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[1], u[0]]
    }
}

//# masses_are_written
//! The entries of a mass matrix are written in the module.

use odes::ode_system;

mod elsewhere {
    pub(crate) const M: [f64; 2] = [1.0, 0.0];
}

#[ode_system]
mod rule {
    use super::elsewhere;

    #[mass_matrix]
    const M: [f64; 2] = elsewhere::M;
//~                     ^^^^^^^^^^^^
//~ error: the entries of a mass matrix must be written here: their zeros decide how equations are
//~ solved, and a macro cannot see the value of a constant from outside; write the entries, as in
//~ `[[1.0, 0.0], [0.0, 0.0]]`

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }
}

//# masses_do_not_vary
//! The entries of a mass matrix are the same for all states, parameters and times.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 2] = [2.0 * p[0], 1.0];
//~                            ^
//~ error: a mass matrix cannot depend on `p`: methods assume that it is constant; solve for the
//~ derivatives in the right-hand side

    pub(crate) fn rhs(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
        [-u[0], u[0]]
    }
}

//# masses_from_outside
//! An entry that is a constant from outside is not zero.

use odes::ode_system;

const INERTIA: f64 = 0.0;

#[ode_system]
mod rule {
    use super::INERTIA;

    #[mass_matrix]
    const M: [f64; 2] = [1.0, INERTIA];
//~       ^
//~ error[E0080]: evaluation panicked: an entry of this mass matrix is zero by a constant from
//~ outside: which are zero decides how equations are solved, and a macro does not see it; write
//~ `0.0`

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }
}

//# methods
//! The structs of a module may have methods that change nothing.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub saturation: f64,
    }

    impl Parameters {
        fn uptake(&mut self, x: f64) -> f64 {
//~                ^^^
//~ error: a function inside a right-hand side cannot change its arguments: each value has only one
//~ name; return the new value, or a tuple of new values
            self.rate *= 2.0;
            self.rate * x / (self.saturation + x.abs())
        }
    }

    pub fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.uptake(u[0])]
    }
}

//# names_of_the_module
//! The attribute declares `Model` and `report`.

use odes::ode_system;

#[ode_system]
mod rule {
    struct Model {
//~        ^^^^^
//~ error: `#[ode_system]` declares `Model` in this module; use another name
        decay: f64,
    }

    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        let rates = Model { decay: 0.5 };
        [-rates.decay * u[0]]
    }
}

//# numbers_only
//! State and parameters consist of floats, arrays and structs.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub compartments: usize,
//~         ^^^^^^^^^^^^
//~ error: this type cannot be part of a state or of parameters: they contain only floats; write
//~ `f64`, or a `const` for a value known at compile time
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-u[0]]
    }
}

//# observables_are_floats
//! An observable is a float, or several.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[observable]
    pub(crate) fn above(u: &[f64; 2]) -> bool {
//~                                      ^^^^
//~ error: an observable must be a float, found a truth value: every lane computes it; return a
//~ float, or an array, a tuple or a struct of floats
        u[0] > 0.0
    }
}

//# observables_are_returned
//! An observable returns its value.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[observable]
    pub(crate) fn energy(e: &mut [f64; 1], u: &[f64; 2]) {
//~               ^^^^^^
//~ error: an observable must return its value: write `fn name(u: &State, p: &Parameters, t: f64) ->
//~ f64`; the result may also be an array, a tuple or a struct
        e[0] = 0.5 * (u[0] * u[0] + u[1] * u[1]);
    }
}

//# one_mass_matrix
//! A system has one mass matrix.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];

    #[mass_matrix]
    const MASS: [[f64; 2]; 2] = [[1.0, 0.0], [0.0, 0.0]];
//~       ^^^^
//~ error: `M` is already the mass matrix: a system has only one; remove this one

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }
}

//# right_hand_side
//! A module has a function `rhs`.

use odes::ode_system;

#[ode_system]
mod rule {
    fn derivative(u: &[f64; 2]) -> [f64; 2] {
//~    ^^^^^^^^^^
//~ error: this system has no right-hand side: a module needs a function `rhs`; rename this function
//~ if it is the right-hand side
        [u[1], -u[0]]
    }
}

//# use_in_the_module
//! A `use` stands in the module, not in its functions.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1], t: f64) -> [f64; 1] {
        use std::f64::consts::TAU;
//~     ^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: `use` is not supported in a function of a system: names are looked up in the module; move
//~ it there
        [u[0] * (TAU * t).cos()]
    }
}

//# written_in_place
//! The module is written where the attribute is.

use odes::ode_system;

#[ode_system]
mod rule;
//~ columns 1 to 9
//~ error[E0658]: file modules in proc macro input are unstable
//~ columns 1 to 9
//~ error: the module must be written here, as in `mod name { … }`: a macro cannot see another file;
//~ put `#[ode_system] mod name { … }` into that file
