use odes::ode_system;

#[ode_system(gradients = "on")]
pub(crate) mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }
}
