//! Lorenz, Predictability: a problem partly solved, ECMWF seminar (1996).

pub(crate) const U: [f64; 40] = [3.0; 40];
pub(crate) const P: [f64; 1] = [8.0];

systems! {
    /// A latitude circle of 40 sites.
    pub(crate) fn lorenz96(du: &mut [f64; 40], u: &[f64; 40], p: &[f64; 1], _t: f64) {
        for i in 0..40 {
            let next = u[(i + 1) % 40];
            let previous = u[(i + 39) % 40];
            let before = u[(i + 38) % 40];
            du[i] = (next - before) * previous - u[i] + p[0];
        }
    }
}
