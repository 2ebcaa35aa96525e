//! Pairs of methods: an explicit one, and an implicit one for stiff trajectories.
//!
//! Each lane is in one of two modes. In the explicit mode, the spectral radius `ρ` of the Jacobian
//! is estimated from two stages at the same time, `‖k_b - k_a‖/‖g_b - g_a‖` (Hairer and Wanner II,
//! IV.2). In the implicit mode, it is bounded by the greatest row sum of the Jacobian.
//!
//! The limit is nine tenths of the explicit method's stability on the negative axis. If `h ρ` is
//! beyond the limit for ten consecutive steps, errors do not limit the step, and the lane changes
//! to the implicit method. If `h ρ` is within the limit for three consecutive steps, the lane
//! changes back (Petzold, SIAM Journal on Scientific and Statistical Computing 4 (1983)). The
//! counts are from OrdinaryDiffEq.jl's `AutoSwitch`.

use crate::step::controller::Controller;

/// The controller of the implicit method.
///
/// It is the best one of the explicit method's kind, since both share one kind of control law.
pub const CONTROLLER: Controller = Controller::pi(1.0, 0.1);

pub use device::*;

#[ode_macros::device(switching)]
mod device {
    use crate::lane::{Bits, Real};
    use crate::step::stepper::Memory;

    /// The bit of a mode before a step of the implicit method.
    pub const STIFF: u64 = 128;
    /// The bit of a mode in trajectories that ever chose the implicit method.
    pub const EVER: u64 = 64;
    /// The bit of a mode after a step of the implicit method.
    pub const USED: u64 = 32;
    /// The unit of a mode's count of consecutive steps that suggest the other method.
    pub const STEP: u64 = 256;
    /// The number of consecutive steps before the implicit method takes over.
    pub const STEPS_TO_STIFF: u64 = 10;
    /// The number of consecutive steps before the explicit method takes over.
    pub const STEPS_BACK: u64 = 3;
    /// The fraction of the explicit method's stability limit at which methods switch.
    pub const SHARE: f64 = 0.9;

    /// Returns whether the bit `which` of a mode is set.
    pub fn has<R: Real>(mode: R::Bits, which: u64) -> R::Mask {
        let bit = <R::Bits as Bits>::lit(which);
        (mode & bit).equals(bit)
    }

    /// Returns the mode after a step that `suggests` the other method, or does not.
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

    /// The [`Memory`] of methods that switch.
    #[derive(Clone, Copy, Debug)]
    pub struct Mode;

    impl Memory for Mode {
        const SWITCHES: bool = true;

        fn is_implicit<R: Real>(memory: R::Bits) -> R::Mask {
            has::<R>(memory, STIFF)
        }

        fn was_implicit<R: Real>(memory: R::Bits) -> R::Mask {
            has::<R>(memory, USED)
        }

        fn has_switched<R: Real>(before: R::Bits, after: R::Bits) -> R::Mask {
            has::<R>(before ^ after, STIFF)
        }

        fn reported<R: Real>(memory: R::Bits) -> R::Bits {
            memory & <R::Bits as Bits>::lit(STIFF + EVER)
        }
    }
}

/// Declares a pair of an explicit and an implicit method.
///
/// The explicit method stores `$some` vectors and compares the stages `$first` and `$second` (from
/// 1). The implicit method stores `$others`. `stable` is the length of the explicit method's
/// stability interval on the negative axis.
macro_rules! switching {
    (
        $(#[$documentation:meta])*
        $module:ident::$method:ident, kept $kept:tt,
        $explicit:ident::$Explicit:ident keeps $some:tt,
        stages [$first:tt, $second:tt], stable $stable:tt,
        $implicit:ident::$Implicit:ident keeps $others:tt
    ) => {
        pub use device::*;

        use crate::step::properties::Properties;

        /// The properties of the method.
        pub const PROPERTIES: Properties = Properties {
            name: stringify!($method),
            switches_to: Some(&super::$implicit::PROPERTIES),
            ..super::$explicit::PROPERTIES
        };

        #[ode_macros::device($module)]
        mod device {
            use crate::lane::{Bits, Mask, Real};
            use super::super::{$explicit, $implicit};
            use crate::step::{code, norm, stepper, switching, timeline, vector};
            use crate::system::{Noise, System};
            use stepper::Stepper;

            $(#[$documentation])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $method;

            /// The length of the explicit method's stability interval on the negative axis.
            pub const STABLE: f64 = $stable;

            /// Returns the explicit method's vectors of a step.
            pub fn explicit<R: Real, const N: usize>(
                step: &stepper::Step<R, N, [[R; N]; $kept]>,
            ) -> stepper::Step<R, N, [[R; N]; $some]> {
                let mut k = R::blank::<N, $some>();
                for j in 0..$some {
                    k[j] = step.k[j];
                }
                stepper::step::<R, N, [[R; N]; $some]>(step.u, k, step.code)
            }

            /// Returns the implicit method's vectors of a step.
            pub fn implicit<R: Real, const N: usize>(
                step: &stepper::Step<R, N, [[R; N]; $kept]>,
            ) -> stepper::Step<R, N, [[R; N]; $others]> {
                let mut k = R::blank::<N, $others>();
                for j in 0..$others {
                    k[j] = step.k[$some + j];
                }
                stepper::step::<R, N, [[R; N]; $others]>(step.u, k, step.code)
            }

            impl Stepper for $method {
                const ORDER: usize = $explicit::$Explicit::ORDER;
                const ADAPTIVE: bool = true;
                const FSAL: bool = $explicit::$Explicit::FSAL;
                const GUARDS: bool = $implicit::$Implicit::GUARDS;
                const DIAGONAL: f64 = $implicit::$Implicit::DIAGONAL;
                const ITERATES: bool = $implicit::$Implicit::ITERATES;
                const NEEDS_DU: bool = false;
                type Kept<R: Real, const N: usize> = [[R; N]; $kept];
                type Memory = switching::Mode;

                fn step<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    system: S,
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                    let u = &state.u;
                    let p = &state.p;
                    let tolerances = &state.tolerances;
                    let stiff = switching::has::<R>(ask.memory, switching::STIFF) & ask.at.run;
                    let nonstiff = ask.at.run & !stiff;
                    // The vectors of the other method are ignored.
                    let mut k = R::blank::<N, $kept>();
                    let mut new = *u;
                    let mut code = <R::Bits as Bits>::lit(code::SUCCESS);
                    let mut grows = stiff & nonstiff;
                    let mut suggests = stiff;
                    if nonstiff.any() {
                        let made = $explicit::$Explicit::step::<R, S, N, P>(system, state, ask);
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
                        // `‖Δk‖ h > limit ‖Δg‖`, with `Δg` equal to `h` times the sum above: a test
                        // of `ρ h`.
                        let change = norm::scaled_error_sq::<R, N>(&change, u, &new, tolerances);
                        let moved = norm::scaled_error_sq::<R, N>(&moved, u, &new, tolerances);
                        let limit = R::lit(switching::SHARE * STABLE);
                        suggests = stiff | change.gt(moved * (limit * limit));
                    }
                    if stiff.any() {
                        let made = $implicit::$Implicit::step::<R, S, N, P>(system, state, ask);
                        new = vector::choose::<R, N>(stiff, made.u, new);
                        code = <R::Bits as Bits>::select(stiff, made.code, code);
                        grows = stiff & made.grows;
                        k[0] = vector::choose::<R, N>(stiff, made.k[0], k[0]);
                        for j in 0..$others {
                            k[$some + j] = made.k[j];
                        }
                        if $explicit::$Explicit::FSAL {
                            let time = timeline::stage::<R, S, N, P>(&ask.at, R::lit(1.0));
                            let last = system.rhs(&new, p, time);
                            k[$some - 1] = vector::choose::<R, N>(stiff, last, k[$some - 1]);
                        }
                        let radius = system.row_sum(u, p, ask.at.t);
                        let calm = (radius * ask.h.abs()).lt(R::lit(switching::SHARE * STABLE));
                        suggests = suggests & (nonstiff | calm);
                    }
                    let mut step = stepper::step::<R, N, [[R; N]; $kept]>(new, k, code);
                    step.memory = switching::next::<R>(ask.memory, suggests);
                    step.grows = grows;
                    step
                }

                fn step_on<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    system: S,
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    _wiener: &<S::Noise as Noise<N, P>>::Wiener<R>,
                ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                    $method::step::<R, S, N, P>(system, state, ask)
                }

                fn scaled_error_sq<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> R {
                    let stiff = switching::has::<R>(step.memory, switching::USED);
                    let by_explicit = explicit::<R, N>(step);
                    let by_explicit =
                        $explicit::$Explicit::scaled_error_sq::<R, N, P>(state, ask, &by_explicit);
                    let by_implicit = implicit::<R, N>(step);
                    let by_implicit =
                        $implicit::$Implicit::scaled_error_sq::<R, N, P>(state, ask, &by_implicit);
                    R::select(stiff, by_implicit, by_explicit)
                }

                fn dense_error_sq<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> R {
                    let stiff = switching::has::<R>(step.memory, switching::USED);
                    let by_implicit = implicit::<R, N>(step);
                    let by_implicit =
                        $implicit::$Implicit::dense_error_sq::<R, N, P>(state, ask, &by_implicit);
                    R::select(stiff, by_implicit, R::lit(0.0))
                }

                fn du_before<R: Real, const N: usize>(kept: &[[R; N]; $kept]) -> [R; N] {
                    kept[0]
                }

                fn du_after<R: Real, const N: usize>(kept: &[[R; N]; $kept]) -> [R; N] {
                    // The derivative of the explicit method, if it has one.
                    kept[$some - 1]
                }

                fn complete<R: Real, S: System<N, P>, const N: usize, const P: usize>(
                    system: S,
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                ) -> stepper::Step<R, N, [[R; N]; $kept]> {
                    let by_explicit = explicit::<R, N>(step);
                    let by_explicit = $explicit::$Explicit::complete::<R, S, N, P>(
                        system, state, ask, &by_explicit,
                    );
                    let mut out = *step;
                    for j in 0..$some {
                        out.k[j] = by_explicit.k[j];
                    }
                    out
                }

                fn interpolate<R: Real, const N: usize, const P: usize>(
                    state: &stepper::State<R, N, P>,
                    ask: &stepper::Ask<R>,
                    step: &stepper::Step<R, N, [[R; N]; $kept]>,
                    theta: R,
                ) -> [R; N] {
                    let stiff = switching::has::<R>(step.memory, switching::USED);
                    let by_explicit = explicit::<R, N>(step);
                    let by_explicit =
                        $explicit::$Explicit::interpolate::<R, N, P>(
                            state, ask, &by_explicit, theta,
                        );
                    let by_implicit = implicit::<R, N>(step);
                    let by_implicit =
                        $implicit::$Implicit::interpolate::<R, N, P>(
                            state, ask, &by_implicit, theta,
                        );
                    vector::choose::<R, N>(stiff, by_implicit, by_explicit)
                }
            }
        }
    };
}
