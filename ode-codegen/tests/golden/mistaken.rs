fn mistaken(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    du[0] = p[1] * u[0];
    println!("{}", u[0]);
}
