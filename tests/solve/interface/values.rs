//! Systems that are values, and inputs of another system.

use super::{PARAMETERS, STATE, hunting, steps};
use crate::batches::Sums;
use odes::backend::{Collect, EnsembleAlgorithm, PreparedSolve, SavedComponents, Task};
use odes::internals::kernel::{InputOrigin, KernelConfig};
use odes::internals::task::{Everything, Solve, Text};
use odes::lane::{Real, Scalar};
use odes::methods::{Euler, Method};
use odes::prelude::*;
use odes::system::{
    DeviceSource, Domain, Events, Linearised, MassMatrix, NoNoise, Observe, Operations, Rhs,
    SystemInfo, TimeBreaks,
};
use odes::{EnsembleSolution, SolveError, Solver, System};

/// `u' = rate u`, with a rate that is not a parameter.
#[derive(Clone, Copy, Debug)]
struct Growth {
    rate: f64,
    /// The sizes in its text for devices, if it has one.
    text: Option<[usize; 3]>,
}

const fn growth(rate: f64) -> Growth {
    Growth { rate, text: Some([1, 0, 0]) }
}

impl Rhs<1, 0> for Growth {
    const AUTONOMOUS: bool = true;
    const WEIGHT: u32 = 1;

    fn rhs<R: Real>(&self, u: &[R; 1], _: &[R; 0], _: R) -> [R; 1] {
        [R::lit(self.rate) * u[0]]
    }
}

impl Linearised<1, 0> for Growth {
    type Factors<R: Real> = R;

    fn jacobian<R: Real>(&self, _: &[R; 1], _: &[R; 0], _: R) -> [[R; 1]; 1] {
        [[R::lit(self.rate)]]
    }

    fn parameter_jacobian<R: Real>(&self, _: &[R; 1], _: &[R; 0], _: R) -> [[R; 0]; 1] {
        [[]]
    }

    fn time_gradient<R: Real>(&self, _: &[R; 1], _: &[R; 0], _: R) -> [R; 1] {
        [R::lit(0.0)]
    }

    fn factor<R: Real>(&self, _: &[R; 1], _: &[R; 0], _: R, scale: R) -> R {
        scale - R::lit(self.rate)
    }

    fn solve<R: Real>(&self, w: &R, b: &[R; 1]) -> [R; 1] {
        [b[0] / *w]
    }

    fn negative<R: Real>(&self, w: &R) -> R::Mask {
        w.lt(R::lit(0.0))
    }
}

impl MassMatrix<1> for Growth {}
impl Domain<1, 0> for Growth {}
impl Events<1, 0> for Growth {}
impl Observe<1, 0> for Growth {}
impl TimeBreaks<0> for Growth {}

impl System<1, 0> for Growth {
    type State<T: Scalar> = [T; 1];
    type Parameters<T: Scalar> = [T; 0];
    type Noise = NoNoise;

    fn info(&self) -> &'static SystemInfo {
        const NONE: Operations = Operations::new([0; 6]);
        const INFO: &SystemInfo = &SystemInfo {
            jacobian_pattern: &[(0, 0)],
            operations: [Operations::new([0, 1, 0, 0, 0, 0]), NONE, NONE, NONE],
            ..SystemInfo::new("growth", &["u"], &[])
        };
        INFO
    }

    fn device_source(&self) -> Option<DeviceSource> {
        let text =
            format!("struct System {{ static constexpr double RATE = {:e}; }};\n", self.rate);
        // SAFETY: the text has no functions.
        self.text.map(|sizes| unsafe { DeviceSource::new(text, sizes) })
    }
}

/// A solve uses the value, on a CPU and in the text for devices.
///
/// Caches of kernels distinguish two values of one type by their texts.
#[test]
fn a_system_is_a_value() {
    let at_end = |rate: f64| {
        let problem = OdeProblem::new(growth(rate), [1.0], 0.0..=1.0, []);
        assert_eq!(problem.system().rate.to_bits(), rate.to_bits());
        let ensemble = EnsembleProblem::new(problem).trajectories(3);
        let options = SolveOptions::default().fixed_step(0.25);
        let [alone, together] = [
            ensemble.solve(Euler, EnsembleSerial, &options).unwrap(),
            ensemble.solve(Euler, EnsembleThreads, &options).unwrap(),
        ];
        assert_eq!(alone.final_states(), together.final_states());
        alone.final_state(2)[0]
    };
    assert_eq!(at_end(0.5), 1.125_f64.powi(4));
    assert_eq!(at_end(-2.0), 0.5_f64.powi(4));

    let task = |rate| Solve::<Growth, Euler, Everything, 1, 0>::new(growth(rate));
    let key = |rate| Task::<f64>::key(&task(rate));
    assert!(key(0.5) == key(0.5) && key(0.5) != key(-2.0));
    let text = Task::<f64>::kernel(&task(0.5), &kernel_config()).unwrap();
    assert!(text.contains("RATE = 5e-1"));
}

fn kernel_config() -> KernelConfig {
    KernelConfig { columns: vec![InputOrigin::Memory; 3], ..KernelConfig::default() }
}

/// A kernel is compiled only from a text with the system's own sizes.
#[test]
fn a_system_without_its_text_for_devices_is_an_error_there() {
    for text in [None, Some([2, 0, 0]), Some([1, 1, 0]), Some([1, 0, 1])] {
        let task = Solve::<_, Euler, Text, 1, 0>::new(Growth { rate: 0.5, text });
        let error = Task::<f64>::kernel(&task, &kernel_config()).unwrap_err();
        let SolveError::NoDeviceSource { system: "growth", of } = error else { panic!("{error}") };
        assert_eq!(of, text);
    }
}

/// Inputs of another number than the system's are refused before anything is computed.
#[test]
fn inputs_of_another_system_are_refused() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS));
    let good = || PreparedSolve::<f64>::new(&ensemble, &steps(), &Euler::PROPERTIES).unwrap();
    let good_into = |sink: &mut Collect<f64>| {
        ensemble.solve_into(Euler, EnsembleSerial, &steps(), sink).unwrap()
    };
    let refused = |inputs: &PreparedSolve<f64>| {
        let PreparedSolve { options: settings, inputs: columns } = inputs;
        let places: [&dyn EnsembleAlgorithm; 2] = [&EnsembleSerial, &EnsembleThreads];
        for place in places {
            let sink = &mut Collect::default();
            let run = Euler
                .integrate::<f64, _, Everything, 2, 2>(hunting, place, settings, columns, sink);
            let found = run.map(|_| ()).unwrap_err();
            assert!(matches!(found, SolveError::Shape { .. }), "{found}");
        }
        let mut sink = Collect::default();
        let run = good_into(&mut sink);
        let solution = EnsembleSolution::new(hunting, inputs.clone(), sink.into_results(), run);
        assert!(matches!(solution, Err(SolveError::Shape { .. })));
    };
    let mut fewer = good();
    fewer.inputs.u0.pop();
    refused(&fewer);
    let mut moved = good();
    let column = moved.inputs.u0.pop().unwrap();
    moved.inputs.p.push(column);
    refused(&moved);
    let mut rows = good();
    rows.options.saved.states = 1;
    refused(&rows);
    let mut observed = good();
    observed.options.saved.observables = 2;
    refused(&observed);
    let mut chosen = good();
    let components = SavedComponents { states: vec![1, 2], observables: Vec::new() };
    chosen.options.components = Some(components.into());
    (chosen.options.saved.states, chosen.options.saved.observables) = (2, 0);
    refused(&chosen);
}

/// A sink also receives the states at the ends of steps, which are counted first.
#[test]
fn a_sink_gets_the_ends_of_steps() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .trajectories(2500)
        .vary(|problem, i| problem.with_u0([1.0 + 1e-3 * i as f64, 2.0]));
    let options = steps().saveat(SaveAt::Steps);
    let whole = ensemble.solve(Euler, EnsembleSerial, &options).unwrap();
    assert!(whole.all_states().shape()[1] > 2);
    let mut by_threads = Sums::by(1000);
    let run = ensemble.solve_into(Euler, EnsembleThreads, &options, &mut by_threads).unwrap();
    assert!(run.timings.total >= run.timings.solve);
    let mut again = Sums::by(1000);
    ensemble.solve_into(Euler, EnsembleSerial, &options, &mut again).unwrap();
    assert_eq!(by_threads.sums, again.sums);
    let mut all = Collect::default();
    ensemble.solve_into(Euler, EnsembleSerial, &options, &mut all).unwrap();
    let all = all.into_results();
    assert!(all.kept.iter().all(|&kept| kept == 9));
    // Two states, an observable and the time.
    assert_eq!(all.saved.len(), 2500 * 9 * 4);
    for i in [0, 999, 2499] {
        let trajectory = whole.trajectory(i);
        let prey = trajectory.states().map(|u| u.prey);
        let stored = (0..9).map(|slot| all.saved[(4 * slot) * 2500 + i]);
        assert!(prey.eq(stored));
    }
}
