use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    type Pair = [f64; 2];

    pub(crate) fn rhs(u: &Pair) -> Pair {
        [u[1], -u[0]]
    }
}
