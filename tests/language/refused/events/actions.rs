// Actions, modes, stops and logs.

//# actions_give_modes
//! An action returns the state, the modes, or both in this order.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct State {
        pub heat: f64,
    }

    pub struct Modes {
        pub heater: f64,
    }

    pub struct Parameters {
        pub modes: Modes,
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        State { heat: p.modes.heater - u.heat }
    }

    #[event(falling)]
    pub(crate) fn cold(u: &State) -> f64 {
        u.heat - 18.0
    }

    #[action(cold)]
    pub(crate) fn on(u: &State) -> (Modes, State) {
        (Modes { heater: 1.0 }, *u)
//~     ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: expected a `State` here, found a tuple: the last expression of an action is the struct of
//~ states after the action
    }
}

//# actions_give_states
//! An action returns the state after its event.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(ground)]
    pub(crate) fn bounce(u: &[f64; 2]) -> f64 {
        -u[1]
//~     ^^^^^
//~ error: expected an array of 2 floats here, found a float: the last expression of an action is
//~ the array of states after the action
    }
}

//# actions_have_events
//! An action follows an event.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(grond)]
//~          ^^^^^
//~ error: there is no event `grond`: did you mean `ground`?
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }
}

//# actions_say_their_events
//! An action names the event that it follows.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action]
//~ ^^^^^^^^^
//~ error: an action needs the name of its event: write `#[action(ground)]` after `#[event(falling)]
//~ fn ground(…)`, or `#[action(ground, after = p.delay)]` for an action later than its event; the
//~ action of a jump may receive a random number, by `uniform` or `normal`
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }
}

//# delays_are_times
//! The delay of an action is zero or positive.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(ground, after = -1.0)]
//~                          ^^^^
//~ error: `after` is -1, so the action never takes place: the time from the event to its action
//~ must be zero or positive
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }
}

//# words_of_actions
//! An action has the name of its event, and may have a delay after its event.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(ground, lag = 2.0)]
//~                  ^^^
//~ error: `lag` is not an argument of `#[action]`: did you mean `after`?
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }
}

//# modes_follow_parameters
//! The modes of a function follow its parameters.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Modes {
        pub rate: f64,
    }

    pub struct Parameters {
        pub gain: f64,
        pub modes: Modes,
    }

    pub(crate) fn rhs(u: &[f64; 1], m: &Modes, p: &Parameters) -> [f64; 1] {
//~                                               ^^^^^^^^^^^
//~ error: this argument follows the modes: the order is state, parameters, modes, time; move it, as
//~ in `(u: &State, p: &Parameters, m: &Modes, t: f64)`
        [m.rate * p.gain * u[0]]
    }
}

//# names_are_of_one_function
//! A function has a name of its own.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[observable]
    pub fn level(u: &[f64; 1]) -> f64 {
        u[0]
    }

    #[event(rising)]
    pub(crate) fn level(u: &[f64; 1]) -> f64 {
//~               ^^^^^
//~ error: `level` is already the name of an observable; use another name
        u[0] - 3.0
    }
}

//# delays_are_named
//! The delay of an action follows `after =`.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(ground, 1.0)]
//~                  ^^^
//~ error: expected `after = …` here: write `#[action(ground)]` after `#[event(falling)] fn
//~ ground(…)`, or `#[action(ground, after = p.delay)]` for an action later than its event; the
//~ action of a jump may receive a random number, by `uniform` or `normal`
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }
}

//# one_delay_of_a_function
//! An action of a function has one delay, and an event one action with a delay.

use odes::ode_system;

#[ode_system]
#[event(rising, up = u[0] - 0.5)]
#[action(up, after = 1.0, after = 2.0, u[0] = 0.0)]
//~                       ^^^^^^^^^^^
//~ error: `after` occurs twice; remove this one
#[event(rising, top = u[0] - 0.5)]
#[action(top, after = 1.0, u[0] = 0.0)]
#[action(top, after = 2.0, u[0] = 0.0)]
//~      ^^^
//~ error: `top` already has such an action: an event has one action without a delay, and one with
//~ `after = …`; put all assignments into one attribute
fn rule(u: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0]]
}

//# one_delayed_action
//! An event has one action with a delay.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(ground, after = 1.0)]
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }

    #[action(ground, after = 2.0)]
//~          ^^^^^^
//~ error: `ground` already has the delayed action `bounce`: an event has at most one action with a
//~ delay and one without; put both effects into one function
    pub(crate) fn again(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -0.5 * u[1]]
    }
}

//# delays_follow_events
//! Only an event has an action with a delay.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[after_step]
    pub(crate) fn low(u: &[f64; 2]) -> bool {
        u[0] < 0.0
    }

    #[action(low, after = 1.0)]
//~                       ^^^
//~ error: the action of a condition after steps cannot be delayed: a condition has no exact time;
//~ write an `#[event(…)]`, or remove `after`
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }
}

//# functions_have_actions
//! An action of a function names its event, and assigns to the state.

use odes::ode_system;

#[ode_system]
#[event(falling, ground = u[0])]
#[action(ground)]
//~      ^^^^^^
//~ error: `ground` needs assignments to the state `u`: write `#[action(ground, u[0] = 0.0, u[1] =
//~ -u[1])]`
fn rule(u: &[f64; 2]) -> [f64; 2] {
    [u[1], -9.81]
}

//# functions_have_conditions
//! A condition of a function has a name and a truth value.

use odes::ode_system;

#[ode_system]
#[after_step(stop)]
//~ columns 1 to 19
//~ error: a condition of a function needs a name and a truth value: write both, as in
//~ `#[after_step(stop, steady = u[0].abs() < 1e-8)]`
fn rule(u: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0]]
}

//# functions_have_scheduled_actions
//! A scheduled action of a function has a name, times and assignments.

use odes::ode_system;

#[ode_system]
#[at(4.0, u[0] += p[1])]
//~  ^^^
//~ error: an action of a function begins with its name: write `#[at(dose, 4.0, u[0] = u[0] + 1.0)]`
#[at(dose, u[0] += p[1])]
//~  ^^^^
//~ error: `dose` needs its times: write `#[at(dose, 4.0, u[0] = u[0] + 1.0)]`
#[at(wash, 4.0)]
//~  ^^^^
//~ error: `wash` needs assignments to the state `u`: write `#[at(dose, 4.0, u[0] = u[0] + 1.0)]`
fn rule(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
    [-p[0] * u[0]]
}

//# logged_once
//! An event has `log` at most once.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising, log, log)]
//~                      ^^^
//~ error: `log` occurs twice; remove this one
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

//# jumps_excluded_once
//! An event has `no_jumps` at most once.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising, no_jumps, no_jumps)]
//~                           ^^^^^^^^
//~ error: `no_jumps` occurs twice; remove this one
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

//# logs_have_no_size
//! The size of the event log is an option of the solve.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising, log = 3)]
//~                 ^^^
//~ error: `log` takes no value: the number of logged events per trajectory is an option of the
//~ solve; set it by `SolveOptions::event_log`
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

//# modes_are_there
//! Modes are a field of the parameters.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct State {
        pub heat: f64,
    }

    pub struct Modes {
        pub heater: f64,
    }

    pub struct Parameters {
        pub rate: f64,
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        State { heat: -p.rate * u.heat }
    }

    #[event(falling)]
    pub(crate) fn cold(u: &State) -> f64 {
        u.heat - 18.0
    }

    #[action(cold)]
    pub(crate) fn on(u: &State, m: &Modes) -> (State, Modes) {
//~                                 ^^^^^
//~ error: modes must be a field of the parameters, which contain the initial modes: add a field of
//~ this type, as in `pub modes: Modes`
        (*u, Modes { heater: 1.0 - m.heater })
    }
}

//# modes_are_in_one_place
//! The parameters contain `Modes` only once.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct State {
        pub heat: f64,
    }

    pub struct Modes {
        pub heater: f64,
    }

    pub struct Parameters {
        pub modes: Modes,
        pub others: [Modes; 1],
//~         ^^^^^^
//~ error: the parameters contain `Modes` twice: actions return one value of this type; put all
//~ modes into one field
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        State { heat: p.modes.heater + p.others[0].heater - u.heat }
    }

    #[event(falling)]
    pub(crate) fn cold(u: &State) -> f64 {
        u.heat - 18.0
    }

    #[action(cold)]
    pub(crate) fn on(u: &State) -> (State, Modes) {
        (*u, Modes { heater: 1.0 })
    }
}

//# modes_change_by_actions
//! Only actions change modes.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct State {
        pub heat: f64,
    }

    pub struct Modes {
        pub heater: f64,
    }

    pub struct Parameters {
        pub modes: Modes,
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        p.modes.heater = 1.0;
//~     ^^^^^^^^^^^^^^
//~ error: cannot assign to a mode: only actions change modes, by returning them, as in `fn on(u:
//~ &State) -> (State, Modes)`
        State { heat: p.modes.heater - u.heat }
    }

    #[event(falling)]
    pub(crate) fn cold(u: &State) -> f64 {
        u.heat - 18.0
    }

    #[action(cold)]
    pub(crate) fn on(u: &State) -> (State, Modes) {
        (*u, Modes { heater: 1.0 })
    }
}

//# modes_have_names
//! A mode is a field of its struct.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct State {
        pub heat: f64,
    }

    pub struct Modes {
        pub heater: f64,
    }

    pub struct Parameters {
        pub modes: Modes,
    }

    pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
        State { heat: p.modes.heater - u.heat }
    }

    #[event(falling)]
    pub(crate) fn cold(u: &State) -> f64 {
        u.heat - 18.0
    }

    #[action(cold)]
    pub(crate) fn on(u: &State) -> (State, Modes) {
        (*u, Modes { heating: 1.0 })
//~                  ^^^^^^^
//~ error: `Modes` has no field `heating`: its fields are heater
    }
}

//# one_action
//! An event has one action.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(falling)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(ground)]
    pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -u[1]]
    }

    #[action(ground)]
//~          ^^^^^^
//~ error: `ground` already has the action `bounce`: an event has one action without delay; put both
//~ effects into one function
    pub(crate) fn again(u: &[f64; 2]) -> [f64; 2] {
        [0.0, -0.5 * u[1]]
    }
}

//# stops_are_counted
//! `stop` takes a number of events, from 1 to 1048576.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising, stop = 0)]
//~                        ^
//~ error: this must be the number of events after which the trajectory ends: write a number from 1
//~ to 1048576, as in `stop = 3`
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}
