//! The Pleiades: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.10.

pub(crate) const U: [f64; 28] = [
    3.0, 3.1, -1.0, -3.0, 2.0, -2.0, 2.2, //
    3.0, -3.0, 2.0, 0.5, 0.4, -4.0, 4.0, //
    0.1, 0.2, 0.3, 0.4, 0.5, 1.75, -1.5, //
    0.1, 0.2, 0.3, -1.25, 1.0, 0.6, 0.7,
];
pub(crate) const P: [f64; 7] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];

systems! {
    /// Seven stars in a plane; the parameters are their masses.
    pub(crate) fn pleiades(du: &mut [f64; 28], u: &[f64; 28], mass: &[f64; 7], _t: f64) {
        for i in 0..7 {
            let [x, y] = [u[i], u[7 + i]];
            let mut pull = [0.0, 0.0];
            for j in 0..7 {
                if i != j {
                    let dx = u[j] - x;
                    let dy = u[7 + j] - y;
                    let square = dx * dx + dy * dy;
                    let strength = mass[j] / (square * square.sqrt());
                    pull[0] += strength * dx;
                    pull[1] += strength * dy;
                }
            }
            du[i] = u[14 + i];
            du[7 + i] = u[21 + i];
            du[14 + i] = pull[0];
            du[21 + i] = pull[1];
        }
    }
}
