use odes::ode_system;

const INERTIA: f64 = 3.0;

#[ode_system]
pub(crate) mod rule {
    use super::INERTIA;

    #[mass_matrix]
    const M: [f64; 2] = [INERTIA, 0.0];

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[1] - u[0]]
    }
}
