use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn scaled(x: [f64; 2], by: f64) -> [f64; 2] {
        x.map(|x| by * x)
    }
    let x = scaled(*u, 2.0);
    du[0] = x[1];
    du[1] = -x[0];
}
