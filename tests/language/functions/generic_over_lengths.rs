use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn total<const N: usize>(x: &[f64; N]) -> f64 {
        x.iter().sum()
    }
    du[0] = total(u);
    du[1] = -u[0];
}
