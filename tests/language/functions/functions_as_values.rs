use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let sizes = u.map(f64::abs);
    let most = sizes.iter().copied().fold(0.0, f64::max);
    let wave = f64::sin;
    let count = [1, 2].iter().copied().fold(0, usize::max);
    du[0] = most - sizes[0] * count as f64;
    du[1] = wave(u[1]);
}
