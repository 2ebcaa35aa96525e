//! Branches, loops and `match`.

pub(crate) mod bounds_are_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        const N: usize = 2;
        for i in 0..N {
            du[i] = -u[i];
        }
    }
}

pub(crate) mod branches_of_one_kind {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let rates = if u[0] > 0.0 { [1.0, 2.0] } else { [0.0, 0.0] };
        du[0] = -rates[0] * u[0];
        du[1] = rates[1];
    }
}

pub(crate) mod break_in_loops {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        'rows: for i in 0..2 {
            for j in 0..2 {
                if i + j > 2 {
                    continue 'rows;
                }
            }
            du[i] = -u[i];
        }
    }
}

pub(crate) mod break_on_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut sum = 0.0;
        for i in 0..2 {
            if u[i] > 0.0 {
                sum += u[i];
            }
            if i == 5 {
                break;
            }
        }
        du[0] = sum;
        du[1] = -u[0];
    }
}

pub(crate) mod conditions_are_comparisons {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = if u[0] != 0.0 { 1.0 } else { 0.0 };
        du[1] = u[0];
    }
}

pub(crate) mod constants_of_match {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        const LAST: usize = 1;
        for i in 0..2 {
            du[i] = match i {
                LAST => -u[0],
                _ => u[1],
            };
        }
    }
}

pub(crate) mod every_value_has_an_arm {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = match i {
                0 => u[1],
                1 => -u[0],
                _ => 0.0,
            };
        }
    }
}

pub(crate) mod guards_are_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = match i {
                k if k > 0 => -u[0],
                _ => u[1],
            };
        }
    }
}

pub(crate) mod loops_end {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut n = 1;
        while n < 100 {
            n *= 2;
        }
        du[0] = n as f64 * u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod loops_over_items {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut sum = 0.0;
        for x in u {
            sum += x;
        }
        du[0] = sum;
        du[1] = -u[0];
    }
}

pub(crate) mod match_not_on_floats {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = if u[0] == 0.0 { 1.0 } else { u[0] };
        du[1] = -u[0];
    }
}

pub(crate) mod match_on_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = match i {
                0 => u[1],
                _ => -u[0],
            };
        }
    }
}

pub(crate) mod no_if_let {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        du[0] = if p[0] > 0.0 { p[0] * u[0] } else { 0.0 };
        du[1] = u[0];
    }
}

pub(crate) mod no_return {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(u: &[f64; 2]) -> [f64; 2] {
        let flow = if u[0] < 0.0 { 0.0 } else { u[0] };
        return [-flow, flow];
    }
}

pub(crate) mod operations_are_limited {
    use odes::ode_system;

    #[ode_system(limit = 1000)]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut x = u[0];
        for _ in 0..20 {
            x += 1e-3 * x.sin();
        }
        du[0] = -x;
        du[1] = x;
    }
}

pub(crate) mod patterns_of_match {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = match (i, i == 1) {
                (0..=1, true) | (5, _) => u[0],
                (k, _) => k as f64,
            };
        }
    }
}

pub(crate) mod ranges_end {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in 0..2 {
            du[i] = -u[i];
        }
    }
}

pub(crate) mod steps_are_not_zero {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        for i in (0..2).step_by(1).rev() {
            du[i] = -u[i];
        }
    }
}

pub(crate) mod while_on_known {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let mut x = u[0];
        for _ in 0..4 {
            if x.abs() > 1.0 {
                x /= 2.0;
            }
        }
        du[0] = -x;
        du[1] = x;
    }
}
