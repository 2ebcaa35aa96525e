//! Functions, methods and closures.

pub(crate) mod arguments_do_not_change {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        fn scaled(x: [f64; 2], by: f64) -> [f64; 2] {
            x.map(|x| by * x)
        }
        let x = scaled(*u, 2.0);
        du[0] = x[1];
        du[1] = -x[0];
    }
}

pub(crate) mod arguments_of_methods {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1].powf(1.5);
        du[1] = -u[0];
    }
}

pub(crate) mod closures_do_not_assign {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        let rate = p[0];
        let decay = |x: f64| -rate * x;
        let mut sum = decay(u[0]);
        sum += decay(u[1]);
        du[0] = sum;
        du[1] = u[0];
    }
}

pub(crate) mod closures_have_names {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let square = |x: f64| x * x;
        du[0] = square(u[1]);
        du[1] = -u[0];
    }
}

pub(crate) mod elements_change_by_assignment {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = -u[i];
        }
    }
}

pub(crate) mod functions_are_called {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        let rate = p[0];
        du[0] = rate * u[0];
        du[1] = -u[1];
    }
}

pub(crate) mod functions_as_values {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let sizes = u.map(f64::abs);
        let most = sizes.iter().copied().fold(0.0, f64::max);
        let wave = f64::sin;
        let count = [1, 2].iter().copied().fold(0, usize::max);
        du[0] = most - sizes[0] * count as f64;
        du[1] = wave(u[1]);
    }
}

pub(crate) mod functions_from_outside {
    use odes::ode_system;

    mod kinetics {
        #[odes::ode_fn]
        pub(crate) fn saturation(x: f64) -> f64 {
            x / (1.0 + x.abs())
        }
    }

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        use self::kinetics::saturation;
        du[0] = saturation(u[1]);
        du[1] = -u[0];
    }
}

pub(crate) mod functions_inside {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        fn square(x: f64) -> f64 {
            x * x
        }
        du[0] = square(u[1]);
        du[1] = -u[0];
    }
}

pub(crate) mod generic_over_lengths {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        fn total<const N: usize>(x: &[f64; N]) -> f64 {
            x.iter().sum()
        }
        du[0] = total(u);
        du[1] = -u[0];
    }
}

pub(crate) mod iterators {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u.iter().map(|x| if *x > 0.0 { *x } else { 0.0 }).sum::<f64>();
        du[1] = -u[0];
    }
}

pub(crate) mod known_functions {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1].tanh();
        du[1] = f64::hypot(u[0], 1.0);
    }
}

pub(crate) mod map_is_for_arrays {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let twice = u.map(|x| 2.0 * x);
        du[0] = twice[1];
        du[1] = -twice[0];
    }
}

pub(crate) mod methods_of_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = (-u[1]).exp();
        du[1] = f64::sin(u[0]);
    }
}

pub(crate) mod no_recursion {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        fn factorial(n: u32) -> f64 {
            let mut product = 1.0;
            for i in 1..=n {
                product *= i as f64;
            }
            product
        }
        du[0] = u[1] / factorial(3);
        du[1] = -u[0];
    }
}

pub(crate) mod not_itself {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let half = u.map(|x| 0.5 * x);
        du[0] = half[1];
        du[1] = -half[0];
    }
}

pub(crate) mod nothing_is_collected {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let x: [f64; 2] = std::array::from_fn(|i| 2.0 * u[i]);
        du[0] = x[1];
        du[1] = -x[0];
    }
}

pub(crate) mod number_of_arguments {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        fn scaled(x: f64, by: f64) -> f64 {
            by * x
        }
        du[0] = scaled(u[1], 2.0);
        du[1] = -u[0];
    }
}

pub(crate) mod pow_is_for_integers {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        const N: i32 = 2_i32.pow(3);
        du[0] = f64::from(N) * u[1].powi(2);
        du[1] = -u[0];
    }
}

pub(crate) mod powi_is_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        du[0] = u[1].powi(3) + u[0].abs().powf(p[0]);
        du[1] = -u[0];
    }
}

pub(crate) mod safe_functions {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        fn twice(x: f64) -> f64 {
            2.0 * x
        }
        du[0] = twice(u[1]);
        du[1] = -u[0];
    }
}

pub(crate) mod sums_have_a_type {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = (0..0).map(|i| u[i]).sum::<f64>();
        du[1] = -u[0];
    }
}
