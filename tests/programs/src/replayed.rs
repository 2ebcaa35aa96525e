//! A system with events whose functions are recordings, so that all programs of a shape have one
//! type.

use std::fmt;

use ode_core::lane::{Real, Scalar};
use odes::system::{
    DeviceSource, Domain, Events, Linearised, MassMatrix, NoNoise, Observe, Rhs, System,
    SystemInfo, TimeBreaks,
};

use crate::derivatives::Derivatives;
use crate::shapes::{PARAMETERS as P, SHAPES, STATES as N, Shape};
use crate::tape::{Recorded, Tape};

/// The functions of a system, as the compiler emitted them.
pub struct Tapes {
    info: &'static SystemInfo,
    device_source: fn() -> Option<DeviceSource>,
    rhs: Tape,
    jacobian: Tape,
    parameter_jacobian: Tape,
    time_gradient: Tape,
    /// The solution of the linear equations.
    solved: Tape,
    pub(crate) events: Vec<Tape>,
    slopes: Vec<Tape>,
    pub(crate) actions: Vec<Tape>,
    pub(crate) modes: Vec<Tape>,
    limits: Vec<Tape>,
    due: Vec<Tape>,
    holds: Vec<Tape>,
    pub(crate) action_times: Tape,
    /// The derivatives, if the system has gradients.
    pub derivatives: Option<Derivatives>,
}

impl fmt::Debug for Tapes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

/// Concatenates state, parameters, time and further values.
pub(crate) fn inputs<R: Copy>(u: &[R], p: &[R; P], t: R, more: &[R]) -> Vec<R> {
    [u, p, &[t], more].concat()
}

/// Returns the first arguments of all functions.
pub(crate) fn point(inputs: &[Recorded]) -> ([Recorded; N], [Recorded; P], Recorded) {
    (std::array::from_fn(|i| inputs[i]), std::array::from_fn(|i| inputs[N + i]), inputs[N + P])
}

/// Returns the `K` arguments after them.
pub(crate) fn more<const K: usize>(inputs: &[Recorded], from: usize) -> [Recorded; K] {
    std::array::from_fn(|i| inputs[N + P + 1 + from + i])
}

impl Tapes {
    /// Adds the derivatives of a system with gradients.
    #[must_use]
    pub fn with(self, derivatives: Derivatives) -> Tapes {
        Tapes { derivatives: Some(derivatives), ..self }
    }

    /// Returns the text of the system for a device.
    ///
    /// # Panics
    /// If the system has no such text.
    #[must_use]
    pub fn device_source(&self) -> String {
        (self.device_source)().expect("a text").to_string()
    }

    /// Records a system of this shape.
    ///
    /// # Panics
    /// If the system has another shape.
    #[must_use]
    pub fn record<S: System<N, P> + Default>(shape: &Shape) -> Tapes {
        let said = [S::EVENTS, S::RISING, S::FALLING, S::ACTING, S::LOGGED, S::TIMED];
        let written = [
            shape.events.len(),
            shape.rising(),
            shape.falling(),
            shape.acting(),
            shape.logged(),
            shape.timed.len(),
        ];
        let of_conditions = [S::CONDITIONS, S::CONDITIONS_ACTING, S::MODES, S::HAPPENINGS];
        let written_conditions =
            [shape.conditions.len(), shape.conditions_acting(), shape.modes, shape.happenings()];
        let logged = [S::TIMED_LOGGED, S::CONDITIONS_LOGGED];
        assert_eq!(logged, [shape.timed_logged(), shape.conditions_logged()]);
        let system = S::default();
        let name = system.info().name;
        assert_eq!(said, written, "{name}");
        assert_eq!(of_conditions, written_conditions, "{name}");
        assert!(S::MODES == 0 || S::FIRST_MODE == shape.first_mode, "{name}");
        assert!(!S::AUTONOMOUS && !S::MASS && !S::HAS_DOMAIN && S::OBSERVABLES == 0, "{name}");
        let tape = |function: &dyn Fn(&[Recorded]) -> Vec<Recorded>| {
            Tape::record(N + P + 1, |inputs| function(inputs)).pruned()
        };
        let each = |count: usize, function: &dyn Fn(usize, &[Recorded]) -> Vec<Recorded>| {
            (0..count).map(|index| tape(&|inputs| function(index, inputs))).collect::<Vec<Tape>>()
        };
        let at = |inputs: &[Recorded]| point(inputs);
        Tapes {
            info: system.info(),
            device_source: || S::default().device_source(),
            rhs: tape(&|inputs| {
                let (u, p, t) = at(inputs);
                system.rhs(&u, &p, t).to_vec()
            }),
            jacobian: tape(&|inputs| {
                let (u, p, t) = at(inputs);
                system.jacobian(&u, &p, t).as_flattened().to_vec()
            }),
            parameter_jacobian: tape(&|inputs| {
                let (u, p, t) = at(inputs);
                system.parameter_jacobian(&u, &p, t).as_flattened().to_vec()
            }),
            time_gradient: tape(&|inputs| {
                let (u, p, t) = at(inputs);
                system.time_gradient(&u, &p, t).to_vec()
            }),
            solved: Tape::record(N + P + 2 + N, |inputs| {
                let (u, p, t) = at(inputs);
                let [scale] = more(inputs, 0);
                let w = system.factor(&u, &p, t, scale);
                let solution: [Recorded; N] = system.solve(&w, &more(inputs, 1));
                solution.to_vec()
            })
            .pruned(),
            events: each(S::EVENTS, &|index, inputs| {
                let (u, p, t) = at(inputs);
                vec![system.event(index, &u, &p, t)]
            }),
            slopes: (0..S::EVENTS)
                .map(|index| {
                    Tape::record(N + P + 1 + N, |inputs| {
                        let (u, p, t) = at(inputs);
                        vec![system.event_slope(index, &u, &p, t, &more(inputs, 0))]
                    })
                    .pruned()
                })
                .collect(),
            actions: each(S::HAPPENINGS, &|index, inputs| {
                let (u, p, t) = at(inputs);
                system.event_action(index, &u, &p, t).to_vec()
            }),
            modes: each(S::HAPPENINGS, &|index, inputs| {
                let (u, p, t) = at(inputs);
                system.modes_after(index, &u, &p, t).to_vec()
            }),
            limits: each(S::HAPPENINGS, &|index, inputs| {
                let (u, p, t) = at(inputs);
                vec![system.event_limit(index, &u, &p, t)]
            }),
            due: (0..S::TIMED)
                .map(|index| {
                    Tape::record(N + P + 2, |inputs| {
                        let (_, p, t) = at(inputs);
                        let [near] = more(inputs, 0);
                        vec![system.due(index, &p, t, near)]
                    })
                    .pruned()
                })
                .collect(),
            holds: each(S::CONDITIONS, &|index, inputs| {
                let (u, p, t) = at(inputs);
                vec![system.holds(index, &u, &p, t)]
            }),
            action_times: tape(&|inputs| {
                let (_, p, _) = at(inputs);
                let mut all = Vec::new();
                system.action_times(&p, |series| all.extend(series));
                all
            }),
            derivatives: None,
        }
    }
}

/// A recorded system of [`SHAPES`]`[SHAPE]`.
#[derive(Clone, Copy, Debug)]
pub struct Replayed<const SHAPE: usize>(pub &'static Tapes);

/// Returns the results of a recording.
pub(crate) fn replay<R: Real, const K: usize>(tape: &Tape, inputs: &[R]) -> [R; K] {
    let results = tape.evaluate(inputs);
    std::array::from_fn(|i| results[i])
}

fn matrix<R: Real, const K: usize>(tape: &Tape, inputs: &[R]) -> [[R; K]; N] {
    let results = tape.evaluate(inputs);
    std::array::from_fn(|i| std::array::from_fn(|j| results[K * i + j]))
}

fn one<R: Real>(tape: &Tape, inputs: &[R]) -> R {
    let [result] = replay(tape, inputs);
    result
}

impl<const SHAPE: usize> Rhs<N, P> for Replayed<SHAPE> {
    const AUTONOMOUS: bool = false;
    const WEIGHT: u32 = 50;

    fn rhs<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        replay(&self.0.rhs, &inputs(u, p, t, &[]))
    }
}

/// The point and the scale of a factorisation.
#[derive(Clone, Copy, Debug)]
pub struct Factors<R>(pub(crate) [R; N], pub(crate) [R; P], pub(crate) R, pub(crate) R);

impl<const SHAPE: usize> Linearised<N, P> for Replayed<SHAPE> {
    type Factors<R: Real> = Factors<R>;

    fn jacobian<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [[R; N]; N] {
        matrix(&self.0.jacobian, &inputs(u, p, t, &[]))
    }

    fn parameter_jacobian<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [[R; P]; N] {
        matrix(&self.0.parameter_jacobian, &inputs(u, p, t, &[]))
    }

    fn time_gradient<R: Real>(&self, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        replay(&self.0.time_gradient, &inputs(u, p, t, &[]))
    }

    fn factor<R: Real>(&self, u: &[R; N], p: &[R; P], t: R, scale: R) -> Factors<R> {
        Factors(*u, *p, t, scale)
    }

    fn solve<R: Real>(&self, w: &Factors<R>, b: &[R; N]) -> [R; N] {
        let Factors(u, p, t, scale) = w;
        replay(&self.0.solved, &inputs(u, p, *t, &[&[*scale][..], b].concat()))
    }

    fn negative<R: Real>(&self, w: &Factors<R>) -> R::Mask {
        // The emitted function reads bits, which are not recorded.
        let Factors(u, p, t, scale) = w;
        let mut m = self.jacobian(u, p, *t).map(|row| row.map(|entry| -entry));
        (0..N).for_each(|d| m[d][d] = *scale + m[d][d]);
        let minor = |i: usize, j: usize| m[1][i] * m[2][j] - m[1][j] * m[2][i];
        let determinant = m[0][0] * minor(1, 2) - m[0][1] * minor(0, 2) + m[0][2] * minor(0, 1);
        determinant.lt(R::lit(0.0))
    }
}

impl<const SHAPE: usize> MassMatrix<N> for Replayed<SHAPE> {}
impl<const SHAPE: usize> Domain<N, P> for Replayed<SHAPE> {}
impl<const SHAPE: usize> Observe<N, P> for Replayed<SHAPE> {}
impl<const SHAPE: usize> TimeBreaks<P> for Replayed<SHAPE> {}

impl<const SHAPE: usize> Events<N, P> for Replayed<SHAPE> {
    const EVENTS: usize = SHAPES[SHAPE].events.len();
    const RISING: usize = SHAPES[SHAPE].rising();
    const FALLING: usize = SHAPES[SHAPE].falling();
    const ACTING: usize = SHAPES[SHAPE].acting();
    const LOGGED: usize = SHAPES[SHAPE].logged();
    const MODES: usize = SHAPES[SHAPE].modes;
    const FIRST_MODE: usize = SHAPES[SHAPE].first_mode;
    const TIMED: usize = SHAPES[SHAPE].timed.len();
    const TIMED_LOGGED: usize = SHAPES[SHAPE].timed_logged();
    const CONDITIONS: usize = SHAPES[SHAPE].conditions.len();
    const CONDITIONS_ACTING: usize = SHAPES[SHAPE].conditions_acting();
    const CONDITIONS_LOGGED: usize = SHAPES[SHAPE].conditions_logged();

    fn event<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        one(&self.0.events[index], &inputs(u, p, t, &[]))
    }

    fn event_slope<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R, du: &[R; N]) -> R {
        one(&self.0.slopes[index], &inputs(u, p, t, du))
    }

    fn event_action<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; N] {
        replay(&self.0.actions[index], &inputs(u, p, t, &[]))
    }

    fn modes_after<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> [R; P] {
        replay(&self.0.modes[index], &inputs(u, p, t, &[]))
    }

    fn event_limit<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        one(&self.0.limits[index], &inputs(u, p, t, &[]))
    }

    fn due<R: Real>(&self, index: usize, p: &[R; P], t: R, near: R) -> R {
        one(&self.0.due[index], &inputs(&[R::lit(0.0); N], p, t, &[near]))
    }

    fn holds<R: Real>(&self, index: usize, u: &[R; N], p: &[R; P], t: R) -> R {
        one(&self.0.holds[index], &inputs(u, p, t, &[]))
    }

    fn action_times<R: Real>(&self, p: &[R; P], put: impl FnMut([R; 3])) {
        let zero = R::lit(0.0);
        let all = self.0.action_times.evaluate(&inputs(&[zero; N], p, zero, &[]));
        all.chunks(3).map(|series| [series[0], series[1], series[2]]).for_each(put);
    }
}

impl<const SHAPE: usize> System<N, P> for Replayed<SHAPE> {
    type State<T: Scalar> = [T; N];
    type Parameters<T: Scalar> = [T; P];
    type Noise = NoNoise;

    fn info(&self) -> &'static SystemInfo {
        self.0.info
    }

    fn device_source(&self) -> Option<DeviceSource> {
        (self.0.device_source)()
    }
}
