// Random jumps.

//# a_jump_has_a_bound
//! A jump has a bound of its rate.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        [-p[1] * u[0]]
    }

    #[jump]
//~ ^^^^^^^
//~ error: a jump needs a bound of its rate: write `#[jump(bound = p.most)]`, with a number that the
//~ rate does not exceed before the next action; add `log` to log the jumps
    pub(crate) fn birth(u: &[f64; 1], p: &[f64; 2]) -> f64 {
        p[0] * u[0]
    }

    #[jump(max = p[0])]
//~        ^^^
//~ error: `max` is not an argument of `#[jump]`: did you mean `bound`?
    pub(crate) fn arrival(_u: &[f64; 1], p: &[f64; 2]) -> f64 {
        p[0]
    }
}

//# a_bound_is_a_number
//! A bound is one number that a rate can have.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        [-p[1] * u[0]]
    }

    #[jump(bound = -1.0)]
//~                ^^^^
//~ error: `bound` is -1, and a rate has a finite bound that is zero or positive: write the largest
//~ rate
    pub(crate) fn arrival(_u: &[f64; 1], p: &[f64; 2]) -> f64 {
        p[0]
    }

    #[jump(bound = [1.0, 2.0])]
//~                ^^^^^^^^^^
//~ error: `bound` must be one number: the rate of the jump does not exceed it
    pub(crate) fn birth(u: &[f64; 1], p: &[f64; 2]) -> f64 {
        p[0] * u[0]
    }
}

//# actions_of_jumps_receive_random_numbers
//! Only actions of jumps receive random numbers, and these have no delay.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[event(falling)]
    pub(crate) fn low(u: &[f64; 1]) -> f64 {
        u[0] - 1.0
    }

    #[action(low, normal)]
//~               ^^^^^^
//~ error: only the action of a jump receives a random number, and `low` is no `#[jump(…)]`; remove
//~ `normal`
    pub(crate) fn lifted(u: &[f64; 1], random: f64) -> [f64; 1] {
        [u[0] + random]
    }

    #[jump(bound = 2.0)]
    pub(crate) fn arrival(_u: &[f64; 1]) -> f64 {
        2.0
    }

    #[action(arrival, after = 1.0)]
//~                           ^^^
//~ error: the action of a jump cannot be delayed; change a mode by it, and write an `#[event(…)]`
//~ that occurs later, or remove `after`
    pub(crate) fn arrived(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# a_random_number_is_an_argument
//! The random number of an action is its last argument.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[jump(bound = 2.0)]
    pub(crate) fn crash(_u: &[f64; 1]) -> f64 {
        2.0
    }

    #[action(crash, normal)]
    pub(crate) fn fallen(u: &[f64; 1]) -> [f64; 1] {
//~               ^^^^^^
//~ error: this action receives a random number as its last argument: add `random: f64` after state,
//~ parameters, modes and time
        [u[0] - 1.0]
    }
}
