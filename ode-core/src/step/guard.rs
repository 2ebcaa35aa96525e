//! The growth guard, which keeps implicit methods from passing over a solution that grows from
//! almost nothing.
//!
//! # The problem
//!
//! A mode `u' = λ u` enters a step of size `h` as `u R(hλ)`. Where `λ` is real and positive the
//! solution grows by `exp(hλ)`, but the `R` of an implicit method has a pole at `hλ = 1/γ`,
//! overstates the growth before it, and tends to zero beyond it (Lindberg, BIT 14 (1974) 430–436;
//! Dieci and Estep, "superstability"). While the mode is below the absolute tolerance no error
//! estimate shows that: the step size grows from one side of the pole to the other, from where on
//! the method damps the growing mode, and the solution stays on an unstable state. An ignition that
//! begins with traces of radicals does not take place.
//!
//! # The test
//!
//! `W = M/(γh) - J` is factorised anyway. Its determinant has the sign that it has for short steps,
//! times -1 for each real mode with `γhλ > 1`, as complex ones come in pairs: an odd number of real
//! modes beyond the pole changes the sign, and nothing else does. It is the sign of the product of
//! the pivots.
//!
//! 1. A step with another sign than that of short steps is refused. On the way to the pole the
//!    numerical growth is more and more wrong, and earlier steps may have been there: the
//!    trajectory begins anew, and is *careful*.
//! 2. A step that errors reject and shorten to [less than four fifths](SHOWN), and that is not the
//!    first of a part, is tested again. If it had another sign at [`1/SOON`](SOON) times its size,
//!    the component whose error is large now may have grown too fast in earlier steps, which were
//!    about as long, when it was too small for error estimates. The trajectory begins anew, too. So
//!    it does where a step has that sign whose size was given by a stop or by the largest step, and
//!    not by errors.
//! 3. In a careful trajectory a step that would have another sign at [`1/SOON`](SOON) times its
//!    size is refused, in favour of one of half its size (a quarter, where it has that sign
//!    itself): up to there growth is right to 1% with methods of order 4 and 5. This takes a second
//!    factorisation in each step.
//! 4. After a refusal a step is at most twice as long as the last, until errors have limited three
//!    steps. The first time this also ends the care; a trajectory that is begun anew once more is
//!    careful to its end.
//! 5. After [`HELD`] steps that only the guard limited, the mode is taken for exactly zero, and the
//!    guard is off until the end of the span, or of its part: each of these steps was `SOON/2` of
//!    the way to the pole or more, so that any other number than zero would have grown to one. In
//!    later parts this happens after [`HELD_AGAIN`] steps.
//!
//! A trajectory without such a sign takes the steps that it would take without the guard. The sign
//! is exact except for rounding. It does not show an even number of real modes that pass the pole
//! in one step, complex modes, and growth that is not in the Jacobian.

use crate::lane::Scalar;
use crate::step::properties::Properties;

/// The treatment of steps that may pass over growth; see [`guard`](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum GrowthGuard {
    /// Such a step is refused, and a shorter one is attempted.
    Reject,
    /// Such a step is taken, and counted.
    Report,
    /// The guard is off.
    Off,
}

impl GrowthGuard {
    /// The default of a precision.
    pub(crate) fn default_for<T: Scalar>() -> Self {
        // Rounding in `f32` changes signs where quantities are conserved over long steps.
        if T::DOUBLE { GrowthGuard::Reject } else { GrowthGuard::Report }
    }

    /// The constant of the lanes, for this method.
    pub(crate) fn number(self, method: &Properties) -> u32 {
        let implicit = method.solves > 0 || method.switches_to.is_some();
        match self {
            GrowthGuard::Reject if implicit => REJECT,
            GrowthGuard::Report if implicit => REPORT,
            _ => OFF,
        }
    }
}

/// The report of the guard on a trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guarded {
    /// The number of steps that were refused or, where the guard only reports, taken.
    pub count: u32,
    /// Whether steps were taken that passed over growth.
    pub held: bool,
    /// Whether the trajectory was begun anew.
    pub anew: bool,
}

impl Guarded {
    /// The report of the number that lanes return.
    pub(crate) fn from_lane(number: u32) -> Self {
        let number = u64::from(number);
        let has = |bits| number & bits != 0;
        Guarded { count: (number & COUNT) as u32, held: has(HELD_BIT), anew: has(3 * CAREFUL) }
    }
}

pub use device::*;

// The number of arguments is that of what a step depends on.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(guard)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::system::System;

    /// The guard is off.
    pub const OFF: u32 = 0;
    /// Steps beyond the pole are counted.
    pub const REPORT: u32 = 1;
    /// Steps beyond the pole are refused.
    pub const REJECT: u32 = 2;

    /// The growth that a step looks for.
    #[derive(Clone, Copy, Debug)]
    pub struct Watch<R: Real> {
        /// Whether to look for modes beyond the pole.
        pub far: bool,
        /// Whether the determinant is negative for short steps.
        pub odd: R::Mask,
    }

    /// Makes a [`Watch`].
    pub fn watch<R: Real>(far: bool, odd: R::Mask) -> Watch<R> {
        Watch::<R> { far, odd }
    }

    /// The largest `γhλ` of a mode that a step follows with small error, on the way to the pole at
    /// 1.
    pub const SOON: f64 = 0.4;

    /// Whether the determinant of a factorised matrix has another sign than for short steps.
    pub fn is_beyond<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        w: &S::Factors<R>,
        odd: R::Mask,
    ) -> R::Mask {
        let negative = system.negative(w);
        (negative & !odd) | (odd & !negative)
    }

    /// Whether a step with this factorised matrix is beyond the pole, where `watch` asks for it.
    pub fn grows<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        w: &S::Factors<R>,
        watch: &Watch<R>,
    ) -> R::Mask {
        let mut grows = <R::Mask as Mask>::splat(false);
        if watch.far {
            grows = is_beyond::<R, S, N, P>(system, w, watch.odd);
        }
        grows
    }

    /// Whether the determinant is negative at a state for steps with this `scale`, `1/(γh)`.
    #[called]
    pub fn is_negative<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        u: &[R; N],
        p: &[R; P],
        t: R,
        scale: R,
    ) -> R::Mask {
        system.negative(&system.factor(u, p, t, scale))
    }

    /// Whether a step from here with this `scale`, `1/(γh)`, is beyond the pole.
    #[cold]
    pub fn would_pass<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        u: [R; N],
        p: [R; P],
        t: R,
        scale: R,
        odd: R::Mask,
    ) -> R::Mask {
        is_beyond::<R, S, N, P>(system, &system.factor(&u, &p, t, scale), odd)
    }

    // The state of the guard for a trajectory is one number: from the lowest bit on, its refusals
    // (16 bits), the steps that only the guard limited (10), the steps that errors have to limit
    // before it is content (2), how often the trajectory was begun anew and whether it is careful
    // (2), and two bits.

    /// The largest number of refusals that is counted, and its bits.
    pub const COUNT: u64 = 65535;
    /// The unit of the count of steps that only the guard limited.
    pub const CAPPED: u64 = 65536;
    /// The unit of the count of steps that errors have to limit before the guard is content.
    pub const CAUTION: u64 = 67108864;
    /// The unit of the care of a trajectory: 1 after it was begun anew, when the guard looks for
    /// growth on the way to the pole; 2 once errors limited some steps; 3 after it was begun anew
    /// once more, and is careful to its end.
    pub const CAREFUL: u64 = 268435456;
    /// The bit that is set when the guard has let go, until the end of a part.
    pub const RELEASED: u64 = 1073741824;
    /// The bit that is set if a step was taken that passed over growth.
    pub const HELD_BIT: u64 = 2147483648;
    /// The number of steps that errors have to limit after a refusal.
    pub const CONTENT: u64 = 3;
    /// The number of steps that only the guard limits, after which it lets go. Each is `SOON/2` of
    /// the way to the pole or more, `0.8/λ` with `γ = 1/4`: numbers below `1e-258` count as zero
    /// (and below `1e-148` with the `γ` of Kvaerno3, the largest).
    pub const HELD: u64 = 745;
    /// The number of such steps in later parts, where numbers below `1e-15` count as zero.
    pub const HELD_AGAIN: u64 = 46;
    /// The largest factor by which a step grows after a refusal.
    pub const GROWTH: f64 = 2.0;
    /// The factor of the next step size below which a rejected step is tested again: its error was
    /// 1.6 times the tolerance or more, with an estimate of order 3.
    pub const SHOWN: f64 = 0.8;
    /// The factor by which a step beyond the pole is shortened.
    pub const FAR_FACTOR: f64 = 0.25;
    /// The factor by which a step beyond [`SOON`] is shortened.
    pub const NEAR_FACTOR: f64 = 0.5;

    /// The report of a state, without what belongs to one part of a span only.
    pub fn reported<R: Real>(state: R::Bits) -> R::Bits {
        state & <R::Bits as Bits>::lit(COUNT + 3 * CAREFUL + HELD_BIT)
    }

    /// The state at the beginning of another part, where a mode that was taken for zero may have
    /// been fed.
    pub fn next_part<R: Real>(state: R::Bits) -> R::Bits {
        state & !<R::Bits as Bits>::lit(3 * CAUTION + RELEASED)
    }

    /// The state of a trajectory that begins anew.
    pub fn begun_anew<R: Real>(state: R::Bits) -> R::Bits {
        let kept = counted::<R>(state) & <R::Bits as Bits>::lit(COUNT + 3 * CAREFUL);
        kept.wrapping_add(<R::Bits as Bits>::lit(CAREFUL))
    }

    /// Whether the guard looks for growth on the way to the pole.
    pub fn is_careful<R: Real>(state: R::Bits) -> R::Mask {
        (state & <R::Bits as Bits>::lit(CAREFUL + RELEASED)).equals(<R::Bits as Bits>::lit(CAREFUL))
    }

    /// Whether the guard has let go.
    pub fn has_let_go<R: Real>(state: R::Bits) -> R::Mask {
        let bit = <R::Bits as Bits>::lit(RELEASED);
        (state & bit).equals(bit)
    }

    /// Whether steps grow by [`GROWTH`] at most.
    pub fn is_cautious<R: Real>(state: R::Bits) -> R::Mask {
        !(state & <R::Bits as Bits>::lit(3 * CAUTION)).equals(<R::Bits as Bits>::lit(0))
    }

    /// The state after a step that was refused, or is counted.
    pub fn counted<R: Real>(state: R::Bits) -> R::Bits {
        let max_count = <R::Bits as Bits>::lit(COUNT);
        let count = state & max_count;
        let more = count.wrapping_add(<R::Bits as Bits>::lit(1));
        (state & !max_count) | <R::Bits as Bits>::select(count.equals(max_count), count, more)
    }

    /// The state after a refusal.
    pub fn after_refusal<R: Real>(state: R::Bits) -> R::Bits {
        counted::<R>(state) | <R::Bits as Bits>::lit(CONTENT * CAUTION)
    }

    /// The state after a cautious step; `longer` says whether without the guard a longer one would
    /// follow.
    pub fn advanced<R: Real>(state: R::Bits, longer: R::Mask) -> R::Bits {
        let kept = state & <R::Bits as Bits>::lit(COUNT + 3 * CAREFUL + HELD_BIT);
        // Only the guard limited the step.
        let again = state.wrapping_add(<R::Bits as Bits>::lit(CAPPED));
        let capped = again & <R::Bits as Bits>::lit(CAUTION - CAPPED);
        let enough = !capped.less_than(<R::Bits as Bits>::lit(HELD * CAPPED));
        let let_go = (HELD - HELD_AGAIN) * CAPPED + RELEASED + HELD_BIT;
        let let_go = kept | <R::Bits as Bits>::lit(let_go);
        let again = <R::Bits as Bits>::select(enough, let_go, again);
        // Errors limited the step.
        let calmer = state.wrapping_sub(<R::Bits as Bits>::lit(CAUTION));
        let stage = state & <R::Bits as Bits>::lit(3 * CAREFUL);
        let relaxed = kept.wrapping_add(<R::Bits as Bits>::lit(CAREFUL));
        let first = stage.equals(<R::Bits as Bits>::lit(CAREFUL));
        let content = <R::Bits as Bits>::select(first, relaxed, kept);
        let calmer = <R::Bits as Bits>::select(is_cautious::<R>(calmer), calmer, content);
        <R::Bits as Bits>::select(longer, again, calmer)
    }

    /// The judgement of a step.
    #[derive(Clone, Copy, Debug)]
    pub struct Judged<R: Real> {
        /// Whether the step is refused.
        pub refused: R::Mask,
        /// Whether it is refused in a trajectory that is not careful, which is to begin anew.
        pub anew: R::Mask,
        /// The next step size as a multiple of this one.
        pub factor: R,
        /// The state of the guard.
        pub state: R::Bits,
    }

    /// Judges steps beyond the pole (`grows`) and on the way there (`soon`, where that was tested),
    /// and steps after a refused one; `accept` is the verdict of their errors, with next steps of
    /// `factor` times their size. Unless `refuse` is set, steps beyond the pole are only counted.
    /// Lanes that do not `run` stay as they are.
    pub fn judge<R: Real>(
        state: R::Bits,
        grows: R::Mask,
        soon: R::Mask,
        accept: R::Mask,
        run: R::Mask,
        factor: R,
        refuse: bool,
    ) -> Judged<R> {
        let cautious = is_cautious::<R>(state);
        let longer = factor.gt(R::lit(GROWTH));
        let mut refused = <R::Mask as Mask>::splat(false);
        let mut passed = counted::<R>(state);
        if refuse {
            refused = run & (grows | soon) & !has_let_go::<R>(state);
            passed = state;
        }
        let anew = refused & !is_careful::<R>(state);
        let taken = run & accept & !refused;
        let less = R::select(grows, R::lit(FAR_FACTOR), R::lit(NEAR_FACTOR));
        let capped = R::select(cautious & longer, R::lit(GROWTH), factor);
        let factor = R::select(refused, less, capped);
        let after = advanced::<R>(state, longer);
        let next = <R::Bits as Bits>::select(cautious & taken, after, state);
        let held = passed | <R::Bits as Bits>::lit(HELD_BIT);
        let next = <R::Bits as Bits>::select(grows & taken, held, next);
        let again = after_refusal::<R>(state);
        let next = <R::Bits as Bits>::select(refused, again, next);
        let state = <R::Bits as Bits>::select(anew, begun_anew::<R>(state), next);
        Judged::<R> { refused, anew, factor, state }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Refusals, steps that only the guard limits until it lets go, and steps that calm it.
    #[test]
    fn states_follow_each_other() {
        let refused = after_refusal::<f64>(0);
        assert!(is_cautious::<f64>(refused) && !has_let_go::<f64>(refused));
        assert_eq!(
            Guarded::from_lane(reported::<f64>(refused) as u32),
            Guarded { count: 1, held: false, anew: false }
        );
        let mut state = refused;
        for step in 1..=HELD {
            assert!(is_cautious::<f64>(state), "{step}");
            state = advanced::<f64>(state, true);
        }
        assert!(has_let_go::<f64>(state) && !is_cautious::<f64>(state));
        assert_eq!(
            Guarded::from_lane(reported::<f64>(state) as u32),
            Guarded { count: 1, held: true, anew: false }
        );
        // Calm again, with a new count of what only the guard limits.
        let mut state = advanced::<f64>(refused, true);
        for _ in 0..CONTENT {
            assert!(is_cautious::<f64>(state));
            state = advanced::<f64>(state, false);
        }
        assert_eq!(state, 1);
        // Careful until it is calm, and after a second new beginning to the end.
        let calm = |state: u64| {
            (0..CONTENT).fold(after_refusal::<f64>(state), |s, _| advanced::<f64>(s, false))
        };
        let first = begun_anew::<f64>(7);
        assert!(is_careful::<f64>(first) && !is_careful::<f64>(7));
        let relaxed = calm(first);
        assert!(!is_careful::<f64>(relaxed));
        let second = begun_anew::<f64>(relaxed);
        assert!(is_careful::<f64>(second) && is_careful::<f64>(calm(second)));
        let told = Guarded { count: 11, held: false, anew: true };
        assert_eq!(Guarded::from_lane(reported::<f64>(calm(second)) as u32), told);
        // In later parts it lets go sooner, as it held for nothing.
        let mut state = after_refusal::<f64>(0);
        for held in [HELD, HELD_AGAIN, HELD_AGAIN] {
            for step in 0..held {
                assert!(!has_let_go::<f64>(state), "{step} of {held}");
                state = advanced::<f64>(state, true);
            }
            assert!(has_let_go::<f64>(state));
            state = after_refusal::<f64>(next_part::<f64>(state));
            assert!(!has_let_go::<f64>(state) && is_cautious::<f64>(state));
        }
        // What it held in an earlier part counts.
        let mut state = after_refusal::<f64>(0);
        for _ in 0..HELD {
            state = advanced::<f64>(after_refusal::<f64>(next_part::<f64>(state)), true);
        }
        assert!(has_let_go::<f64>(state));
        // The count ends where it ends, and spoils nothing beside it.
        let mut state = 0;
        for _ in 0..70_000 {
            state = after_refusal::<f32>(state);
        }
        assert!(is_cautious::<f32>(state) && !has_let_go::<f32>(state));
        let most = Guarded { count: 65_535, held: false, anew: false };
        assert_eq!(Guarded::from_lane(reported::<f32>(state)), most);
    }
}
