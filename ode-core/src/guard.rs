//! The growth guard: what keeps implicit methods from passing over a solution that grows from almost nothing.
//!
//! # What happens without
//!
//! A mode `u' = λ u` enters a step of size `h` as `u R(hλ)`. Where `λ` is real and positive the solution
//! grows by `exp(hλ)`, but the `R` of an implicit method has a pole at `hλ = 1/γ`, overstates the growth
//! before it, and tends to zero behind it (Lindberg, BIT 14 (1974) 430–436; Dieci and Estep, "superstability"). While
//! the mode is below the absolute tolerance no estimate of the error sees that: the step grows from
//! one side of the pole to the other, from where on the method damps what grows, and the solution stays on an unstable state.
//! An ignition that begins with traces of radicals does not take place.
//!
//! # The test
//!
//! `W = M/(γh) - J` is factorised anyway. Its determinant has the sign that it has for short steps, times -1 for each
//! real mode with `γhλ > 1`, as complex ones come in pairs: an odd number of real modes beyond the pole changes the
//! sign, and nothing else does. The product of the pivots has it.
//!
//! 1. A step with another sign than short ones have is refused. On the way to the pole growth is wrong by more and
//!    more, and the steps before may have been there: the trajectory begins anew, and is careful.
//! 2. A step that errors reject, and leave [less than four fifths of](SHOWN), is looked at again, but for the first of a part:
//!    would it have another sign at [`1/SOON`](SOON) times its size, then what errors see now may have grown
//!    too fast in steps before, which were about as long, when it was too small for them. The trajectory begins anew as
//!    well. So it does where a step has that sign whose size a stop or the largest step gave, and not errors.
//! 3. In a careful trajectory a step is refused that would have another sign at [`1/SOON`](SOON) times its size, for one of
//!    half its size (a quarter, where it has that sign itself): up to there growth is right to 1% with methods of
//!    order 4 and 5. That takes a second factorisation in each step.
//! 4. After a refusal a step is at most twice as long as the last, until errors have limited three. That ends its care too, the
//!    first time. If it is begun anew once more it is careful to its end.
//! 5. After [`HELD`] steps that only this limited the mode is held to be exactly zero, and the guard looks away until
//!    the end of the span, or of its part: each of these was `SOON/2` of the way to the pole or more, so that any number but
//!    zero would have grown to one. It does so after [`HELD_AGAIN`] in later parts.
//!
//! A trajectory without such a sign takes the steps that it would take without the guard. The sign is exact but for rounding.
//! It does not show an even number of real modes that pass the pole in one step, complex modes, and what is not in the
//! Jacobian.

use crate::lane::Scalar;
use crate::methods::Properties;

/// What becomes of a step that may pass over growth: see [`guard`](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum GrowthGuard {
    /// It is refused, and tried again shorter.
    Reject,
    /// It is taken, and counted.
    Report,
    /// Nobody looks.
    Off,
}

impl GrowthGuard {
    /// What is done unless the options say otherwise.
    pub(crate) fn default_for<T: Scalar>() -> Self {
        // Rounding in `f32` changes signs where quantities are conserved over long steps.
        if T::DOUBLE { GrowthGuard::Reject } else { GrowthGuard::Report }
    }

    /// As the lanes have it, for this method.
    pub(crate) fn number(self, method: &Properties) -> u32 {
        let implicit = method.solves > 0 || method.switches_to.is_some();
        match self {
            GrowthGuard::Reject if implicit => REJECT,
            GrowthGuard::Report if implicit => REPORT,
            _ => OFF,
        }
    }
}

/// What the guard has to say of a trajectory, as the lanes hand it over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guarded {
    /// Steps that were refused or, where it only reports, taken.
    pub count: u32,
    /// Whether steps were taken that passed over growth.
    pub held: bool,
    /// Whether it was begun anew.
    pub anew: bool,
}

impl Guarded {
    /// From the number that the lanes count in.
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

    /// Nobody looks.
    pub const OFF: u32 = 0;
    /// Steps beyond the pole are counted.
    pub const REPORT: u32 = 1;
    /// They are refused.
    pub const REJECT: u32 = 2;

    /// What a step is to look for.
    #[derive(Clone, Copy, Debug)]
    pub struct Watch<R: Real> {
        /// Modes beyond the pole.
        pub far: bool,
        /// Whether the determinant is negative for short steps.
        pub odd: R::Mask,
    }

    /// [`Watch`] of its parts.
    pub fn watch<R: Real>(far: bool, odd: R::Mask) -> Watch<R> {
        Watch::<R> { far, odd }
    }

    /// How far on the way to the pole a mode may be that a step follows: `γhλ`.
    pub const SOON: f64 = 0.4;

    /// Whether the determinant of a factorised matrix has another sign than for short steps.
    pub fn is_beyond<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        w: &S::Factors<R>,
        odd: R::Mask,
    ) -> R::Mask {
        let negative = S::negative(w);
        (negative & !odd) | (odd & !negative)
    }

    /// Whether a step with this factorised matrix is beyond the pole, as far as that is asked.
    pub fn grows<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        w: &S::Factors<R>,
        watch: &Watch<R>,
    ) -> R::Mask {
        let mut grows = <R::Mask as Mask>::splat(false);
        if watch.far {
            grows = is_beyond::<R, S, N, P>(w, watch.odd);
        }
        grows
    }

    /// Whether the determinant is negative at a state for steps with this `scale`, `1/(γh)`.
    #[called]
    pub fn is_negative<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        u: &[R; N],
        p: &[R; P],
        t: R,
        scale: R,
    ) -> R::Mask {
        S::negative(&S::factor(u, p, t, scale))
    }

    /// Whether a step from here with this `scale`, `1/(γh)`, is beyond the pole.
    #[cold]
    pub fn would_pass<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        u: [R; N],
        p: [R; P],
        t: R,
        scale: R,
        odd: R::Mask,
    ) -> R::Mask {
        is_beyond::<R, S, N, P>(&S::factor(&u, &p, t, scale), odd)
    }

    // What the guard remembers of a trajectory is one number: from the lowest bit on, its refusals (16 bits), steps that only
    // it limited (10), steps that errors are to limit before it is content (2), how often the trajectory was begun
    // anew and whether it is careful (2), and two bits.

    /// The most refusals that are counted.
    pub const COUNT: u64 = 65535;
    /// One step that only the guard limited.
    pub const CAPPED: u64 = 65536;
    /// One step that errors are to limit before it is content.
    pub const CAUTION: u64 = 67108864;
    /// Since it was begun anew it looks for growth on the way to the pole. One more: until errors limited some
    /// steps. Then, begun anew once more: to its end.
    pub const CAREFUL: u64 = 268435456;
    /// Whether it has let go, until the end of a part.
    pub const RELEASED: u64 = 1073741824;
    /// Whether a step was taken that passed over growth.
    pub const HELD_BIT: u64 = 2147483648;
    /// Steps that errors limit after a refusal.
    pub const CONTENT: u64 = 3;
    /// Steps that only the guard limits, after which it lets go. Each is `SOON/2` of the way to the pole or more, `0.8/λ` with
    /// `γ = 1/4`: numbers below `1e-258` count as zero (and below `1e-148` with the `γ` of Kvaerno3, the largest).
    pub const HELD: u64 = 745;
    /// The same in later parts, where numbers below `1e-15` count as zero.
    pub const HELD_AGAIN: u64 = 46;
    /// The most that a step grows by after a refusal.
    pub const GROWTH: f64 = 2.0;
    /// What is left at most of a step whose error is looked at: it was 1.6 times the tolerance or more, with an
    /// estimate of order 3.
    pub const SHOWN: f64 = 0.8;
    /// What is left of a step beyond the pole.
    pub const FAR_FACTOR: f64 = 0.25;
    /// What is left of one beyond [`SOON`].
    pub const NEAR_FACTOR: f64 = 0.5;

    /// What is counted, but for what is of one part of a span only.
    pub fn reported<R: Real>(state: R::Bits) -> R::Bits {
        state & <R::Bits as Bits>::lit(COUNT + 3 * CAREFUL + HELD_BIT)
    }

    /// The state at the beginning of another part: what it let go may have been given something to grow from.
    pub fn next_part<R: Real>(state: R::Bits) -> R::Bits {
        state & !<R::Bits as Bits>::lit(3 * CAUTION + RELEASED)
    }

    /// The state of a trajectory that begins anew.
    pub fn begun_anew<R: Real>(state: R::Bits) -> R::Bits {
        let kept = counted::<R>(state) & <R::Bits as Bits>::lit(COUNT + 3 * CAREFUL);
        kept.wrapping_add(<R::Bits as Bits>::lit(CAREFUL))
    }

    /// Whether it looks for growth on the way to the pole.
    pub fn is_careful<R: Real>(state: R::Bits) -> R::Mask {
        (state & <R::Bits as Bits>::lit(CAREFUL + RELEASED)).equals(<R::Bits as Bits>::lit(CAREFUL))
    }

    /// Whether it has let go.
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
        let most = <R::Bits as Bits>::lit(COUNT);
        let count = state & most;
        let more = count.wrapping_add(<R::Bits as Bits>::lit(1));
        (state & !most) | <R::Bits as Bits>::select(count.equals(most), count, more)
    }

    /// The state after a refusal.
    pub fn after_refusal<R: Real>(state: R::Bits) -> R::Bits {
        counted::<R>(state) | <R::Bits as Bits>::lit(CONTENT * CAUTION)
    }

    /// The state after a cautious step, which without the guard would have been followed by a longer one, or
    /// not.
    pub fn advanced<R: Real>(state: R::Bits, longer: R::Mask) -> R::Bits {
        let kept = state & <R::Bits as Bits>::lit(COUNT + 3 * CAREFUL + HELD_BIT);
        // Only the guard limited it.
        let again = state.wrapping_add(<R::Bits as Bits>::lit(CAPPED));
        let capped = again & <R::Bits as Bits>::lit(CAUTION - CAPPED);
        let enough = !capped.less_than(<R::Bits as Bits>::lit(HELD * CAPPED));
        let let_go = (HELD - HELD_AGAIN) * CAPPED + RELEASED + HELD_BIT;
        let let_go = kept | <R::Bits as Bits>::lit(let_go);
        let again = <R::Bits as Bits>::select(enough, let_go, again);
        // Errors did.
        let calmer = state.wrapping_sub(<R::Bits as Bits>::lit(CAUTION));
        let stage = state & <R::Bits as Bits>::lit(3 * CAREFUL);
        let relaxed = kept.wrapping_add(<R::Bits as Bits>::lit(CAREFUL));
        let first = stage.equals(<R::Bits as Bits>::lit(CAREFUL));
        let content = <R::Bits as Bits>::select(first, relaxed, kept);
        let calmer = <R::Bits as Bits>::select(is_cautious::<R>(calmer), calmer, content);
        <R::Bits as Bits>::select(longer, again, calmer)
    }

    /// What becomes of a step.
    #[derive(Clone, Copy, Debug)]
    pub struct Judged<R: Real> {
        /// Where it is refused.
        pub refused: R::Mask,
        /// Where that is so in a trajectory that is not careful, which is to begin anew.
        pub anew: R::Mask,
        /// The next step size as a multiple of this one.
        pub factor: R,
        /// The state of the guard.
        pub state: R::Bits,
    }

    /// Judges steps beyond the pole (`grows`) and on the way there (`soon`, of those that were looked at), and those after one that was
    /// refused, of which errors would `accept` some, to be followed by steps of `factor` times their size. Where nothing is
    /// to be `refuse`d steps beyond the pole are counted. Lanes that do not `run` stay as they are.
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
        let most = R::select(cautious & longer, R::lit(GROWTH), factor);
        let factor = R::select(refused, less, most);
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
