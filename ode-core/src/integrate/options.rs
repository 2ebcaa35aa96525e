//! The options of the loop, the source of trajectories, and the sink of results.

pub use device::*;

use crate::system::{Noise, System};

/// The loop configuration: constants of a compiled loop.
///
/// The code of a disabled feature is not compiled.
pub trait LoopConfig {
    /// Whether step sizes follow the error estimate; otherwise they are fixed.
    const ADAPTIVE: bool;
    /// Whether there may be times to save at.
    const SAVES: bool;
    /// Whether the sink [records](Sink::record) steps.
    const RECORDS: bool;
    /// The constants that follow from the system.
    const SYSTEM: SystemConstants;
    /// Whether the right-hand side depends on time.
    const TIME_DEPENDENT: bool = Self::SYSTEM.time_dependent;
    /// Whether the system limits the sizes of steps.
    const BOUNDED: bool = Self::SYSTEM.bounded;
    /// Whether the system has a mass matrix.
    const MASS: bool = Self::SYSTEM.mass;
    /// Whether the system has events.
    const EVENTS: bool = Self::SYSTEM.events;
    /// Whether the system has scheduled or delayed actions, or random jumps.
    const SCHEDULED: bool = Self::SYSTEM.scheduled;
    /// Whether the ends of steps are tested: the system has events or conditions.
    const WATCHES: bool = Self::SYSTEM.watches;
    /// Whether the system has features.
    const FEATURES: bool = Self::SYSTEM.features;
    /// Whether the system has random jumps.
    const JUMPS: bool = Self::SYSTEM.jumps;
    /// Whether the system has noise.
    const NOISE: bool = Self::SYSTEM.noise;
    /// Whether events occur at the ends of steps, since the system has noise: see
    /// [`passages`](crate::integrate::passages).
    const PASSAGES: bool = Self::SYSTEM.passages();
    /// Whether the interpolants of implicit steps are [checked](crate::integrate::dense).
    ///
    /// The reason is a system with algebraic equations, and saved times, events or features.
    const CHECKS_INTERPOLANT: bool = Self::SYSTEM.checks_interpolant(Self::SAVES);
}

/// The constants of a [`LoopConfig`] that follow from the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemConstants {
    /// [`LoopConfig::TIME_DEPENDENT`].
    pub time_dependent: bool,
    /// [`LoopConfig::BOUNDED`].
    pub bounded: bool,
    /// [`LoopConfig::MASS`].
    pub mass: bool,
    /// Whether the system has algebraic equations.
    pub algebraic: bool,
    /// [`LoopConfig::EVENTS`].
    pub events: bool,
    /// [`LoopConfig::SCHEDULED`].
    pub scheduled: bool,
    /// [`LoopConfig::WATCHES`].
    pub watches: bool,
    /// [`LoopConfig::FEATURES`].
    pub features: bool,
    /// [`LoopConfig::JUMPS`].
    pub jumps: bool,
    /// [`LoopConfig::NOISE`].
    pub noise: bool,
}

impl SystemConstants {
    /// The constants of a system without any of these properties.
    pub const NONE: SystemConstants = SystemConstants {
        time_dependent: false,
        bounded: false,
        mass: false,
        algebraic: false,
        events: false,
        scheduled: false,
        watches: false,
        features: false,
        jumps: false,
        noise: false,
    };

    /// Returns the constants of a system.
    ///
    /// # Panics
    /// At compile time, if the system has more than [`MOST_FEATURES`] features of a kind, or more
    /// than [`MOST_JUMPS`] jumps.
    #[must_use]
    pub const fn of<S: System<N, P>, const N: usize, const P: usize>() -> Self {
        let [most, others] = [S::MAXIMA, S::INTEGRALS];
        assert!(most <= MOST_FEATURES && S::MINIMA <= MOST_FEATURES, "too many extremes");
        assert!(others <= MOST_FEATURES && S::TIMES_POSITIVE <= MOST_FEATURES, "too many sums");
        assert!(S::JUMPS <= MOST_JUMPS, "too many jumps");
        let noise = <S::Noise as Noise<N, P>>::NOISES > 0;
        SystemConstants {
            // The noise may depend on the time even if the drift does not.
            time_dependent: !S::AUTONOMOUS || S::STEPWISE || noise,
            bounded: S::BOUNDS > 0,
            mass: S::MASS,
            algebraic: S::ALGEBRAIC > 0,
            events: S::EVENTS > 0,
            scheduled: S::TIMED > 0 || S::DELAYED > 0 || S::JUMPS > 0,
            watches: S::EVENTS + S::CONDITIONS > 0,
            features: S::FEATURES > 0,
            jumps: S::JUMPS > 0,
            noise,
        }
    }

    /// Returns [`LoopConfig::CHECKS_INTERPOLANT`] of a loop with or without saved times.
    #[must_use]
    pub const fn checks_interpolant(self, saves: bool) -> bool {
        self.algebraic && (saves || self.events || self.features)
    }

    /// Returns [`LoopConfig::PASSAGES`].
    #[must_use]
    pub const fn passages(self) -> bool {
        self.events && self.noise
    }

    /// Returns the constants as members of the kernel's `Config`.
    #[must_use]
    pub(crate) fn device_members(self, saves: bool) -> String {
        let SystemConstants { time_dependent, bounded, mass, algebraic: _, events, .. } = self;
        let members = [
            ("TIME_DEPENDENT", time_dependent),
            ("BOUNDED", bounded),
            ("MASS", mass),
            ("EVENTS", events),
            ("SCHEDULED", self.scheduled),
            ("WATCHES", self.watches),
            ("FEATURES", self.features),
            ("JUMPS", self.jumps),
            ("NOISE", self.noise),
            ("PASSAGES", self.passages()),
            ("CHECKS_INTERPOLANT", self.checks_interpolant(saves)),
        ];
        let member = |(name, value)| format!("    static constexpr bool {name} = {value};\n");
        members.into_iter().map(member).collect()
    }
}

#[ode_macros::device(options)]
mod device {
    use crate::lane::Real;
    use crate::step::stepper::{Memory, Stepper};
    use crate::step::{control, norm};

    /// The number of `f64` parameters that the arguments of a kernel hold; of `f32`, twice as many.
    ///
    /// More parameters are in memory. Kernels treat them in loops, because NVRTC takes many seconds
    /// to keep each of a thousand parameters in a variable.
    pub const MANY_PARAMETERS: usize = 448;

    /// The largest number of features of each kind.
    ///
    /// `MOST` in `ode-codegen/src/parse/feature.rs` has the same value.
    pub const MOST_FEATURES: usize = 8;

    /// The largest number of jumps of a system.
    ///
    /// `MOST` in `ode-codegen/src/parse/jump.rs` has the same value.
    pub const MOST_JUMPS: usize = 16;

    /// The options that all trajectories of a solve share.
    ///
    /// On a GPU, the fields without an `R` are compile-time constants, too.
    #[derive(Clone, Copy, Debug)]
    pub struct Options<R: Real, const N: usize> {
        /// The tolerances that scale errors.
        pub tolerances: norm::Tolerances<R, N>,
        /// The fixed or first step size; 0 if automatic. The sign is ignored.
        pub dt: R,
        /// The smallest step: a trajectory ends if errors require this size or less.
        pub dtmin: R,
        /// The largest step.
        pub dtmax: R,
        /// Whether there is a smallest or a largest step.
        pub limited: bool,
        /// Whether there are times to stop at.
        pub stops: bool,
        /// Whether the end of every step is saved.
        pub every_step: bool,
        /// The control law, which computes step sizes from errors.
        pub law: control::Law<R>,
        /// The control law of the implicit method of a pair that switches.
        pub stiff_law: control::Law<R>,
        /// The kind of both control laws.
        pub kind: u32,
        /// The largest number of attempted steps; a trajectory that needs more fails.
        pub max_steps: R::Bits,
        /// The treatment of steps that may pass over growth.
        ///
        /// One of [`guard::OFF`](crate::step::guard::OFF),
        /// [`guard::REPORT`](crate::step::guard::REPORT) and
        /// [`guard::REJECT`](crate::step::guard::REJECT).
        pub guard: u32,
        /// The seed of noise and random jumps, as two words of 32 bits.
        pub noise_seed: [R::Bits; 2],
        /// The binary logarithm of the number of fixed or first steps in a cell of the noise's path.
        pub noise_levels: u32,
    }

    /// Returns the control law of the method that `memory` selects.
    pub fn law_of<R: Real, M: Stepper, const N: usize>(
        o: &Options<R, N>,
        memory: R::Bits,
    ) -> control::Law<R> {
        let mut law = o.law;
        if <M::Memory as Memory>::SWITCHES {
            let implicit = <M::Memory as Memory>::is_implicit::<R>(memory);
            law = control::choose_law::<R>(implicit, &o.stiff_law, &o.law);
        }
        law
    }

    /// The end of a trajectory.
    #[derive(Clone, Copy, Debug)]
    pub struct End<R: Real> {
        /// The time of the final state.
        pub t: R,
        /// The [`code`](crate::step::code) of the end, and the report of a switching method.
        ///
        /// See [`Memory::reported`](crate::step::stepper::Memory::reported).
        pub code: R::Bits,
        /// The number of attempted steps.
        pub steps: R::Bits,
        /// The number of rejected steps, which are among the attempted steps.
        pub rejected: R::Bits,
        /// The saved count: the number of saved states.
        pub saved: R::Bits,
        /// The [report](crate::step::guard::reported) of the growth guard.
        pub guarded: R::Bits,
    }

    /// Makes an [`End`].
    pub fn end<R: Real>(
        t: R,
        code: R::Bits,
        steps: R::Bits,
        rejected: R::Bits,
        saved: R::Bits,
        guarded: R::Bits,
    ) -> End<R> {
        End::<R> { t, code, steps, rejected, saved, guarded }
    }

    /// The source of trajectories.
    ///
    /// All lanes that run together must call `should_refill` and `vote`. `ensemble/lane_io.rs`
    /// implements this trait on a CPU, and `kernel/io.hpp` its counterpart on a GPU.
    pub trait Source<R: Real, const N: usize, const P: usize> {
        /// Returns whether the idle lanes `need` are to acquire trajectories now.
        fn should_refill(&mut self, need: R::Mask) -> bool;
        /// Returns whether lanes wait for each other, so that `should_refill` may return `false`.
        fn waits(&self) -> bool;
        /// Returns whether any lane of the group has a trajectory.
        ///
        /// `alive` contains the lanes of the caller that have one.
        fn vote(&mut self, alive: R::Mask) -> bool;
        /// Assigns trajectories to lanes of `need`; returns the lanes that received one.
        fn acquire(&mut self, need: R::Mask) -> R::Mask;
        /// Returns the number of the path of each lane's trajectory, for noise and random jumps.
        ///
        /// It has 48 bits, and is the sum of two numbers: the trajectory's index in the whole
        /// ensemble, which counts all shards, or the remainder of that index by the number of
        /// paths; and a hash of the beginning `t0` of the trajectory, which is zero for `t0 = 0`.
        /// So trajectories that begin at different times have independent paths. The first word
        /// holds the lower 32 bits, the second one the upper bits. Lanes without a trajectory have
        /// an undefined number.
        fn path_number(&self, t0: R) -> [R::Bits; 2];
        /// Returns `u` with the initial states in lanes `assigned`.
        fn load_u(&self, assigned: R::Mask, u: [R; N]) -> [R; N];
        /// Sets the parameters in lanes `assigned`.
        ///
        /// There may be thousands of them, so that compilers of kernels suffer from each copy.
        /// Values that all trajectories share may be set in all lanes, here and in the next two
        /// functions.
        fn load_p(&self, assigned: R::Mask, p: &mut [R; P]);
        /// Returns the start of the time span in lanes `assigned`, `t` in others.
        fn load_start(&self, assigned: R::Mask, t: R) -> R;
        /// Returns the end of the time span in lanes `assigned`, `t` in others.
        fn load_end(&self, assigned: R::Mask, t: R) -> R;
        /// Returns time `index` to stop at within the span in lanes `which`, `t` in others.
        ///
        /// The time after the last one is infinite.
        fn stop_time(&self, which: R::Mask, index: R::Bits, t: R) -> R;
    }

    /// The sink of results.
    pub trait Sink<R: Real, const N: usize, const P: usize> {
        /// Returns whether there are times to save at.
        fn saves(&self) -> bool;
        /// Returns time `index` to save at in lanes `which`, `t` in others.
        ///
        /// The time after the last one is infinite. NaN means the end of the next step.
        fn save_time(&self, which: R::Mask, index: R::Bits, t: R) -> R;
        /// Saves a state, or its observables, at save index `index` in lanes `which`.
        ///
        /// The state is `u` at time `t`, with the parameters `p`.
        fn save(&mut self, which: R::Mask, index: R::Bits, u: [R; N], p: [R; P], t: R);
        /// Records the steps of lanes `which`, in each iteration of the loop.
        ///
        /// A record contains the state `u` at the beginning of the step, the time `t` there, its
        /// rounding error `low`, and the step size `h`.
        fn record(&mut self, which: R::Mask, u: &[R; N], t: R, low: R, h: R);
        /// Returns whether actions are recorded.
        fn records_actions(&self) -> bool;
        /// Records an action in lanes `which` that have a trajectory, before it takes place.
        ///
        /// A record contains the number `kind` of the action (see
        /// [`recording`](crate::integrate::recording)), the state `u`, the modes among the
        /// parameters `p`, and the time `t`.
        fn record_action(&mut self, which: R::Mask, kind: usize, u: &[R; N], p: &[R; P], t: R);
        /// Records a mark, whose number depends on the lane; see
        /// [`record_action`](Self::record_action).
        fn record_mark(&mut self, which: R::Mask, kind: R::Bits, u: &[R; N], p: &[R; P], t: R);
        /// Removes the recorded actions of the trajectories of lanes `which`, which restart.
        fn forget_actions(&mut self, which: R::Mask);
        /// Returns the number of occurrences of event `index` in each lane's trajectory.
        ///
        /// Lanes without a trajectory have an undefined count.
        fn event_count(&self, index: usize) -> R::Bits;
        /// Sets that count in lanes `which`.
        fn set_event_count(&mut self, which: R::Mask, index: usize, count: R::Bits);
        /// Sets result `index` of the features of lanes `which` that have a trajectory.
        fn set_feature(&mut self, which: R::Mask, index: usize, value: R);
        /// Sets final mode `index` of lanes `which` that have a trajectory.
        fn set_mode(&mut self, which: R::Mask, index: usize, value: R);
        /// Returns whether the solve has a log.
        fn logs(&self) -> bool;
        /// Writes entry `slot` of the log in lanes `which`, unless the log is full.
        ///
        /// The entry contains the event, as [`number_of`](crate::integrate::logged::number_of)
        /// encodes it, its time, and the states before and after it.
        fn log_event(
            &mut self,
            which: R::Mask,
            slot: R::Bits,
            event: R,
            t: R,
            before: &[R; N],
            after: &[R; N],
        );
        /// Stores the final states and the ends of lanes `done` that have a trajectory.
        fn finish(&mut self, done: R::Mask, u: [R; N], end: End<R>);
    }
}
