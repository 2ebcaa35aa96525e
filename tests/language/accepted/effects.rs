//! Panics, output and unsafe code.

pub(crate) mod no_assertions {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = -u[0].max(0.0).sqrt();
        du[1] = u[0];
    }
}

pub(crate) mod no_options {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        du[0] = p[0] * u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod no_other_macros {
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

pub(crate) mod no_output {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
        du[0] = u[1] * t;
        du[1] = -u[0];
    }
}

pub(crate) mod no_panic {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let x = if u[0] < 0.0 { f64::NAN } else { u[0] };
        du[0] = -x.sqrt();
        du[1] = u[0];
    }
}

pub(crate) mod no_question_mark {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod nothing_unsafe {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod only_numbers_decide {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
        du[0] = u[1] * t;
        du[1] = -u[0];
    }
}
