//! Features of trajectories.

pub(crate) mod features_are_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[feature(integral)]
        pub(crate) fn inside(u: &[f64; 2]) -> f64 {
            if u[0] > 1.0 { u[0] } else { 0.0 }
        }
    }
}

pub(crate) mod features_are_one_number {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[feature(maximum)]
        pub(crate) fn speed(u: &[f64; 2]) -> f64 {
            u[0].hypot(u[1])
        }
    }
}

pub(crate) mod kinds_are_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[feature(maximum, minimum, integral, time_positive)]
        pub(crate) fn height(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod kinds_are_said {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[feature(maximum)]
        pub(crate) fn height(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod kinds_occur_once {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[feature(maximum, minimum)]
        pub(crate) fn height(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

pub(crate) mod numbers_of_features {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        pub(crate) fn rhs(u: &[f64; 9]) -> [f64; 9] {
            u.map(|x| -x)
        }

        #[feature(maximum)]
        pub(crate) fn f0(u: &[f64; 9]) -> f64 {
            u[0]
        }

        #[feature(maximum)]
        pub(crate) fn f1(u: &[f64; 9]) -> f64 {
            u[1]
        }

        #[feature(maximum)]
        pub(crate) fn f2(u: &[f64; 9]) -> f64 {
            u[2]
        }

        #[feature(maximum)]
        pub(crate) fn f3(u: &[f64; 9]) -> f64 {
            u[3]
        }

        #[feature(maximum)]
        pub(crate) fn f4(u: &[f64; 9]) -> f64 {
            u[4]
        }

        #[feature(maximum)]
        pub(crate) fn f5(u: &[f64; 9]) -> f64 {
            u[5]
        }

        #[feature(maximum)]
        pub(crate) fn f6(u: &[f64; 9]) -> f64 {
            u[6]
        }

        #[feature(maximum)]
        pub(crate) fn f7(u: &[f64; 9]) -> f64 {
            u[7]
        }
    }
}
