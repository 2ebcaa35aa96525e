//! The growth guard, which keeps implicit methods from passing over growth.
//!
//! A solution may grow from almost nothing.
//!
//! # The problem
//!
//! A step of size `h` multiplies a mode `u' = λ u` by `R(hλ)`, the method's stability function. If
//! `λ` is real and positive, the solution grows by `exp(hλ)`. But the `R` of an implicit method has
//! a pole at `hλ = 1/γ`. It overstates the growth before the pole and tends to zero beyond it
//! (Lindberg, BIT 14 (1974) 430–436; Dieci and Estep, "superstability"). While the mode is below
//! the absolute tolerance, no error estimate shows this. The step size grows past the pole, the
//! method then damps the growing mode, and the solution stays on an unstable state. An ignition
//! that begins with traces of radicals does not take place.
//!
//! # The test
//!
//! Every step factorises `W = M/(γh) - J`. The sign of its determinant is the product of the signs
//! of the pivots, so it costs nothing. Each real mode with `γhλ > 1` changes this sign once.
//! Complex modes come in pairs and do not change it. So the sign differs from the sign for short
//! steps exactly when an odd number of real modes is beyond the pole.
//!
//! 1. A step with a different sign is rejected. Numerical growth becomes less and less accurate on
//!    the way to the pole, and earlier steps may have been there. So the trajectory restarts from
//!    its beginning, and is *careful* from then on.
//! 2. A step that the error estimate rejects and shortens to [less than four fifths](SHOWN) is
//!    tested a second time, at [`1/SOON`](SOON) times its size. The first step of a segment is
//!    exempt. If the sign differs there, the trajectory restarts: the component that fails now may
//!    have grown too fast in earlier steps of about this length, while it was too small for the
//!    error estimate. The trajectory also restarts if the sign differs in this test for a step with
//!    a size set by a stop or by the largest step, not by the error estimate.
//! 3. A careful trajectory tests every step at [`1/SOON`](SOON) times its size, which takes a
//!    second factorisation. The Jacobian is the one at the end of the step, since growth may begin
//!    within it. If the error estimate rejects the step, the Jacobian is the one at its beginning.
//!    If the sign differs there, the step is rejected and halved. If the sign differs in the step
//!    itself, the step is quartered. Up to that limit, growth is right to 1% with methods of order
//!    4 and 5.
//! 4. After a rejection by the guard, each step is at most twice as long as the one before, until
//!    the error estimate has limited three steps. The first time, this also ends the care. A
//!    trajectory that restarts a second time is careful to its end.
//! 5. After [`HELD`] steps limited only by the guard, the mode counts as exactly zero, and the
//!    guard switches off until the end of the span or segment. Each of these steps went at
//!    least `SOON/2` of the way to the pole, so any number other than zero would have grown to one.
//!    In later segments, [`HELD_AGAIN`] steps suffice.
//!
//! # The end
//!
//! The Jacobian is the one at the beginning of a step. Growth that begins within a step appears in
//! the next one, and growth that begins within the last step would be missed. So a lane at the end
//! of its span or segment *looks ahead*: it makes one more attempt. All stages of this attempt are
//! at the time of the end, and its Newton iterations do not begin there. The attempt is neither
//! taken nor saved, and does not count as a step. If its sign differs from the sign for short
//! steps, rule 1 holds, and the trajectory restarts. A careful trajectory has tested the ends of
//! all of its steps, and ignores the result.
//!
//! The size of this attempt is the size of the last step as planned, before the end shortened it.
//! So the attempt also detects growth that began within the last step but one. With the shortened
//! size, 15 of 3,600 passages of a pitchfork ended on the unstable branch, and none with the
//! planned size. If the guard only reports, the size is the actual size of the last step. Otherwise
//! a longer attempt would be reported even if the error estimate would reject it.
//!
//! A method that switches looks ahead if its next step would be an implicit one. Fixed steps do not
//! look ahead.
//!
//! # Properties
//!
//! If the sign never differs, a trajectory takes the same steps with and without the guard. The
//! sign is exact except for rounding. It does not show complex modes, an even number of real modes
//! that pass the pole in one step, or growth that is not in the Jacobian.
//!
//! `docs/what-success-means.md` explains the counts and their limits to users.
//! `tests/solve/success.rs` checks its table.
//!
//! # Implementation
//!
//! `Linearised::negative` reads the sign of the determinant from the factors, which have three
//! forms: straight-line code, exchanged rows, and tiles. With a mass matrix, the sign for short
//! steps may be negative, so a lane computes this sign at the beginning of each segment.
//!
//! The guard's state of a trajectory is one register of bits. A lane that looks ahead needs no
//! other storage: such a lane has no time left, and the plan of its next step contains the size.
//! Each lane decides by itself, so its neighbours change none of its bits. On a GPU, the three
//! settings are three kernels. Explicit methods have no code for the guard (`M::GUARDS`).

#[cfg(feature = "serde")]
use crate::file_format::OneOf;
use crate::lane::Scalar;
use crate::step::properties::Properties;

/// The treatment of steps that may pass over growth.
///
/// The documentation of [`guard`](self) defines these steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum GrowthGuard {
    /// Such a step is rejected, and a shorter one is attempted.
    Reject,
    /// Such a step is accepted and counted.
    Report,
    /// The guard is off.
    Off,
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for GrowthGuard {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a `growth_guard`: write \"reject\", \"report\", \"off\" or null";
        let words = &[
            ("reject", GrowthGuard::Reject),
            ("report", GrowthGuard::Report),
            ("off", GrowthGuard::Off),
        ];
        deserializer.deserialize_any(OneOf(expected, words))
    }
}

impl GrowthGuard {
    /// Returns the default for a precision.
    pub(crate) fn default_for<T: Scalar>() -> Self {
        // In `f32` rounding can change the sign, if quantities are conserved over long steps.
        if T::DOUBLE { GrowthGuard::Reject } else { GrowthGuard::Report }
    }

    /// Returns the constant of this treatment in lane programs; [`OFF`] for explicit methods.
    pub(crate) fn number(self, method: &Properties) -> u32 {
        let implicit = method.solves > 0 || method.switches_to.is_some();
        match self {
            GrowthGuard::Reject if implicit => REJECT,
            GrowthGuard::Report if implicit => REPORT,
            _ => OFF,
        }
    }
}

/// The guard's report on one trajectory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guarded {
    /// The number of steps beyond the pole.
    ///
    /// Rejected steps, or accepted ones if the guard only reports.
    pub count: u32,
    /// Whether an accepted step passed over growth.
    pub held: bool,
    /// The [care](CAREFUL) of the trajectory; 0 if it did not restart from its beginning.
    pub care: u8,
}

impl Guarded {
    /// Decodes the number that lanes return.
    #[must_use]
    pub fn from_lane(number: u32) -> Self {
        let number = u64::from(number);
        let care = (number / CAREFUL % 4) as u8;
        Guarded { count: (number & COUNT) as u32, held: number & HELD_BIT != 0, care }
    }

    /// Encodes the report, as lanes return it.
    #[must_use]
    pub fn to_lane(self) -> u32 {
        let held = if self.held { HELD_BIT } else { 0 };
        (u64::from(self.count) + u64::from(self.care) * CAREFUL + held) as u32
    }
}

pub use device::*;

// A step depends on this many quantities.
#[allow(clippy::too_many_arguments)]
#[ode_macros::device(guard)]
mod device {
    use crate::lane::{Bits, Mask, Real};
    use crate::system::System;

    /// The guard is off.
    pub const OFF: u32 = 0;
    /// Steps beyond the pole are counted.
    pub const REPORT: u32 = 1;
    /// Steps beyond the pole are rejected.
    pub const REJECT: u32 = 2;

    /// The growth test of a step.
    #[derive(Clone, Copy, Debug)]
    pub struct Watch<R: Real> {
        /// Whether to test for modes beyond the pole.
        pub far: bool,
        /// Whether the determinant is negative for short steps ("odd").
        pub odd: R::Mask,
    }

    /// Makes a [`Watch`].
    pub fn watch<R: Real>(far: bool, odd: R::Mask) -> Watch<R> {
        Watch::<R> { far, odd }
    }

    /// The largest `γhλ` of a mode that a step follows with a small error.
    ///
    /// The pole is at 1.
    pub const SOON: f64 = 0.4;

    /// Returns whether the determinant's sign differs from the sign for short steps.
    pub fn is_beyond<R: Real, S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        w: &S::Factors<R>,
        odd: R::Mask,
    ) -> R::Mask {
        let negative = system.negative(w);
        (negative & !odd) | (odd & !negative)
    }

    /// Returns whether a step with this factorised matrix is beyond the pole.
    ///
    /// The result is false if `watch` is off.
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

    /// Returns whether the determinant is negative at a state, for steps of this `scale`.
    ///
    /// The scale is `1/(γh)`.
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

    /// Returns whether a step from this state, of this `scale`, is beyond the pole.
    ///
    /// The scale is `1/(γh)`.
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

    // The guard stores its state of a trajectory in one number. From the lowest bit on, the fields
    // are:
    //
    // * 16 bits: the number of steps beyond the pole.
    // * 10 bits: the number of steps limited only by the guard.
    // * 2 bits, the caution: how many more steps the error estimate must limit before the guard
    //   lifts its limit on growth.
    // * 2 bits, the care: how often the trajectory restarted, and whether it is careful.
    // * 1 bit: whether the guard has switched off for this segment.
    // * 1 bit: whether an accepted step passed over growth.

    /// The bits of the number of steps beyond the pole, which saturates here.
    pub const COUNT: u64 = 65535;
    /// One step limited only by the guard.
    pub const CAPPED: u64 = 65536;
    /// One more step that the error estimate must limit.
    ///
    /// The guard then lifts its limit on growth.
    pub const CAUTION: u64 = 67108864;
    /// The unit of the care of a trajectory.
    ///
    /// The care is 1 after a restart: the guard then tests for growth on the way to the pole. It is
    /// 2 once the error estimate has limited enough steps, and 3 after a second restart: the
    /// trajectory is then careful to its end.
    pub const CAREFUL: u64 = 268435456;
    /// Set once the guard has switched off, until the end of the segment.
    pub const RELEASED: u64 = 1073741824;
    /// Set once an accepted step passed over growth.
    pub const HELD_BIT: u64 = 2147483648;
    /// The number of steps that the error estimate must limit after the guard's rejection.
    pub const CONTENT: u64 = 3;
    /// The number of steps limited only by the guard after which it switches off.
    ///
    /// Each step goes at least `SOON/2` of the way to the pole: with `γ = 1/4` it is `0.8/λ` long.
    /// So numbers below `1e-258` count as zero (with `γ = 1/2`, the largest, of Rodas3, numbers
    /// below `1e-129`).
    pub const HELD: u64 = 745;
    /// The number of such steps in later segments.
    ///
    /// With `γ = 1/4`, numbers below `1e-15` count as zero.
    pub const HELD_AGAIN: u64 = 46;
    /// The largest factor between steps after the guard's rejection.
    pub const GROWTH: f64 = 2.0;
    /// The largest factor to the next step that leads to a second test.
    ///
    /// The test is made if the factor after a rejected step is below this. The error was then at
    /// least 1.6 times the tolerance, with an estimate of order 3.
    pub const SHOWN: f64 = 0.8;
    /// The factor that shortens a step beyond the pole.
    pub const FAR_FACTOR: f64 = 0.25;
    /// The factor that shortens a step beyond [`SOON`].
    pub const NEAR_FACTOR: f64 = 0.5;

    /// Returns the report of a state, without the fields of a single segment.
    pub fn reported<R: Real>(state: R::Bits) -> R::Bits {
        state & <R::Bits as Bits>::lit(COUNT + 3 * CAREFUL + HELD_BIT)
    }

    /// Returns the state at the beginning of the next segment.
    ///
    /// A mode that counted as zero may have received input.
    pub fn next_part<R: Real>(state: R::Bits) -> R::Bits {
        state & !<R::Bits as Bits>::lit(3 * CAUTION + RELEASED)
    }

    /// Returns the state of a trajectory that restarts from its beginning.
    pub fn begun_anew<R: Real>(state: R::Bits) -> R::Bits {
        let kept = counted::<R>(state) & <R::Bits as Bits>::lit(COUNT + 3 * CAREFUL);
        kept.wrapping_add(<R::Bits as Bits>::lit(CAREFUL))
    }

    /// Returns whether the guard tests for growth on the way to the pole.
    pub fn is_careful<R: Real>(state: R::Bits) -> R::Mask {
        (state & <R::Bits as Bits>::lit(CAREFUL + RELEASED)).equals(<R::Bits as Bits>::lit(CAREFUL))
    }

    /// Returns whether the guard has switched off.
    pub fn has_let_go<R: Real>(state: R::Bits) -> R::Mask {
        let bit = <R::Bits as Bits>::lit(RELEASED);
        (state & bit).equals(bit)
    }

    /// Returns whether steps grow by a factor of at most [`GROWTH`].
    pub fn is_cautious<R: Real>(state: R::Bits) -> R::Mask {
        !(state & <R::Bits as Bits>::lit(3 * CAUTION)).equals(<R::Bits as Bits>::lit(0))
    }

    /// Returns the state with one more step beyond the pole counted.
    pub fn counted<R: Real>(state: R::Bits) -> R::Bits {
        let max_count = <R::Bits as Bits>::lit(COUNT);
        let count = state & max_count;
        let more = count.wrapping_add(<R::Bits as Bits>::lit(1));
        (state & !max_count) | <R::Bits as Bits>::select(count.equals(max_count), count, more)
    }

    /// Returns the state after the guard's rejection.
    pub fn after_refusal<R: Real>(state: R::Bits) -> R::Bits {
        counted::<R>(state) | <R::Bits as Bits>::lit(CONTENT * CAUTION)
    }

    /// Returns the state after a cautious step.
    ///
    /// `longer` is true if the step after it would be longer without the guard.
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

    /// The verdict of the guard on a step.
    #[derive(Clone, Copy, Debug)]
    pub struct Judged<R: Real> {
        /// Whether the guard rejects the step.
        pub refused: R::Mask,
        /// Whether the guard rejects the step in a trajectory that is not careful.
        ///
        /// Such a trajectory restarts.
        pub anew: R::Mask,
        /// The next step size as a multiple of this one.
        pub factor: R,
        /// The state of the guard.
        pub state: R::Bits,
    }

    /// Returns the guard's verdict on a step.
    ///
    /// The step is beyond the pole (`grows`) or on the way to it (`soon`, if tested), or follows a
    /// rejection. `accept` is the verdict of the error estimate, and `factor` is its factor to the
    /// next step size. If `refuse` is false, steps beyond the pole are only counted. Lanes that do
    /// not `run` keep their state.
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

    /// The states after rejections, and after steps limited by the guard or the error estimate.
    #[test]
    fn states_follow_each_other() {
        let refused = after_refusal::<f64>(0);
        assert!(is_cautious::<f64>(refused) && !has_let_go::<f64>(refused));
        assert_eq!(
            Guarded::from_lane(reported::<f64>(refused) as u32),
            Guarded { count: 1, held: false, care: 0 }
        );
        let mut state = refused;
        for step in 1..=HELD {
            assert!(is_cautious::<f64>(state), "{step}");
            state = advanced::<f64>(state, true);
        }
        assert!(has_let_go::<f64>(state) && !is_cautious::<f64>(state));
        assert_eq!(
            Guarded::from_lane(reported::<f64>(state) as u32),
            Guarded { count: 1, held: true, care: 0 }
        );
        // Errors limit three steps, and the count of steps limited by the guard starts again.
        let mut state = advanced::<f64>(refused, true);
        for _ in 0..CONTENT {
            assert!(is_cautious::<f64>(state));
            state = advanced::<f64>(state, false);
        }
        assert_eq!(state, 1);
        // Careful until errors limit three steps; after a second restart, to the end.
        let calm = |state: u64| {
            (0..CONTENT).fold(after_refusal::<f64>(state), |s, _| advanced::<f64>(s, false))
        };
        let first = begun_anew::<f64>(7);
        assert!(is_careful::<f64>(first) && !is_careful::<f64>(7));
        let relaxed = calm(first);
        assert!(!is_careful::<f64>(relaxed));
        let second = begun_anew::<f64>(relaxed);
        assert!(is_careful::<f64>(second) && is_careful::<f64>(calm(second)));
        let told = Guarded { count: 11, held: false, care: 3 };
        let report = reported::<f64>(calm(second)) as u32;
        assert_eq!((Guarded::from_lane(report), told.to_lane()), (told, report));
        // In later segments it switches off sooner.
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
        // Steps limited in an earlier segment count.
        let mut state = after_refusal::<f64>(0);
        for _ in 0..HELD {
            state = advanced::<f64>(after_refusal::<f64>(next_part::<f64>(state)), true);
        }
        assert!(has_let_go::<f64>(state));
        // The count saturates, and does not spill into the other fields.
        let mut state = 0;
        for _ in 0..70_000 {
            state = after_refusal::<f32>(state);
        }
        assert!(is_cautious::<f32>(state) && !has_let_go::<f32>(state));
        let most = Guarded { count: 65_535, held: false, care: 0 };
        assert_eq!(Guarded::from_lane(reported::<f32>(state)), most);
    }
}
