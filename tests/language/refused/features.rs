// Features of trajectories.

//# features_are_floats
//! A feature is of a float.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[feature(integral)]
    pub(crate) fn inside(u: &[f64; 2]) -> bool {
//~                                       ^^^^
//~ error: a feature must be a float, found a truth value: every lane computes it; return a float,
//~ as in `u.height`
        u[0] > 1.0
    }
}

//# features_are_one_number
//! A feature is of one number.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[feature(maximum)]
    pub(crate) fn both(u: &[f64; 2]) -> [f64; 2] {
//~                                     ^^^^^^^^
//~ error: a feature is of one number: return one `f64`, and write a function for each number
        *u
    }
}

//# kinds_are_known
//! There are four kinds of features.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[feature(maximal)]
//~           ^^^^^^^
//~ error: `maximal` is not a kind of feature: write `#[feature(maximum)]`, or several of `maximum`,
//~ `minimum`, `integral` and `time_positive`, separated by commas
    pub(crate) fn height(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[feature(minima)]
//~           ^^^^^^
//~ error: `minima` is not a kind of feature: write `#[feature(maximum)]`, or several of `maximum`,
//~ `minimum`, `integral` and `time_positive`, separated by commas
    pub(crate) fn speed(u: &[f64; 2]) -> f64 {
        u[1]
    }
}

//# kinds_are_said
//! A feature has a kind.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[feature]
//~ ^^^^^^^^^^
//~ error: a feature needs a kind: write `#[feature(maximum)]`, or several of `maximum`, `minimum`,
//~ `integral` and `time_positive`, separated by commas
    pub(crate) fn height(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

//# kinds_occur_once
//! A function has a kind of feature once.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [u[1], -u[0]]
    }

    #[feature(maximum, minimum, maximum)]
//~                             ^^^^^^^
//~ error: `maximum` occurs twice; remove this one
    pub(crate) fn height(u: &[f64; 2]) -> f64 {
        u[0]
    }
}

//# numbers_of_features
//! There are at most eight features of each kind.

use odes::ode_system;

#[ode_system]
mod rule {
    pub(crate) fn rhs(u: &[f64; 9]) -> [f64; 9] {
        u.map(|x| -x)
    }

    #[feature(maximum)]
    pub(crate) fn f0(u: &[f64; 9]) -> f64 {
        u[0]
    }

    #[feature(maximum)]
    pub(crate) fn f1(u: &[f64; 9]) -> f64 {
        u[1]
    }

    #[feature(maximum)]
    pub(crate) fn f2(u: &[f64; 9]) -> f64 {
        u[2]
    }

    #[feature(maximum)]
    pub(crate) fn f3(u: &[f64; 9]) -> f64 {
        u[3]
    }

    #[feature(maximum)]
    pub(crate) fn f4(u: &[f64; 9]) -> f64 {
        u[4]
    }

    #[feature(maximum)]
    pub(crate) fn f5(u: &[f64; 9]) -> f64 {
        u[5]
    }

    #[feature(maximum)]
    pub(crate) fn f6(u: &[f64; 9]) -> f64 {
        u[6]
    }

    #[feature(maximum)]
    pub(crate) fn f7(u: &[f64; 9]) -> f64 {
        u[7]
    }

    #[feature(maximum)]
    pub(crate) fn f8(u: &[f64; 9]) -> f64 {
//~               ^^
//~ error: a system has at most 8 features of the kind `maximum`; remove some, or solve again for
//~ the others
        u[8]
    }
}
