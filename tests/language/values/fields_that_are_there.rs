use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    struct Point {
        x: f64,
        y: f64,
    }
    let point = Point { x: u[0], y: u[1] };
    du[0] = point.y;
    du[1] = -point.x;
}
