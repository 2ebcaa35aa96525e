//! Integers, which are computed at compile time.

pub(crate) mod fits_some_type {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = 10.0_f64.powi(40) * u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod no_division_by_zero {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = (12 / (i + 1)) as f64 * u[i];
        }
    }
}

pub(crate) mod no_overflow {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut n: u8 = 200;
        n -= 100;
        du[0] = f64::from(n) * u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod not_below_zero {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = u[(i + 2 - 1) % 2] - u[i];
        }
    }
}

pub(crate) mod not_by_state {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let n = if u[0] > 0.0 { 1.0 } else { 2.0 };
        du[0] = n * u[1];
        du[1] = -u[0];
    }
}
