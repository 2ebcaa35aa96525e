use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    use std::f64::consts::TAU;

    pub(crate) fn rhs(u: &[f64; 1], t: f64) -> [f64; 1] {
        [u[0] * (TAU * t).cos()]
    }
}
