use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn factorial(n: u32) -> f64 {
        let mut product = 1.0;
        for i in 1..=n {
            product *= i as f64;
        }
        product
    }
    du[0] = u[1] / factorial(3);
    du[1] = -u[0];
}
