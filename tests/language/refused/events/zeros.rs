// Functions whose zeros are events, and conditions after steps.

//# conditions_are_possible
//! A condition after steps can be true.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }

    #[after_step(stop)]
    pub(crate) fn settled(u: &[f64; 1]) -> bool {
//~               ^^^^^^^
//~ error: this condition is never true: it would have no effect; compare the state with a value, as
//~ in `u.mass < 0.01`
        u.len() > 1
    }
}

//# conditions_are_truths
//! A condition after steps is a truth value.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }

    #[after_step(stop)]
    pub(crate) fn settled(u: &[f64; 1]) -> f64 {
//~               ^^^^^^^
//~ error: a condition after steps must return a truth value: write `fn name(u: &State, p:
//~ &Parameters, t: f64) -> bool`
        1.0 - u[0]
    }
}

//# directions_are_said
//! An event has a direction in which it crosses zero.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event]
//~ ^^^^^^^^
//~ error: an event needs a direction: write `#[event(falling)]`, `#[event(rising)]` or
//~ `#[event(both)]`; add `stop` or `stop = 3` to end the trajectory at the first or the third
//~ event, and `log` to log the events
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

//# events_are_floats
//! An event is a float.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> bool {
//~                                       ^^^^
//~ error: an event must be a float, found a truth value: every lane computes it; return a float
//~ that crosses zero at the event, as in `u.height - 1.0`
        u[0] < 0.0
    }
}

//# events_are_one_number
//! An event is one number.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> [f64; 2] {
//~                                       ^^^^^^^^
//~ error: an event must return one number, which crosses zero: return one `f64`, and write a
//~ function for each event
        *u
    }
}

//# events_are_on_both_sides
//! An event has both signs; a clipped number does not cross zero.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub gain: f64,
        pub level: f64,
    }

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising)]
    pub(crate) fn above(u: &[f64; 2]) -> f64 {
//~               ^^^^^
//~ error: this event never crosses zero: its value is never negative; return the number before
//~ `max`, `clamp`, `abs` or an `if` limits it, as in `u.height - 1.0`
        (u[0] - 1.0).max(0.0)
    }

    #[event(falling)]
    pub(crate) fn below(u: &[f64; 2], p: &Parameters) -> f64 {
//~               ^^^^^
//~ error: this event never crosses zero: its value is never positive; return the number before
//~ `min`, `clamp`, `abs` or an `if` limits it, as in `u.height - 1.0`
        if u[0] < p.level { u[0] - p.level } else { 0.0 }
    }

    #[event(both)]
    pub(crate) fn scaled(u: &[f64; 2], p: &Parameters) -> f64 {
//~               ^^^^^^
//~ error: this event never crosses zero: the parameters decide its sign, which stays the same
//~ during a solve; return the number before `max`, `min`, `clamp`, `abs` or an `if` limits it, as
//~ in `u.height - 1.0`
        p.gain * (u[0] - p.level).clamp(0.0, 1.0)
    }

    #[event(both)]
    pub(crate) fn far(u: &[f64; 2]) -> f64 {
//~               ^^^
//~ error: this event never crosses zero: its value is never negative; return the number before
//~ `max`, `clamp`, `abs` or an `if` limits it, as in `u.height - 1.0`
        u[0] * u[0] + u[1] * u[1] + 1.0
    }
}

//# events_change
//! An event depends on the state or on the time.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising)]
    pub(crate) fn ground(_: &[f64; 2]) -> f64 {
//~               ^^^^^^
//~ error: this event never crosses zero: its value does not depend on the state or the time; return
//~ a number that does, as in `u.height - 1.0`
        1.0
    }
}

//# events_do_not_jump
//! An event does not jump.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
//~               ^^^^^^
//~ error: this event jumps between values and does not cross zero: return the number before it is
//~ rounded or compared, minus its value at the event, as in `u.height - 1.0`
        if u[0] < 1.0 { -1.0 } else { 1.0 }
    }

    #[event(rising)]
    pub(crate) fn second(u: &[f64; 2]) -> f64 {
//~               ^^^^^^
//~ error: this event jumps between values and does not cross zero: return the number before it is
//~ rounded or compared, minus its value at the event, as in `u.height - 1.0`
        u[0].floor() - 2.0
    }

    #[event(both)]
    pub(crate) fn turn(u: &[f64; 2]) -> f64 {
//~               ^^^^
//~ error: this event jumps between values and does not cross zero: return the number before it is
//~ rounded or compared, minus its value at the event, as in `u.height - 1.0`
        u[1].signum()
    }
}

//# events_go_through_zero
//! An event crosses zero; a square, an `abs` and an `exp` do not.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(both)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
//~               ^^^^^^
//~ error: this event never crosses zero: a square is never negative; return the base of the square
        u[0] * u[0]
    }
}

//# functions_have_events
//! An event of a function has a name and a value.

use odes::ode_system;

#[ode_system]
#[event(rising, stop)]
//~ columns 1 to 22
//~ error: an event of a function needs a name and a value that crosses zero: write both, as in
//~ `#[event(rising, stop, escaped = u[0] - 40.0)]`
fn rule(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0] * p[0]]
}

//# functions_have_named_events
//! An attribute declares one event, and each event has its own name.

use odes::ode_system;

#[ode_system]
#[event(rising, up = u[0] - 0.5, high = u[0] - 0.75)]
//~                              ^^^^
//~ error: an attribute declares one event, here `up`: write another `#[event(…)]` for `high`
#[event(rising, low: u[0] - 0.1)]
//~                ^
//~ error: expected `,` or `=` here: write the name and the value of the event as in
//~ `#[event(rising, stop, escaped = u[0] - 40.0)]`
#[event(rising, top = u[0] - 0.8)]
#[event(falling, top = u[0] - 0.9)]
//~              ^^^
//~ error: `top` is already the name of an event; use another name
fn rule(u: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0]]
}

//# one_direction
//! An event has one direction.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising, falling)]
//~                 ^^^^^^^
//~ error: an event has only one direction, found a second one: write `#[event(falling)]`,
//~ `#[event(rising)]` or `#[event(both)]`; add `stop` or `stop = 3` to end the trajectory at the
//~ first or the third event, and `log` to log the events
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

//# one_purpose
//! A function has one purpose.

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

    #[at(1.0)]
    #[at(2.0)]
//~ ^^^^^^^^^^
//~ error: `dose` is already an action: write all its times in one attribute, as in `#[at(1.0,
//~ 2.0)]`
    pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }
}

//# values_of_events_are_known
//! The value of an event uses the arguments of the right-hand side, not its variables.

use odes::ode_system;

#[ode_system]
#[event(rising, up = rest - 0.5)]
//~                  ^^^^
//~ error: cannot find the variable `rest`: only arguments, variables and constants (in capitals)
//~ are visible in a right-hand side; declare it here by `let rest = …`, make it a parameter, or use
//~ a constant `REST`
fn rule(u: &[f64; 1]) -> [f64; 1] {
    let rest = 1.0 - u[0];
    [rest]
}

//# words_of_conditions
//! The arguments of `#[after_step]` are `stop` and `log`.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }

    #[after_step(falling)]
//~              ^^^^^^^
//~ error: `falling` is not an argument of `#[after_step]`: write `#[after_step]`, or
//~ `#[after_step(stop)]` or `#[after_step(stop = 3)]` to end the trajectory the first or the third
//~ time; add `log` to log the steps at which it is true
    pub(crate) fn settled(u: &[f64; 1]) -> bool {
        (1.0 - u[0]).abs() < 0.001
    }

    #[after_step(log, stop, log)]
//~                         ^^^
//~ error: `log` occurs twice; remove this one
    pub(crate) fn near(u: &[f64; 1]) -> bool {
        (1.0 - u[0]).abs() < 0.01
    }

    #[after_step(stop, log, stop = 3)]
//~                         ^^^^
//~ error: `stop` occurs twice; remove this one
    pub(crate) fn nearly(u: &[f64; 1]) -> bool {
        (1.0 - u[0]).abs() < 0.1
    }

    #[after_step(log = 3)]
//~              ^^^
//~ error: `log` takes no value: the number of logged events per trajectory is an option of the
//~ solve; set it by `SolveOptions::event_log`
    pub(crate) fn half(u: &[f64; 1]) -> bool {
        u[0] > 0.5
    }
}

//# words_of_events
//! The arguments of `#[event]` are a direction, `stop`, `log` and `no_jumps`.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling, terminal)]
//~                  ^^^^^^^^
//~ error: `terminal` is not an argument of `#[event]`: write `#[event(falling)]`,
//~ `#[event(rising)]` or `#[event(both)]`; add `stop` or `stop = 3` to end the trajectory at the
//~ first or the third event, and `log` to log the events
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}
