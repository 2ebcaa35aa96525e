//! Elowitz and Leibler, A synthetic oscillatory network of transcriptional regulators, Nature 403
//! (2000).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 6] = [1.0, 0.5, 0.2, 2.0, 1.0, 3.0];
/// Standard parameters.
pub const P: [f64; 3] = [216.0, 0.216, 5.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 30.0);
/// The state at its end, by `tools/references.py`.
pub const REFERENCE: [f64; 6] = [
    4.962788304799,
    2.4204199053213,
    58.974322785739,
    6.1314636173541,
    1.9539926844569,
    58.829095271048,
];

/// Three genes, each of which represses the next: messengers, then proteins.
#[ode_system]
pub fn repressilator(du: &mut [f64; 6], u: &[f64; 6], p: &[f64; 3], _t: f64) {
    let [expression, leakage, decay] = *p;
    for gene in 0..3 {
        let repressor = u[3 + (gene + 2) % 3];
        let messenger = u[gene];
        let protein = u[3 + gene];
        du[gene] = expression / (1.0 + repressor * repressor) + leakage - messenger;
        du[3 + gene] = decay * (messenger - protein);
    }
}
