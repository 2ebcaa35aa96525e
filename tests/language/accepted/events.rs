//! Events and their actions.

pub(crate) mod actions_give_modes {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
            (*u, Modes { heater: 1.0 })
        }
    }
}

pub(crate) mod actions_give_states {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
    }
}

pub(crate) mod actions_have_events {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
    }
}

pub(crate) mod actions_say_their_events {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
    }
}

pub(crate) mod conditions_are_possible {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [1.0 - u[0]]
        }

        #[after_step(stop)]
        pub(crate) fn settled(u: &[f64; 1]) -> bool {
            (1.0 - u[0]).abs() < 0.001
        }
    }
}

pub(crate) mod conditions_are_truths {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [1.0 - u[0]]
        }

        #[after_step(stop)]
        pub(crate) fn settled(u: &[f64; 1]) -> bool {
            (1.0 - u[0]).abs() < 0.001
        }
    }
}

pub(crate) mod delays_are_times {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
    }
}

pub(crate) mod delays_follow_events {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
    }
}

pub(crate) mod directions_are_said {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(falling)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod events_are_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(falling)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod events_are_one_number {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(falling)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0] - u[1]
        }
    }
}

pub(crate) mod events_are_on_both_sides {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub gain: f64,
            pub level: f64,
        }

        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(rising)]
        pub(crate) fn above(u: &[f64; 2]) -> f64 {
            (u[0] - 1.0).max(-0.5)
        }

        #[event(falling)]
        pub(crate) fn below(u: &[f64; 2], p: &Parameters) -> f64 {
            u[0] - p.level
        }

        #[event(both)]
        pub(crate) fn scaled(u: &[f64; 2], p: &Parameters) -> f64 {
            p.gain * (u[0] - p.level).clamp(-1.0, 1.0)
        }

        #[event(both)]
        pub(crate) fn far(u: &[f64; 2]) -> f64 {
            u[0] * u[0] + u[1] * u[1] - 1.0
        }
    }
}

pub(crate) mod events_change {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(rising)]
        pub(crate) fn ground(_: &[f64; 2], _: &[f64; 0], t: f64) -> f64 {
            t - 1.0
        }
    }
}

pub(crate) mod events_do_not_jump {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(falling)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0] - 1.0
        }
    }
}

pub(crate) mod events_go_through_zero {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(both)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod functions_have_actions {
    use odes::ode_system;

    #[ode_system]
    #[event(falling, ground = u[0])]
    #[action(ground, u[0] = 0.0, u[1] = -p[1] * u[1])]
    pub(crate) fn rule(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
        [u[1], -p[0]]
    }
}

pub(crate) mod functions_have_conditions {
    use odes::ode_system;

    #[ode_system]
    #[after_step(stop, settled = (1.0 - u[0]).abs() < 0.001)]
    pub(crate) fn rule(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }
}

pub(crate) mod functions_have_events {
    use odes::ode_system;

    #[ode_system]
    #[event(rising, stop, escaped = u[0] - p[0])]
    pub(crate) fn rule(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0] * p[0]]
    }
}

pub(crate) mod functions_have_named_events {
    use odes::ode_system;

    #[ode_system]
    #[event(rising, up = u[0] - 0.5)]
    #[event(rising, stop, high = u[0] - 0.75)]
    pub(crate) fn rule(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }
}

pub(crate) mod functions_have_scheduled_actions {
    use odes::ode_system;

    #[ode_system]
    #[at(first, 4.0, p[0], u[0] += p[1])]
    #[at(others, first = 6.0, every = p[0], count = 3, u[0] = u[0] + 1.0)]
    pub(crate) fn rule(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        [-u[0]]
    }
}

pub(crate) mod jumps_excluded_once {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(rising, no_jumps)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod logged_once {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(rising, log)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod logs_have_no_size {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(rising, log)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod modes_are_there {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
            (*u, Modes { heater: 1.0 })
        }
    }
}

pub(crate) mod modes_are_in_one_place {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct State {
            pub heat: f64,
        }

        pub struct Modes {
            pub heaters: [f64; 2],
        }

        pub struct Parameters {
            pub rate: f64,
            pub modes: Modes,
        }

        pub(crate) fn rhs(u: &State, p: &Parameters) -> State {
            State { heat: p.modes.heaters[0] + p.modes.heaters[1] - p.rate * u.heat }
        }
    }
}

pub(crate) mod modes_change_by_actions {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
            (*u, Modes { heater: 1.0 })
        }
    }
}

pub(crate) mod modes_have_names {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
            (*u, Modes { heater: 1.0 })
        }
    }
}

pub(crate) mod numbers_of_times {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(first = p.times[0], every = 12.0)]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod one_action {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
    }
}

pub(crate) mod one_delayed_action {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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

        #[action(ground, after = 2.0)]
        pub(crate) fn again(u: &[f64; 2]) -> [f64; 2] {
            [0.0, -0.5 * u[1]]
        }
    }
}

pub(crate) mod one_direction {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(both)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod one_purpose {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(1.0, 2.0)]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod stops_are_counted {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(rising, stop = 2)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod timed_actions_give_states {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(p.times)]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod times_are_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(p.times)]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod times_are_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(p.times[0] + 1.0)]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod times_are_numbers {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(4.0)]
        pub(crate) fn dose(u: &[f64; 1], p: &Parameters, t: f64) -> [f64; 1] {
            [u[0] + p.rate * t]
        }
    }
}

pub(crate) mod times_are_said {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(4.0, p.times[1])]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod times_begin {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(first = 0.0, every = p.rate)]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod values_of_events_are_known {
    use odes::ode_system;

    #[ode_system]
    #[event(rising, up = u[0] - 0.5)]
    pub(crate) fn rule(u: &[f64; 1]) -> [f64; 1] {
        let rest = 1.0 - u[0];
        [rest]
    }
}

pub(crate) mod words_of_actions {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(falling)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }

        #[action(ground, after = 2.0)]
        pub(crate) fn bounce(u: &[f64; 2]) -> [f64; 2] {
            [0.0, -u[1]]
        }
    }
}

pub(crate) mod words_of_conditions {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [1.0 - u[0]]
        }

        #[after_step(stop = 2, log)]
        pub(crate) fn settled(u: &[f64; 1]) -> bool {
            (1.0 - u[0]).abs() < 0.001
        }
    }
}

pub(crate) mod words_of_events {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(falling, stop = 3)]
        pub(crate) fn ground(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod times_come {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(first = 0.0, every = 12.0, count = 1)]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod words_of_times {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rate: f64,
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.rate * u[0]]
        }

        #[at(first = 0.0, every = 12.0, count = 10, log)]
        pub(crate) fn dose(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }

        #[at(log, p.times, 6.0)]
        pub(crate) fn half(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 0.5]
        }
    }
}

pub(crate) mod modes_follow_parameters {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Modes {
            pub rate: f64,
        }

        pub struct Parameters {
            pub gain: f64,
            pub modes: Modes,
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters, m: &Modes) -> [f64; 1] {
            [m.rate * p.gain * u[0]]
        }
    }
}

pub(crate) mod names_are_of_one_function {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [-u[0]]
        }

        #[observable]
        pub(crate) fn level(u: &[f64; 1]) -> f64 {
            u[0]
        }

        #[event(rising)]
        pub(crate) fn high(u: &[f64; 1]) -> f64 {
            u[0] - 3.0
        }
    }
}

pub(crate) mod delays_are_named {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
    }
}

pub(crate) mod one_delay_of_a_function {
    use odes::ode_system;

    #[ode_system]
    #[event(rising, up = u[0] - 0.5)]
    #[action(up, u[0] = 0.0)]
    #[action(up, after = 1.0, u[0] = 0.25)]
    pub(crate) fn rule(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }
}

pub(crate) mod times_are_of_arguments {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub times: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [-u[0]]
        }

        #[at(p.times)]
        pub(crate) fn dose(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}
