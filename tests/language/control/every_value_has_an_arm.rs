use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
            0 => u[1],
            1 => -u[0],
            _ => 0.0,
        };
    }
}
