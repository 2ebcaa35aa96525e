//! Random jumps.

pub(crate) mod a_jump_has_a_bound {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
            [-p[1] * u[0]]
        }

        #[jump(bound = p[0] * u[0])]
        pub(crate) fn birth(u: &[f64; 1], p: &[f64; 2], t: f64) -> f64 {
            p[0] * u[0] * t.sin().abs()
        }

        #[action(birth)]
        pub(crate) fn born(u: &[f64; 1]) -> [f64; 1] {
            [u[0] + 1.0]
        }
    }
}

pub(crate) mod a_bound_is_a_number {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [-u[0]]
        }

        #[jump(bound = 2.0, log)]
        pub(crate) fn arrival(_u: &[f64; 1], t: f64) -> f64 {
            1.0 + t.sin()
        }
    }
}

pub(crate) mod actions_of_jumps_receive_random_numbers {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [-u[0]]
        }

        #[jump(bound = 2.0)]
        pub(crate) fn arrival(_u: &[f64; 1]) -> f64 {
            2.0
        }

        #[action(arrival, uniform)]
        pub(crate) fn arrived(u: &[f64; 1], random: f64) -> [f64; 1] {
            [u[0] - random.ln()]
        }
    }
}

pub(crate) mod a_random_number_is_an_argument {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
            [-p[0] * u[0]]
        }

        #[jump(bound = 2.0)]
        pub(crate) fn crash(_u: &[f64; 1]) -> f64 {
            2.0
        }

        #[action(crash, normal)]
        pub(crate) fn fallen(u: &[f64; 1], p: &[f64; 1], t: f64, random: f64) -> [f64; 1] {
            [u[0] + p[0] * random * t]
        }
    }
}
