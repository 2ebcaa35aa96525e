//! Systems as modules.

pub(crate) mod aliases {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        type Pair = [f64; 2];

        pub(crate) fn rhs(u: &Pair) -> Pair {
            [u[1], -u[0]]
        }
    }
}

pub(crate) mod domains_are_conditions {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [-u[0] * u[1], u[0] - u[1]]
        }

        fn is_out_of_domain(u: &[f64; 2]) -> bool {
            u[0] < 0.0 || u[1] < 0.0
        }
    }
}

pub(crate) mod domains_have_states {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [-u[0] * u[1], u[0] - u[1]]
        }

        fn is_out_of_domain(u: &[f64; 2]) -> bool {
            u[0].is_sign_negative()
        }
    }
}

pub(crate) mod equations_have_unknowns {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        #[mass_matrix]
        const M: [f64; 3] = [1.0, 1.0, 0.0];

        pub(crate) fn rhs(u: &[f64; 3]) -> [f64; 3] {
            let [x, v, force] = *u;
            [v, force - v, force + x]
        }
    }
}

pub(crate) mod fields {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
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
                lynxes: u.lynxes * (p.rate * u.hares - 1.0),
            }
        }
    }
}

pub(crate) mod jacobians_are_right {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[0] * u[1], -u[1]]
        }

        fn jacobian(u: &[f64; 2]) -> [[f64; 2]; 2] {
            [[u[1], u[0]], [0.0, -1.0]]
        }
    }
}

pub(crate) mod jacobians_are_square {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[0] * u[1], -u[1]]
        }

        fn jacobian(u: &[f64; 2]) -> [[f64; 2]; 2] {
            [[u[1], u[0]], [0.0, -1.0]]
        }
    }
}

pub(crate) mod masses_are_constants {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        #[mass_matrix]
        const M: [f64; 2] = [1.0, 0.0];

        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [-u[0] * u[1], u[1] - u[0]]
        }
    }
}

pub(crate) mod masses_are_finite {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        #[mass_matrix]
        const M: [f64; 2] = [1.0, 0.0];

        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [-u[0] * u[1], u[1] - u[0]]
        }
    }
}

pub(crate) mod masses_are_of_modules {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        #[mass_matrix]
        const M: [f64; 2] = [1.0, 0.0];

        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [-u[0] * u[1], u[1] - u[0]]
        }
    }
}

pub(crate) mod masses_are_square {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        const N: usize = 2;

        #[mass_matrix]
        const M: [[f64; N]; N] = [[2.0, 1.0], [0.0, 1.0]];

        pub(crate) fn rhs(u: &[f64; N]) -> [f64; N] {
            [-u[1], u[0]]
        }
    }
}

pub(crate) mod masses_are_written {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        #[mass_matrix]
        const M: [f64; 2] = [1.0, 0.0];

        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [-u[0] * u[1], u[1] - u[0]]
        }
    }
}

pub(crate) mod masses_do_not_vary {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        #[mass_matrix]
        const M: [f64; 2] = [2.0, 1.0];

        pub(crate) fn rhs(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
            [-u[0] / p[0], u[0]]
        }
    }
}

pub(crate) mod masses_from_outside {
    use odes::ode_system;

    const INERTIA: f64 = 3.0;

    #[ode_system]
    pub(crate) mod rule {
        use super::INERTIA;

        #[mass_matrix]
        const M: [f64; 2] = [INERTIA, 0.0];

        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [-u[0] * u[1], u[1] - u[0]]
        }
    }
}

pub(crate) mod methods {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) struct Parameters {
            pub(crate) rate: f64,
            pub(crate) saturation: f64,
        }

        impl Parameters {
            fn uptake(&self, x: f64) -> f64 {
                self.rate * x / (self.saturation + x.abs())
            }
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [-p.uptake(u[0])]
        }
    }
}

pub(crate) mod names_of_the_module {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        struct Rates {
            decay: f64,
        }

        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            let rates = Rates { decay: 0.5 };
            [-rates.decay * u[0]]
        }
    }
}

pub(crate) mod numbers_only {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub struct Parameters {
            pub rates: [f64; 2],
        }

        pub(crate) fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
            [p.rates[0] - p.rates[1] * u[0]]
        }
    }
}

pub(crate) mod observables_are_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[observable]
        pub(crate) fn energy(u: &[f64; 2]) -> f64 {
            0.5 * (u[0] * u[0] + u[1] * u[1])
        }
    }
}

pub(crate) mod observables_are_returned {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[observable]
        pub(crate) fn energy(u: &[f64; 2]) -> f64 {
            0.5 * (u[0] * u[0] + u[1] * u[1])
        }
    }
}

pub(crate) mod one_mass_matrix {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        #[mass_matrix]
        const M: [f64; 2] = [1.0, 0.0];

        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [-u[0] * u[1], u[1] - u[0]]
        }
    }
}

pub(crate) mod right_hand_side {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }
    }
}

pub(crate) mod use_in_the_module {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        use std::f64::consts::TAU;

        pub(crate) fn rhs(u: &[f64; 1], t: f64) -> [f64; 1] {
            [u[0] * (TAU * t).cos()]
        }
    }
}

pub(crate) mod written_in_place {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }
    }
}
