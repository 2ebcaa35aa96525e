//! Elowitz and Leibler, A synthetic oscillatory network of transcriptional regulators, Nature 403
//! (2000).

use odes::ode_system;

/// Standard initial state.
pub const U0: [f64; 6] = [1.0, 0.5, 0.2, 2.0, 1.0, 3.0];
/// Standard parameters.
pub const P: [f64; 3] = [216.0, 0.216, 5.0];
/// Time span.
pub const SPAN: (f64, f64) = (0.0, 30.0);
/// The state at the end of the span, by `tools/references.py`.
pub const REFERENCE: [f64; 6] = [
    4.962788304799,
    2.4204199053213,
    58.974322785739,
    6.1314636173541,
    1.9539926844569,
    58.829095271048,
];

/// Three genes in a cycle; each represses the next.
#[ode_system]
pub mod repressilator {
    const GENES: usize = 3;

    /// Molecules, in units of the number that halves a gene's expression.
    pub struct State {
        pub messengers: [f64; GENES],
        pub proteins: [f64; GENES],
    }

    /// Rates, per lifetime of the messengers.
    pub struct Parameters {
        /// Expression without repressor.
        pub expression: f64,
        /// Expression with any amount of repressor.
        pub leakage: f64,
        /// Decay of proteins.
        pub decay: f64,
    }

    /// The fraction of a gene's expression that remains with this repressor.
    fn hill(repressor: f64) -> f64 {
        1.0 / (1.0 + repressor * repressor)
    }

    pub fn rhs(du: &mut State, u: &State, p: &Parameters) {
        for gene in 0..GENES {
            let repressor = u.proteins[(gene + GENES - 1) % GENES];
            let messenger = u.messengers[gene];
            du.messengers[gene] = p.expression * hill(repressor) + p.leakage - messenger;
            du.proteins[gene] = p.decay * (messenger - u.proteins[gene]);
        }
    }
}
