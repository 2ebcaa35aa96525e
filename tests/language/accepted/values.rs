//! Numbers, truth values, structs and tuples.

pub(crate) mod all_fields {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        struct Rates {
            growth: f64,
            decay: f64,
        }
        let none = Rates { growth: 0.0, decay: 0.0 };
        let rates = Rates { growth: p[0], ..none };
        du[0] = rates.growth * u[0];
        du[1] = -rates.decay * u[1];
    }
}

pub(crate) mod arithmetic_by_element {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let scaled = u.map(|x| 2.0 * x);
        du[0] = scaled[1];
        du[1] = -scaled[0];
    }
}

pub(crate) mod casts_to_numbers {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let even = 4 % 2 == 0;
        du[0] = if even { u[1] } else { 0.0 };
        du[1] = -u[0];
    }
}

pub(crate) mod compared_with_a_point {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = if u[0] > 0.0 { u[1] } else { 0.0 };
        du[1] = -u[0];
    }
}

pub(crate) mod comparisons_of_numbers {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let equal = u[0] == u[1] && u[0] > 0.0;
        du[0] = if equal { 1.0 } else { 0.0 };
        du[1] = u[0];
    }
}

pub(crate) mod constants_from_outside {
    use odes::ode_system;

    const RATES: [f64; 2] = [0.5, 0.25];

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        const FIRST: usize = 0;
        du[0] = RATES[FIRST] * u[FIRST];
        du[1] = std::f64::consts::PI - u[1];
    }
}

pub(crate) mod fields_that_are_there {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        struct Point {
            x: f64,
            y: f64,
        }
        let point = Point { x: u[0], y: u[1] };
        du[0] = point.y;
        du[1] = -point.x;
    }
}

pub(crate) mod floats_have_a_point {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = 2.0 * u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod floats_stay_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
        du[0] = t.floor() * u[0];
        du[1] = -u[1];
    }
}

pub(crate) mod functions_of_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1].max(0.0);
        du[1] = -u[0];
    }
}

pub(crate) mod integers_become_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = (i as f64 + 1.0) * u[i] + f64::from(3);
        }
    }
}

pub(crate) mod known_names {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        let rate = p[0];
        du[0] = rate * u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod lengths_of_local_arrays {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        const N: usize = 2;
        let mut x = [0.0; N];
        x[0] = u[1];
        du[0] = x[0];
        du[1] = x[1] - u[0];
    }
}

pub(crate) mod no_bits {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1].powi(2);
        du[1] = -u[0];
    }
}

pub(crate) mod no_boxes {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let x = u[1];
        du[0] = x;
        du[1] = -u[0];
    }
}

pub(crate) mod no_text {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let exponential = true;
        du[0] = if exponential { -u[0] } else { 1.0 };
        du[1] = u[0];
    }
}

pub(crate) mod no_types_that_allocate {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut rates: [f64; 2] = [0.0; 2];
        rates[0] = u[1];
        du[0] = rates[0];
        du[1] = -u[0];
    }
}

pub(crate) mod no_vectors {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        let rates = [p[0]; 2];
        du[0] = rates[0] * u[1];
        du[1] = -rates[1] * u[0];
    }
}

pub(crate) mod one_float_type {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let rate = 0.1_f64;
        du[0] = rate * u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod plain_paths {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1].min(f64::MAX);
        du[1] = -u[0];
    }
}

pub(crate) mod signs_of_numbers {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let [x, y] = [-u[0], -u[1]];
        du[0] = y;
        du[1] = x;
    }
}

pub(crate) mod structs_are_seen {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        struct Rates {
            growth: f64,
            decay: f64,
        }

        fn rates(p: &[f64; 2]) -> Rates {
            Rates { growth: p[0], decay: p[1] }
        }

        pub(crate) fn rhs(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
            let Rates { growth, decay } = rates(p);
            [growth * u[0], -decay * u[1]]
        }
    }
}

pub(crate) mod structs_with_named_fields {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        struct Rates {
            growth: f64,
            decay: f64,
        }
        let rates = Rates { growth: p[0], decay: p[1] };
        du[0] = rates.growth * u[0];
        du[1] = -rates.decay * u[1];
    }
}

pub(crate) mod truth_values_select {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let open = if u[0] > 0.5 { 1.0 } else { 0.0 };
        du[0] = -open * u[0];
        du[1] = u[0];
    }
}

pub(crate) mod tuples {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let pair = (u[1], -u[0]);
        du[0] = pair.0;
        du[1] = pair.1;
    }
}
