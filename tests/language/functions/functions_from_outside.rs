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
