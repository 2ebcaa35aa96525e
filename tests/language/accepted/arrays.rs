//! Arrays, indices and tables.

pub(crate) mod abscissae_are_known {
    use odes::{interp_linear_at, ode_system};

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 6], t: f64) {
        let [values @ .., first, second, third] = *p;
        du[0] = interp_linear_at(&[first, second, third], &values, t) - u[0];
        du[1] = u[0];
    }
}

pub(crate) mod abscissae_ascend {
    use odes::{interp_linear_at, ode_system};

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
        const HOURS: [f64; 4] = [0.0, 1.5, 1.5, 6.0];
        const RAIN: [f64; 4] = [0.2, 1.7, 3.1, 0.0];
        du[0] = interp_linear_at(&HOURS, &RAIN, t) - u[0];
        du[1] = u[0];
    }
}

pub(crate) mod arrays_have_elements {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
        du[0] = t * u[0];
        du[1] = -u[1];
    }
}

pub(crate) mod elements_by_index {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[u.len() - 1];
        du[1] = -u[0];
    }
}

pub(crate) mod elements_of_constants {
    use odes::ode_system;

    const RATES: [f64; 3] = [0.5, 1.5, 2.5];

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = RATES[i + 1] * u[i];
        }
    }
}

pub(crate) mod index_in_range {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod index_in_range_in_loops {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = u[(i + 1) % 2] - u[i];
        }
    }
}

pub(crate) mod index_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = -u[i];
        }
    }
}

pub(crate) mod index_not_by_state {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
        let x = if t < 10.0 { u[0] } else { u[1] };
        du[0] = x;
        du[1] = -x;
    }
}

pub(crate) mod index_not_negative {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = u[(i + 2 - 1) % 2] - u[i];
        }
    }
}

pub(crate) mod lengths_of_from_fn {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let x: [f64; 2] = std::array::from_fn(|i| 2.0 * u[i]);
        du[0] = x[1];
        du[1] = -x[0];
    }
}

pub(crate) mod no_parts_by_range {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let [first, rest @ ..] = *u;
        du[0] = rest.iter().sum::<f64>();
        du[1] = -first;
    }
}

pub(crate) mod patterns_fit {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let [x, ..] = *u;
        du[0] = -x;
        du[1] = x;
    }
}

pub(crate) mod points_are_pairs {
    use odes::{interp_linear_at, ode_system};

    const RAIN: [f64; 3] = [0.2, 1.7, 0.0];

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], _t: f64) {
        const HOURS: [f64; 3] = [0.0, 1.5, 6.0];
        du[0] = interp_linear_at(&HOURS, &RAIN, u[1]);
        du[1] = -u[0];
    }
}

pub(crate) mod positions_are_floats {
    use odes::{interp_linear, ode_system};

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        const SHAPE: [f64; 3] = [1.0, 4.0, 2.0];
        for i in 0..2 {
            du[i] = interp_linear(&SHAPE, i as f64 + 0.5) * u[i];
        }
    }
}

pub(crate) mod short_tables_of_lanes {
    use odes::{interp_linear, ode_system};

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 5], _t: f64) {
        du[0] = interp_linear(p, u[1]);
        du[1] = -u[0];
    }
}

pub(crate) mod tables {
    use odes::{interp_linear, ode_system};

    const WIND: [f64; 4] = [0.2, 1.7, -0.9, 3.1];

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
        du[0] = interp_linear(&WIND, 0.2 * t) - u[0];
        du[1] = u[0];
    }
}

pub(crate) mod tables_have_entries {
    use odes::{interp_cubic, interp_linear, ode_system};

    const WIND: [f64; 4] = [2.0, 3.5, 1.0, 0.5];

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 3], t: f64) {
        du[0] = interp_cubic(&WIND, t) - u[0];
        du[1] = interp_linear(p, 1.0 + u[0]) * u[1];
    }
}
