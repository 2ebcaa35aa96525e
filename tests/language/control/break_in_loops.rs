use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    'rows: for i in 0..2 {
        for j in 0..2 {
            if i + j > 2 {
                continue 'rows;
            }
        }
        du[i] = -u[i];
    }
}
