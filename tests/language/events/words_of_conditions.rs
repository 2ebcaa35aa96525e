use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }

    #[after_step(stop = 2)]
    pub(crate) fn settled(u: &[f64; 1]) -> bool {
        (1.0 - u[0]).abs() < 0.001
    }
}
