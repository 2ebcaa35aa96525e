//! Assignments, declarations and patterns.

pub(crate) mod all_assigned {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = -u[0];
        du[1] = 0.0;
    }
}

pub(crate) mod arrays_are_assigned_whole {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut x = [0.0; 2];
        x[0] = u[1];
        du[0] = x[0];
        du[1] = x[1] - u[0];
    }
}

pub(crate) mod assigned_before_read {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = 0.0;
            for j in 0..2 {
                du[i] += u[j];
            }
        }
    }
}

pub(crate) mod assigned_on_every_path {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = -u[0];
        du[1] = 0.0;
        if u[0] > 1.0 {
            du[1] = u[0];
        }
    }
}

pub(crate) mod assigned_places {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        if u[0] > 0.0 {
            du[0] = 1.0;
        } else {
            du[0] = u[1];
        }
        du[1] = -u[0];
    }
}

pub(crate) mod configuration_outside {
    use odes::ode_system;

    #[cfg(target_pointer_width = "64")]
    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod items {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        const HALF: f64 = 0.5;
        static RATES: Rates = [HALF, 1.0];
        type Rates = [f64; 2];
        struct Flow {
            rate: f64,
        }
        impl Flow {
            fn of(rate: f64) -> Self {
                Self { rate }
            }
            fn from(&self, x: f64) -> f64 {
                self.rate * x
            }
        }
        let rates: Rates = RATES;
        du[0] = Flow::of(rates[0]).from(u[1]);
        du[1] = Flow { rate: -rates[1] }.from(u[0]);
    }
}

pub(crate) mod late_on_every_path {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let rate;
        if u[0] < 1.0 {
            rate = 2.0;
        } else {
            rate = 0.5;
        }
        du[0] = -rate * u[0];
        du[1] = u[0];
    }
}

pub(crate) mod no_let_else {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let [x, y] = *u;
        du[0] = y;
        du[1] = -x;
    }
}

pub(crate) mod no_mutable_references {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut x = u[1];
        x *= 2.0;
        du[0] = x;
        du[1] = -u[0];
    }
}

pub(crate) mod one_assignment_each {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let x = u[0];
        du[0] = x;
        du[1] = x;
    }
}

pub(crate) mod parameters_are_read_only {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        let rate = 2.0 * p[0];
        du[0] = -rate * u[0];
        du[1] = u[0];
    }
}

pub(crate) mod patterns_of_let {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let (x, [y, _]) = (u[0], *u);
        du[0] = y;
        du[1] = -x;
    }
}

pub(crate) mod state_is_read_only {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let x = u[0].max(0.0);
        du[0] = -x;
        du[1] = x;
    }
}

pub(crate) mod time_is_read_only {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
        let days = t / 24.0;
        du[0] = -days * u[0];
        du[1] = u[0];
    }
}

pub(crate) mod use_at_the_head {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        use std::f64::consts::PI;
        du[0] = PI * u[1];
        du[1] = -u[0];
    }
}
