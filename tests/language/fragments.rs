//! Systems that `macro_rules!` generates, of any size, precision and coefficient.

use odes::prelude::*;
use odes::system::{Rhs, System};

macro_rules! rings {
    ($($name:ident, $in_a_module:ident: $real:ty, $cells:literal, $limit:literal, $rate:expr;)*) => { $(
        #[ode_system(limit = $limit)]
        fn $name(u: &[$real; $cells], p: &[$real; 1]) -> [$real; $cells] {
            let mut du = [0.0; $cells];
            for i in 0..$cells {
                du[i] = $rate * p[0] * (u[(i + 1) % $cells] - u[i]);
            }
            du
        }

        #[ode_system]
        mod $in_a_module {
            const CELLS: usize = $cells;

            fn rhs(u: &[$real; CELLS], p: &[$real; 1]) -> [$real; CELLS] {
                std::array::from_fn(|i| $rate * p[0] * (u[(i + 1) % CELLS] - u[i]))
            }
        }
    )* };
}

rings! {
    three, three_in_a_module: f64, 3, 1000, 1.0 + 1.0;
    five, five_in_a_module: f64, 5, 1000, 2.0;
}

fn check<S: System<N, 1>, const N: usize>(system: S) {
    let u = std::array::from_fn(|i| (i * i) as f64);
    let expected: [f64; N] = std::array::from_fn(|i| 6.0 * (u[(i + 1) % N] - u[i]));
    assert_eq!(Rhs::rhs(&system, &u, &[3.0], 0.0), expected);
}

#[test]
fn numbers_may_be_fragments() {
    check(three);
    check(three_in_a_module);
    check(five);
    check(five_in_a_module);
}
