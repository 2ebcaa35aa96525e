//! The noise of stochastic equations.

pub(crate) mod noise_has_the_type_of_the_state {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[noise]
        pub(crate) fn kicks(u: &[f64; 2]) -> [[f64; 2]; 3] {
            [[u[0], 0.0], [0.5, 0.5], [1.0, u[1]]]
        }
    }
}

pub(crate) mod noise_is_one_function {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[noise]
        pub(crate) fn both(u: &[f64; 2]) -> [[f64; 2]; 3] {
            [[0.5, 0.0], [0.0, u[1]], [1.0, 1.0]]
        }
    }
}

pub(crate) mod the_calculus_is_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [-u[0]]
        }

        #[noise(stratonovich)]
        pub(crate) fn kicks(u: &[f64; 1]) -> [f64; 1] {
            [u[0]]
        }
    }
}

pub(crate) mod noise_without_features {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [-u[0]]
        }

        #[noise]
        pub(crate) fn kicks(u: &[f64; 1]) -> [f64; 1] {
            [u[0]]
        }

        #[event(rising, stop)]
        pub(crate) fn high(u: &[f64; 1]) -> f64 {
            u[0] - 1.0
        }

        #[observable]
        pub(crate) fn height(u: &[f64; 1]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod gradients_need_constant_times {
    use odes::ode_system;

    #[ode_system(gradients = "on")]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
            [-p[0] * u[0]]
        }

        #[noise]
        pub(crate) fn kicks(u: &[f64; 1]) -> [f64; 1] {
            [u[0]]
        }

        #[at(0.5)]
        pub(crate) fn dose(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
            [u[0] + p[1]]
        }
    }
}

pub(crate) mod noise_without_mass_matrix {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
            [-u[0]]
        }

        #[noise]
        pub(crate) fn kicks(u: &[f64; 1]) -> [f64; 1] {
            [u[0]]
        }
    }
}
