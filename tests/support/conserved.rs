//! Reactions with an algebraic equation and a domain.

use odes::prelude::*;

/// Robertson (1966), with the conservation of mass in place of one of the equations.
#[ode_system]
pub(crate) mod robertson {
    #[mass_matrix]
    pub(crate) const M: [f64; 3] = [1.0, 1.0, 0.0];

    pub(crate) fn rhs(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
        let [a, b, c] = *u;
        let rate = p[0] * a - p[2] * b * c;
        [-rate, rate - p[1] * b * b, a + b + c - 1.0]
    }

    pub(crate) fn is_out_of_domain(u: &[f64; 3]) -> bool {
        let mut negative = false;
        for x in u {
            negative = negative || *x < 0.0;
        }
        negative || u[0] + u[1] + u[2] > 1.5
    }
}
