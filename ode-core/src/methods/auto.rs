//! Methods that switch: an explicit one while a trajectory is not stiff, an implicit one while it is.
//!
//! Each lane is in one of two modes. In the explicit one the spectral radius `ρ` of the Jacobian is
//! estimated from two stages at the same time, `‖k_b - k_a‖/‖g_b - g_a‖` (Hairer and Wanner II, IV.2); in
//! the implicit one it is bounded by the greatest row sum of the Jacobian. Where for ten steps in a row `h
//! ρ` is beyond nine tenths of the explicit method's stability on the negative axis, errors are not what
//! limits the step, and the lane changes to the implicit method; where for three steps in a row it is within, it
//! changes back (Petzold, SIAM Journal on Scientific and Statistical Computing 4 (1983); the counts are those
//! of OrdinaryDiffEq.jl's `AutoSwitch`).

use crate::controller::Controller;

/// How the implicit method's steps follow from errors: by a law of the same kind as the explicit one's, which is
/// but for this what is best for it.
pub const CONTROLLER: Controller = Controller::pi(1.0, 0.1);

pub use device::*;

#[ode_macros::device(auto)]
mod device {
    use crate::lane::{Bits, Real};

    /// In a mode: whether the implicit method is next.
    pub const STIFF: u64 = 128;
    /// In a mode: whether it has ever been.
    pub const EVER: u64 = 64;
    /// In a mode: whether it made the last step.
    pub const USED: u64 = 32;
    /// In a mode: one step that suggests the other method.
    pub const STEP: u64 = 256;
    /// Steps in a row after which the implicit method is taken.
    pub const STEPS_TO_STIFF: u64 = 10;
    /// Steps in a row after which the explicit method is taken.
    pub const STEPS_BACK: u64 = 3;
    /// How much of the explicit method's stability suffices.
    pub const SHARE: f64 = 0.9;

    /// Whether the bit `which` of a mode is set.
    pub fn has<R: Real>(mode: R::Bits, which: u64) -> R::Mask {
        let bit = <R::Bits as Bits>::lit(which);
        (mode & bit).equals(bit)
    }

    /// The mode after a step in one, where the step `suggests` the other method.
    pub fn next<R: Real>(mode: R::Bits, suggests: R::Mask) -> R::Bits {
        let none = <R::Bits as Bits>::lit(0);
        let stiff = has::<R>(mode, STIFF);
        let counts = !<R::Bits as Bits>::lit(STEP - 1);
        let count = (mode & counts).wrapping_add(<R::Bits as Bits>::lit(STEP));
        let count = <R::Bits as Bits>::select(suggests, count, none);
        let there = <R::Bits as Bits>::lit(STEPS_TO_STIFF * STEP);
        let back = <R::Bits as Bits>::lit(STEPS_BACK * STEP);
        let turns = !count.less_than(<R::Bits as Bits>::select(stiff, back, there));
        let count = <R::Bits as Bits>::select(turns, none, count);
        let then = (stiff & !turns) | (turns & !stiff);
        let ever = mode & <R::Bits as Bits>::lit(EVER);
        let bits = <R::Bits as Bits>::select(then, <R::Bits as Bits>::lit(STIFF + EVER), ever);
        let used = <R::Bits as Bits>::select(stiff, <R::Bits as Bits>::lit(USED), none);
        count | bits | used
    }

    /// Whether another method is next in the mode `new` than in the mode `old`.
    pub fn turned<R: Real>(old: R::Bits, new: R::Bits) -> R::Mask {
        let bit = <R::Bits as Bits>::lit(STIFF);
        ((old ^ new) & bit).equals(bit)
    }

    /// What of a mode is reported at the end, beside the code.
    pub fn reported<R: Real>(mode: R::Bits) -> R::Bits {
        mode & <R::Bits as Bits>::lit(STIFF + EVER)
    }

    /// The greatest sum of magnitudes of a row.
    pub fn row_sum<R: Real, const N: usize>(matrix: &[[R; N]; N]) -> R {
        let mut most = R::lit(0.0);
        for i in 0..N {
            let mut sum = R::lit(0.0);
            for j in 0..N {
                sum = sum + matrix[i][j].abs();
            }
            most = most.max(sum);
        }
        most
    }
}

/// Declares a method that switches between an explicit one, which keeps `$some` vectors and compares the
/// stages `$first` and `$second` (from 1), and an implicit one that keeps `$others`. `stable` is how far the
/// explicit one is stable on the negative axis.
macro_rules! switching {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, kept $kept:tt,
        $explicit:ident::$Explicit:ident keeps $some:tt, stages [$first:tt, $second:tt], stable $stable:tt,
        $implicit:ident::$Implicit:ident keeps $others:tt
    ) => {
        pub use device::*;

        use super::Properties;

        /// What is known of the method.
        pub const PROPERTIES: Properties = Properties {
            name: stringify!($method),
            switches_to: Some(&super::$implicit::PROPERTIES),
            ..super::$explicit::PROPERTIES
        };

        #[ode_macros::device($module)]
        mod device {
            use super::super::{auto, $explicit, $implicit, stepper};
            use crate::controller;
            use crate::guard;
            use crate::integrate::code;
            use crate::lane::{Bits, Mask, Real};
            use crate::system::System;
            use crate::timeline;
            use stepper::Stepper;

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            /// How far the explicit method is stable on the negative axis.
            pub const STABLE: f64 = $stable;

            /// The part of a step that the explicit method made.
            pub fn explicit<R: Real, const N: usize>(
                step: &stepper::Step<R, N, $kept>,
            ) -> stepper::Step<R, N, $some> {
                let mut k = R::blank::<N, $some>();
                for j in 0..$some {
                    k[j] = step.k[j];
                }
                stepper::step::<R, N, $some>(step.u, k, step.code)
            }

            /// The part of a step that the implicit method made.
            pub fn implicit<R: Real, const N: usize>(
                step: &stepper::Step<R, N, $kept>,
            ) -> stepper::Step<R, N, $others> {
                let mut k = R::blank::<N, $others>();
                for j in 0..$others {
                    k[j] = step.k[$some + j];
                }
                stepper::step::<R, N, $others>(step.u, k, step.code)
            }

            impl Stepper<$kept> for $method {
                const ORDER: usize = $explicit::$Explicit::ORDER;
                const ADAPTIVE: bool = true;
                const FSAL: bool = $explicit::$Explicit::FSAL;
                const LAST: usize = $explicit::$Explicit::LAST;
                const SWITCHES: bool = true;
                const GUARDS: bool = $implicit::$Implicit::GUARDS;
                const DIAGONAL: f64 = $implicit::$Implicit::DIAGONAL;
                const ITERATES: bool = $implicit::$Implicit::ITERATES;
                const SLOPE: bool = false;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    at: &timeline::At<R>,
                    h: R,
                    k1: &[R; N],
                    mode: R::Bits,
                    tolerances: &stepper::Tolerances<R, N>,
                    watch: &guard::Watch<R>,
                ) -> stepper::Step<R, N, $kept> {
                    let stiff = auto::has::<R>(mode, auto::STIFF) & at.run;
                    let easy = at.run & !stiff;
                    // What the other method keeps nobody looks at.
                    let mut k = R::blank::<N, $kept>();
                    let mut new = *u;
                    let mut code = <R::Bits as Bits>::lit(code::SUCCESS);
                    let mut grows = stiff & easy;
                    let mut suggests = stiff;
                    if easy.any() {
                        let made = $explicit::$Explicit::step::<R, S, N, P>(
                            u, p, at, h, k1, mode, tolerances, watch,
                        );
                        new = made.u;
                        for j in 0..$some {
                            k[j] = made.k[j];
                        }
                        let mut change = [R::lit(0.0); N];
                        let mut moved = [R::lit(0.0); N];
                        for d in 0..N {
                            change[d] = made.k[$second - 1][d] - made.k[$first - 1][d];
                            for j in 0..$first - 1 {
                                let a = R::lit(
                                    $explicit::A[$second - 2][j] - $explicit::A[$first - 2][j],
                                );
                                moved[d] = made.k[j][d].mul_add(a, moved[d]);
                            }
                            for j in $first - 1..$second - 1 {
                                let a = R::lit($explicit::A[$second - 2][j]);
                                moved[d] = made.k[j][d].mul_add(a, moved[d]);
                            }
                        }
                        // `‖Δk‖ h > limit ‖Δg‖` with `Δg = h` times what is summed up there: as `ρ h`.
                        let change = controller::square_norm::<R, N>(&change, u, &new, tolerances);
                        let moved = controller::square_norm::<R, N>(&moved, u, &new, tolerances);
                        let limit = R::lit(auto::SHARE * STABLE);
                        suggests = stiff | change.gt(moved * (limit * limit));
                    }
                    if stiff.any() {
                        let made = $implicit::$Implicit::step::<R, S, N, P>(
                            u, p, at, h, k1, mode, tolerances, watch,
                        );
                        new = stepper::choose::<R, N>(stiff, made.u, new);
                        code = <R::Bits as Bits>::select(stiff, made.code, code);
                        grows = stiff & made.grows;
                        k[0] = stepper::choose::<R, N>(stiff, made.k[0], k[0]);
                        for j in 0..$others {
                            k[$some + j] = made.k[j];
                        }
                        if $explicit::$Explicit::FSAL {
                            let time = timeline::stage::<R, S, N, P>(at, R::lit(1.0));
                            let last = S::rhs(&new, p, time);
                            let before = k[$explicit::$Explicit::LAST];
                            k[$explicit::$Explicit::LAST] =
                                stepper::choose::<R, N>(stiff, last, before);
                        }
                        let radius = auto::row_sum::<R, N>(&S::jacobian(u, p, at.t));
                        let calm = (radius * h.abs()).lt(R::lit(auto::SHARE * STABLE));
                        suggests = suggests & (easy | calm);
                    }
                    let mut step = stepper::step::<R, N, $kept>(new, k, code);
                    step.mode = auto::next::<R>(mode, suggests);
                    step.grows = grows;
                    step
                }

                fn square_norm<R: Real, const N: usize>(
                    u: &[R; N],
                    step: &stepper::Step<R, N, $kept>,
                    h: R,
                    tolerances: &stepper::Tolerances<R, N>,
                ) -> R {
                    let stiff = auto::has::<R>(step.mode, auto::USED);
                    let easy = explicit::<R, N>(step);
                    let easy = $explicit::$Explicit::square_norm::<R, N>(u, &easy, h, tolerances);
                    let hard = implicit::<R, N>(step);
                    let hard = $implicit::$Implicit::square_norm::<R, N>(u, &hard, h, tolerances);
                    R::select(stiff, hard, easy)
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    u: &[R; N],
                    p: &[R; P],
                    at: &timeline::At<R>,
                    h: R,
                    step: &stepper::Step<R, N, $kept>,
                ) -> stepper::Step<R, N, $kept> {
                    let easy = explicit::<R, N>(step);
                    let easy = $explicit::$Explicit::complete::<R, S, N, P>(u, p, at, h, &easy);
                    let mut out = *step;
                    for j in 0..$some {
                        out.k[j] = easy.k[j];
                    }
                    out
                }

                fn interpolate<R: Real, const N: usize>(
                    u: &[R; N],
                    step: &stepper::Step<R, N, $kept>,
                    h: R,
                    theta: R,
                ) -> [R; N] {
                    let stiff = auto::has::<R>(step.mode, auto::USED);
                    let easy = explicit::<R, N>(step);
                    let easy = $explicit::$Explicit::interpolate::<R, N>(u, &easy, h, theta);
                    let hard = implicit::<R, N>(step);
                    let hard = $implicit::$Implicit::interpolate::<R, N>(u, &hard, h, theta);
                    stepper::choose::<R, N>(stiff, hard, easy)
                }
            }
        }
    };
}
