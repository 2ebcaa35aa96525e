fn ring(u: &[f32; 4], p: &[f32; 1], t: f32) -> [f32; 4] {
    let mut flow = [0.0; 4];
    for i in 0..4 {
        let next = (i + 1) % 4;
        flow[i] = p[0] * (u[next] - u[i]);
    }
    let mut du = [0.0; 4];
    for i in 0..4 {
        du[i] = flow[i] - flow[(i + 3) % 4] + i as f32 * t.powi(3);
    }
    du
}
