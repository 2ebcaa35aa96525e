//! The arguments and the result of a right-hand side.

pub(crate) mod arguments_are_names {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        let [x, y] = *u;
        du[0] = y;
        du[1] = -x;
    }
}

pub(crate) mod arguments_in_order {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 1], u: &[f64; 1], t: f64) {
        du[0] = t.cos() * u[0];
    }
}

pub(crate) mod arguments_of_the_attribute {
    use odes::ode_system;

    #[ode_system(fusion = "off", limit = 1000)]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[0] * u[1] + 1.0;
        du[1] = -u[0];
    }
}

pub(crate) mod bounds_in_place {
    use odes::lane::Real;
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule<R: Real>(du: &mut [R; 1], u: &[R; 1]) {
        du[0] = -u[0];
    }
}

pub(crate) mod derivatives_are_mutable {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        du[0] = u[1] * p[0];
        du[1] = -u[0] * p[1];
    }
}

pub(crate) mod derivatives_have_a_name {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = 1.0;
        du[1] = u[0];
    }
}

pub(crate) mod free_functions {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1]) {
        du[0] = -p[0] * u[0];
    }
}

pub(crate) mod functions_and_modules {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod generic_over_numbers {
    use odes::lane::Real;
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule<R: Real>(du: &mut [R; 2], u: &[R; 2]) {
        du[0] = u[1];
        du[1] = -u[0] * R::lit(0.5);
    }
}

pub(crate) mod lengths_agree {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(u: &[f64; 3]) -> [f64; 3] {
        [u[1], u[2], -u[0]]
    }
}

pub(crate) mod lengths_are_numbers {
    use odes::ode_system;

    #[ode_system]
    pub(crate) mod rule {
        const N: usize = 3;

        pub(crate) fn rhs(du: &mut [f64; N], u: &[f64; N]) {
            for i in 0..N {
                du[i] = u[(i + 1) % N] - u[i];
            }
        }
    }
}

pub(crate) mod lengths_are_written {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
        du[0] = p[0] * u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod not_async {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod not_const {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1].sqrt();
        du[1] = -u[0];
    }
}

pub(crate) mod not_unsafe {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod one_precision {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f32; 1], u: &[f32; 1], p: &[f32; 1]) {
        du[0] = p[0] * u[0] + 0.1_f32;
    }
}

pub(crate) mod references_to_arrays {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}

pub(crate) mod returned {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
        [u[1], p[0] * t.sin() - u[0]]
    }
}

pub(crate) mod some_state {
    use odes::ode_system;

    #[ode_system]
    pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
        du[0] = u[1];
        du[1] = -u[0];
    }
}
