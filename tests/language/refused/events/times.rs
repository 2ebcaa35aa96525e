// Actions at given times.

//# numbers_of_times
//! `first`, `every` and `count` are one number each.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(first = p.times, every = 12.0)]
//~              ^^^^^^^
//~ error: this must be one number: `first`, `every` and `count` describe one series of times; write
//~ a list of times as `#[at(p.times)]`
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# timed_actions_give_states
//! A scheduled action returns a state.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(p.times)]
    pub(crate) fn dose(u: &[f64; 1]) -> f64 {
        u[0] + 1.0
//~     ^^^^^^^^^^
//~ error: expected an array of 1 float here, found a float: the last expression of an action is the
//~ array of states after the action
    }
}

//# times_are_floats
//! The times of an action are floats.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(4)]
//~      ^
//~ error: expected a float here, found an integer: write `4.0`, with a point
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# times_are_of_arguments
//! The parameters in the times of an action are an argument of the action, or of the right-hand side.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[at(p.times)]
//~      ^
//~ error: `p` is not an argument of `dose`: to use the parameters here, add `p: &Parameters` after
//~ the state in `fn dose`
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# times_are_known
//! The times of an action depend only on parameters.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(p.times[0] + u[0])]
//~      ^^^^^^^^^^^^^^^^^
//~ error: the times of an action cannot depend on the state, the time or modes: they are computed
//~ from the parameters before the solve; for an action that depends on the state, write an
//~ `#[event(…)]` with an `#[action(…)]`
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# times_are_numbers
//! The times of an action are numbers, not conditions.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(t == 4.0)]
//~      ^^^^^^^^
//~ error: expected a number here, found a condition: write the number, as in `#[at(4.0)]`
    pub(crate) fn dose(u: &[f64; 1], p: &Parameters, t: f64) -> [f64; 1] {
        [u[0] + p.rate * t]
    }
}

//# times_are_said
//! `#[at]` lists at least one time.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at]
//~ ^^^^^
//~ error: `#[at]` needs times: write one or more times, as in `#[at(4.0)]` and `#[at(p.times)]`, or
//~ `#[at(first = 0.0, every = p.period, count = 10)]`, where `count` is optional; add `log` to log
//~ the action
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# times_begin
//! Periodic times have a first time.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(every = p.rate)]
//~ ^^^^^^^^^^^^^^^^^^^^^
//~ error: periodic times need `first` and `every`; add `first = …`
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# times_come
//! The period of periodic times is not negative, and their count is positive.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(first = 0.0, every = -0.5 * 2.0, count = 0 - 3)]
//~                           ^^^^^^^^^^
//~ error: `every` is -1, but a period cannot be negative: later times would precede `first`; write
//~ a positive period
//~                                               ^^^^^
//~ error: `count` is -3, so there are no times: it must be positive; write the number of times, or
//~ omit `count` for all times until the end of the span
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# words_of_times
//! Scheduled actions have times, or `first`, `every` and `count`, and may have `log`.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 2],
    }

    pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.rate * u[0]]
    }

    #[at(first = 0.0, period = 12.0)]
//~                   ^^^^^^
//~ error: `period` is not an argument of `#[at]`: did you mean `every`?
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }

    #[at(1.0, stop)]
//~           ^^^^
//~ error: `stop` is an argument of `#[event]`, and `#[at]` accepts only times and `log`: a
//~ scheduled action is counted, but it does not end the trajectory; write one or more times, as in
//~ `#[at(4.0)]` and `#[at(p.times)]`, or `#[at(first = 0.0, every = p.period, count = 10)]`, where
//~ `count` is optional; add `log` to log the action
    pub(crate) fn more(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 2.0]
    }

    #[at(1.0, log = 3)]
//~           ^^^
//~ error: `log` takes no value: the number of logged events per trajectory is an option of the
//~ solve; set it by `SolveOptions::event_log`
    pub(crate) fn third(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 3.0]
    }

    #[at(log, 1.0, log)]
//~                ^^^
//~ error: `log` occurs twice; remove this one
    pub(crate) fn fourth(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 4.0]
    }

    #[at(first = 0.0, every = 1.0, 4.0)]
//~                                ^^^
//~ error: periodic times stand alone; remove this time: write one or more times, as in `#[at(4.0)]`
//~ and `#[at(p.times)]`, or `#[at(first = 0.0, every = p.period, count = 10)]`, where `count` is
//~ optional; add `log` to log the action
    pub(crate) fn fifth(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 5.0]
    }

    #[at(log)]
//~ ^^^^^^^^^^
//~ error: `#[at]` needs times: write one or more times, as in `#[at(4.0)]` and `#[at(p.times)]`, or
//~ `#[at(first = 0.0, every = p.period, count = 10)]`, where `count` is optional; add `log` to log
//~ the action
    pub(crate) fn sixth(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 6.0]
    }
}
