use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }
}
