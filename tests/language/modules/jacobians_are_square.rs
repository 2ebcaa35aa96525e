use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[0] * u[1], -u[1]]
    }

    fn jacobian(u: &[f64; 2]) -> [[f64; 2]; 2] {
        [[u[1], u[0]], [0.0, -1.0]]
    }
}
