//! The clock of an array: the time, step sizes and options of a lane.
//!
//! An array is solved by the [lockstep loop](ode_core::integrate::lockstep), whose clock is one
//! lane. That lane needs a system. [`Clock`] is a system of one equation, `u' = 0`, which is never
//! solved.

use ode_core::lane::{Mask, Real, Scalar};
use ode_core::problem::prepared::PreparedSolve;
use ode_core::step::properties::Properties;
use ode_core::system::info::{LinearEquations, Operations};
use ode_core::system::{
    DeviceSource, Domain, Events, Linearised, MassMatrix, Observe, Rhs, System, SystemInfo,
    TimeBreaks,
};
use ode_core::{AbsTol, EnsembleProblem, EvaluationThreads, OdeProblem, SolveError, SolveOptions};

/// The system of the clock. It depends on time, as the system of an array may.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock;

impl Rhs<1, 0> for Clock {
    const AUTONOMOUS: bool = false;
    const WEIGHT: u32 = 0;

    #[inline(always)]
    fn rhs<R: Real>(&self, _u: &[R; 1], _p: &[R; 0], _t: R) -> [R; 1] {
        [R::lit(0.0)]
    }
}

impl Linearised<1, 0> for Clock {
    type Factors<R: Real> = [R; 1];

    fn jacobian<R: Real>(&self, _u: &[R; 1], _p: &[R; 0], _t: R) -> [[R; 1]; 1] {
        [[R::lit(0.0)]]
    }

    fn parameter_jacobian<R: Real>(&self, _u: &[R; 1], _p: &[R; 0], _t: R) -> [[R; 0]; 1] {
        [[]]
    }

    fn time_gradient<R: Real>(&self, _u: &[R; 1], _p: &[R; 0], _t: R) -> [R; 1] {
        [R::lit(0.0)]
    }

    fn factor<R: Real>(&self, _u: &[R; 1], _p: &[R; 0], _t: R, scale: R) -> [R; 1] {
        [scale]
    }

    fn solve<R: Real>(&self, factors: &[R; 1], b: &[R; 1]) -> [R; 1] {
        [b[0] / factors[0]]
    }

    fn negative<R: Real>(&self, factors: &[R; 1]) -> R::Mask {
        factors[0].lt(R::lit(0.0))
    }
}

impl MassMatrix<1> for Clock {}
impl Observe<1, 0> for Clock {}
impl Events<1, 0> for Clock {}
impl TimeBreaks<0> for Clock {}

impl Domain<1, 0> for Clock {
    #[inline(always)]
    fn out_of_domain<R: Real>(&self, _u: &[R; 1], _p: &[R; 0], _t: R) -> R::Mask {
        R::Mask::splat(false)
    }
}

static INFO: SystemInfo = SystemInfo {
    name: "array",
    states: &["u"],
    parameters: &[],
    observables: &[],
    events: &[],
    jacobian_pattern: &[],
    parameter_pattern: &[],
    time_pattern: &[],
    time_breaks: &[],
    parameter_breaks: &[],
    moving_time_breaks: false,
    more_time_breaks: false,
    poles: &[],
    growing: &[],
    steep: &[],
    jumps: &[],
    operations: [Operations::new([0; 6]); 4],
    written: 0,
    shared: 0,
    linear: LinearEquations::Full,
};

impl System<1, 0> for Clock {
    type State<T: Scalar> = [T; 1];
    type Parameters<T: Scalar> = [T; 0];

    fn info(&self) -> &'static SystemInfo {
        &INFO
    }

    fn device_source(&self) -> Option<DeviceSource> {
        // SAFETY: the system has one state and no parameters, and accesses no memory.
        Some(unsafe { DeviceSource::new(TEXT.to_owned(), [1, 0, 0]) })
    }
}

/// The C++ source of the clock, with the members that the loop uses.
const TEXT: &str = "struct System {
    static constexpr bool AUTONOMOUS = false;
    static constexpr bool STEPWISE = false;
    static constexpr int BOUNDS = 0;
    static constexpr bool MASS = false;
    static constexpr int ALGEBRAIC = 0;
    static constexpr bool HAS_DOMAIN = false;
    static constexpr int OBSERVABLES = 0;
    static constexpr int EVENTS = 0;
    static constexpr int TIMED = 0;
    template<class R> using Factors = Arr<R, 1>;
};
";

/// Checks the options and converts them to the precision of the solve, for `len` numbers.
///
/// Also returns the absolute tolerances: one, or one for each number.
pub(crate) fn inputs<T: Scalar>(
    (t0, t1): (T, T),
    options: &SolveOptions,
    method: &Properties,
    len: usize,
) -> Result<(PreparedSolve<T>, Vec<T>), SolveError> {
    let problem = OdeProblem::new(Clock, [0.0], 0.0..=0.0, []).cast::<T>().with_tspan(t0..=t1);
    let ensemble = EnsembleProblem::new(problem).trajectories(1);
    options.check::<T>()?;
    let abstol = options.abstol.numbers();
    if let AbsTol::Each(each) = &options.abstol
        && each.len() != len
    {
        return Err(SolveError::Tolerances { tolerances: each.len(), components: len });
    }
    // The clock has one component.
    let options = SolveOptions { abstol: AbsTol::All(abstol[0]), ..options.clone() };
    let inputs = PreparedSolve::by(EvaluationThreads::Caller, &ensemble, &options, method)?;
    Ok((inputs, abstol.iter().map(|&number| T::narrow(number)).collect()))
}
