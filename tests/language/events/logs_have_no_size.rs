use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising, log)]
    pub(crate) fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }
}
