use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    pub(crate) fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [1.0 - u[0]]
    }

    #[event(rising)]
    fn up(u: &[f64; 1]) -> f64 {
        u[0] - 0.5
    }

    #[action(up)]
    fn down(_: &[f64; 1]) -> [f64; 1] {
        [0.0]
    }
}
