//! An array of one number against one lane: the same bits, whatever is asked.

use ode_arrays::{Array, ArrayCpu, ArrayError, ArrayProblem, ArraySystem};
use odes::GrowthGuard;
use odes::methods::{
    Bs3, Dop853, Dp5, Euler, Heun, Method, Ralston, Rk4, Rodas3, Rodas4, Vern6, Vern9,
};
use odes::prelude::*;
use odes::system::Rhs;

// A right-hand side that depends on state and time, and has no closed form by these operations.
#[ode_system]
fn driven(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    [p[0] * u[0] * (1.0 - u[0] * u[0]) + (3.0 * t).cos()]
}

type Solved<T> = (Vec<T>, Vec<T>, Vec<T>, [u32; 2], odes::ReturnCode);

fn by_lane<M: Method>(method: M, options: &SolveOptions, end: f64) -> Solved<f64> {
    let problem = OdeProblem::new(driven, [0.1], 0.0..=end, [0.7]);
    let solution = problem.solve(method, options).unwrap();
    let counts = [solution.accepted(), solution.rejected()];
    let states = solution.states().map(|[u]| u).collect();
    let times = solution.times().collect();
    let [end] = solution.final_state();
    (times, states, vec![end, solution.end_time()], counts, solution.code())
}

fn by_array<M>(method: M, options: &SolveOptions, end: f64) -> Result<Solved<f64>, ArrayError>
where
    M: Method + ode_core::methods::Tabulated,
{
    let system = |u: &Array<f64>, p: &[Array<f64>], t: f64, du: &mut Array<f64>| {
        let number = |array: &Array<f64>| array.as_slice().unwrap()[0];
        let [f] = driven.rhs(&[number(u)], &[number(&p[0])], t);
        du.fill(f)
    };
    let p = [Array::vector([0.7])];
    let problem = ArrayProblem::new(system, Array::vector([0.1]), 0.0..=end, p);
    let solution = problem.solve(method, ArrayCpu::new(), options)?;
    let counts = [solution.counts().accepted, solution.counts().rejected];
    let states = solution.states().iter().map(|u| u[0]).collect();
    let ends = vec![solution.final_state()[0], solution.end_time()];
    Ok((solution.times().to_vec(), states, ends, counts, solution.code()))
}

/// Ways to solve, with adaptive steps or with fixed ones.
fn ways(adaptive: bool) -> Vec<SolveOptions> {
    let own = SolveOptions::default();
    let steps = if adaptive {
        let tight = own.clone().tolerance(1e-9);
        vec![own.clone(), tight.dtmax(0.3), own.first_step(1e-3).dtmin(1e-9)]
    } else {
        vec![own.fixed_step(0.037)]
    };
    let saved = steps.into_iter().flat_map(|o| {
        let every = o.clone().saveat(0.21);
        let list = o.clone().saveat([0.5, 2.0, 2.001]);
        let ends = o.clone().save_start(true).save_end(true);
        [every, list, ends, o.saveat(SaveAt::Steps)]
    });
    saved.flat_map(|o| [o.clone(), o.tstops([1.0, 2.5])]).collect()
}

macro_rules! same {
    ($($test:ident: $method:ident, $adaptive:literal;)*) => { $(
        #[test]
        fn $test() {
            for options in ways($adaptive) {
                let lane = by_lane($method, &options, 5.0);
                let array = by_array($method, &options, 5.0).unwrap();
                assert_eq!(lane, array, "{options:?}");
                assert!(lane.4.is_success());
            }
        }
    )* };
}

same! {
    euler: Euler, false;
    heun: Heun, false;
    ralston: Ralston, false;
    rk4: Rk4, false;
    bs3: Bs3, true;
    dp5: Dp5, true;
    tsit5: Tsit5, true;
    vern6: Vern6, true;
    vern7: Vern7, true;
    dop853: Dop853, true;
    vern9: Vern9, true;
}

/// What cannot be solved ends as it does in a lane.
#[test]
fn ends_that_are_no_success() {
    let own = SolveOptions::default().saveat(0.25);
    let ways = [own.clone().max_steps(3), own.clone().dtmin(0.5), own.fixed_step(2.5)];
    for options in ways {
        let lane = by_lane(Tsit5, &options, 50.0);
        let array = by_array(Tsit5, &options, 50.0).unwrap();
        assert_eq!(format!("{lane:?}"), format!("{array:?}"), "{options:?}");
    }
}

/// The system with its exact derivatives, for Rosenbrock methods.
struct Exact<S>(S, f64);

fn number(array: &Array<f64>) -> f64 {
    array.as_slice().unwrap()[0]
}

impl<S: odes::System<1, 1>> ArraySystem<f64> for Exact<S> {
    fn rhs(
        &self,
        u: &Array<f64>,
        _p: &[Array<f64>],
        t: f64,
        du: &mut Array<f64>,
    ) -> Result<(), ArrayError> {
        du.fill(self.0.rhs(&[number(u)], &[self.1], t)[0])
    }

    fn jacobian(
        &self,
        u: &Array<f64>,
        _p: &[Array<f64>],
        t: f64,
        jacobian: &mut Array<f64>,
    ) -> Result<bool, ArrayError> {
        jacobian.fill(self.0.jacobian(&[number(u)], &[self.1], t)[0][0])?;
        Ok(true)
    }

    fn time_gradient(
        &self,
        u: &Array<f64>,
        _p: &[Array<f64>],
        t: f64,
        by_time: &mut Array<f64>,
    ) -> Result<bool, ArrayError> {
        by_time.fill(self.0.time_gradient(&[number(u)], &[self.1], t)[0])?;
        Ok(true)
    }
}

fn compare_rosenbrock<M, S>(method: M, system: S, options: &SolveOptions, start: f64)
where
    M: Method + ode_core::methods::Tabulated,
    S: odes::System<1, 1, State<f64> = [f64; 1]>,
{
    let lane = OdeProblem::new(system, [start], 0.0..=30.0, [0.7]);
    let lane = lane.solve(method, options).unwrap();
    let u0 = Array::vector([start]);
    let array = ArrayProblem::new(Exact(system, 0.7), u0, 0.0..=30.0, []);
    let array = array.solve(method, ArrayCpu::new(), options).unwrap();
    let counts = array.counts();
    let of_lane = [lane.accepted(), lane.rejected()];
    for (a, b) in of_lane.into_iter().zip([counts.accepted, counts.rejected]) {
        // Rounding shows in the errors of a thousand steps at tight tolerances.
        let few = (lane.accepted() + lane.rejected()) / 200;
        assert!(a.abs_diff(b) <= few, "{a} {b} of {of_lane:?} {options:?}");
    }
    assert_eq!(lane.guarded(), counts.guarded, "{options:?}");
    assert_eq!(lane.code(), array.code());
    assert_eq!(lane.held_unstable(), array.held_unstable());
    let is_given = options.save != SaveAt::Steps;
    assert!(!is_given || lane.times().eq(array.times().iter().copied()));
    // The same steps, or other ones of the same accuracy.
    let is_same = of_lane == [counts.accepted, counts.rejected];
    let bound = if is_same { 1e-9 } else { 100.0 * options.reltol };
    for ([a], b) in lane.states().zip(array.states()).filter(|_| is_given) {
        assert!((a - b[0]).abs() < bound, "{a} {b:?} {options:?}");
    }
}

// Begins near an unstable state, which implicit methods may step over.
#[ode_system]
fn pitchfork(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [p[0] * u[0] * (1.0 - u[0] * u[0])]
}

/// The same steps, saves and decisions of the growth guard; sums are in another order.
#[test]
fn rosenbrock_methods_go_as_lanes_go() {
    for options in ways(true).into_iter().chain(ways(false)) {
        compare_rosenbrock(Rodas3, driven, &options, 0.1);
        compare_rosenbrock(Rodas4, driven, &options, 0.1);
        compare_rosenbrock(Rodas5P, driven, &options, 0.1);
    }
    for guard in [GrowthGuard::Off, GrowthGuard::Report, GrowthGuard::Reject] {
        for stops in [vec![], vec![3.0, 20.0]] {
            let own = SolveOptions::default().abstol(1e-4).saveat(1.0);
            let options = own.growth_guard(guard).tstops(stops);
            compare_rosenbrock(Rodas5P, pitchfork, &options, 1e-9);
            compare_rosenbrock(Rodas4, pitchfork, &options, 1e-7);
        }
    }
}

#[test]
fn spans_backwards_and_of_no_length() {
    for end in [-2.0, 0.0] {
        let options = SolveOptions::default().saveat(if end == 0.0 { 1.0 } else { 0.5 });
        let lane = by_lane(Tsit5, &options, end);
        assert_eq!(lane, by_array(Tsit5, &options, end).unwrap(), "{end}");
    }
}
