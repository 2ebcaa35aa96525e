use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[event(rising)]
    pub(crate) fn ground(_: &[f64; 2], _: &[f64; 0], t: f64) -> f64 {
        t - 1.0
    }
}
