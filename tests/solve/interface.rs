//! The interface: named fields, sweeps, methods by name, backends, errors, files.
//!
//! The tests use the methods that compile fastest, because none of this depends on the method.

pub(crate) mod save;
mod sinks;
mod sweeps;
mod times;
mod values;
pub(crate) mod zarr;

use crate::batches::Sums;
use odes::backend::{
    self, Backend, Capabilities, EnsembleAlgorithm, EvaluationPool, Evaluator, InputRange, Job,
    RawResults, Request, ResultSink, RunReport, SolveJob, Timings, run_job,
};
use odes::methods::{Euler, Heun, Rk4};
use odes::prelude::*;
use odes::problem::Vary;
use odes::{AnyMethod, Memory, SolveError};
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread::ThreadId;

/// Predators and their prey, by names.
#[ode_system]
mod hunting {
    pub struct State {
        pub prey: f64,
        pub predators: f64,
    }
    pub struct Parameters {
        pub birth: f64,
        pub death: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let eaten = u.prey * u.predators;
        State { prey: p.birth * u.prey - eaten, predators: eaten - p.death * u.predators }
    }

    #[observable]
    pub(crate) fn animals(u: &State) -> f64 {
        u.prey + u.predators
    }
}

use hunting::{Parameters, State};

const STATE: State = State { prey: 1.0, predators: 0.5 };
const PARAMETERS: Parameters = Parameters { birth: 1.5, death: 1.0 };

fn steps() -> SolveOptions {
    SolveOptions::default().fixed_step(0.125)
}

/// The types that the attribute adds to a module fit into a struct.
struct Study {
    problem: hunting::Problem,
    ensemble: hunting::Ensemble<f32>,
    solution: Option<hunting::Solution>,
    solutions: Vec<hunting::EnsembleSolution<f32>>,
}

#[test]
fn structs_hold_problems_and_solutions() {
    let problem = OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS);
    let ensemble = EnsembleProblem::new(problem.cast::<f32>()).trajectories(3);
    let mut study = Study { problem, ensemble, solution: None, solutions: Vec::new() };
    study.solution = Some(study.problem.solve(Euler, &steps()).unwrap());
    study.solutions.push(study.ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap());
    let prey = study.solution.unwrap().final_state().prey;
    for trajectory in study.solutions[0].iter() {
        assert!((trajectory.final_state().prey - prey).abs() < 1e-6);
    }
}

#[test]
fn names_go_in_and_come_out() {
    let named = OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS);
    let numbered = OdeProblem::new(hunting, [1.0, 0.5], 0.0..=1.0, [1.5, 1.0]);
    assert_eq!(named, numbered);
    let other = State { prey: 2.0, predators: 1.0 };
    let rich = Parameters { birth: 3.0, death: 1.0 };
    assert_eq!(
        numbered.with_u0(other).with_p(rich),
        numbered.with_u0([2.0, 1.0]).with_p([3.0, 1.0])
    );
    let solution = named.solve(Rk4, &steps().saveat(0.5)).unwrap();
    let end = solution.final_state();
    let numbers = solution.as_ensemble().final_states();
    assert_eq!([end.prey, end.predators], [numbers[[0, 0]], numbers[[0, 1]]]);
    let trajectory = solution.trajectory();
    assert_eq!(trajectory.p().birth, 1.5);
    assert_eq!((trajectory.final_state(), solution.as_ensemble().final_state(0)), (end, end));
    assert_eq!((trajectory.u0(), trajectory.tspan()), (STATE, (0.0, 1.0)));
    let prey: Vec<f64> = trajectory.states().map(|u| u.prey).collect();
    assert_eq!((prey[0], prey[2]), (STATE.prey, end.prey));
    assert_eq!((trajectory.state(2), solution.as_ensemble().states(0).last()), (end, Some(end)));
    assert_eq!((solution.at(1.0), solution.states().next()), (Some(end), Some(STATE)));
    let single = named.cast::<f32>().solve(Rk4, &steps()).unwrap();
    let [prey, predators]: [f32; 2] = single.final_state().into();
    assert_eq!(single.as_ensemble().final_states().row(0).to_vec(), [prey, predators]);
    // A public observable is a function of a named state.
    assert_eq!(hunting::animals(&end), trajectory.final_observables()[0]);
}

/// The numbers of a problem have the names of the module's fields.
#[test]
fn problems_have_names() {
    let mut problem = OdeProblem::new(hunting, [1.0, 0.5], 0.0..=1.0, PARAMETERS);
    assert_eq!((problem.u0, problem.p), (STATE, PARAMETERS));
    problem.u0.prey = 3.0;
    problem.p.death = 2.0;
    assert_eq!(problem, problem.with_u0([3.0, 0.5]).with_p([1.5, 2.0]));
    fn check<T: odes::lane::Scalar>(problem: OdeProblem<hunting::Model, T, 2, 2>) {
        let ensemble = EnsembleProblem::new(problem).trajectories(3).vary(|mut problem, i| {
            problem.p.birth = 0.5 * i as f64;
            problem.u0.predators += problem.p.birth;
            problem
        });
        let solution = ensemble.solve(Euler, EnsembleThreads, &steps()).unwrap();
        for (i, trajectory) in solution.iter().enumerate() {
            let birth = 0.5 * i as f64;
            assert_eq!(trajectory.p(), Parameters { birth, death: 2.0 });
            assert_eq!(trajectory.u0(), State { prey: 3.0, predators: 0.5 + birth });
        }
    }
    check(problem);
    check(problem.cast::<f32>());
}

/// Literals have the type `f64`, and so have the numbers of solutions, including their methods.
#[test]
fn literals_are_double() {
    let problem = OdeProblem::new(hunting, [1.0, 0.5], 0.0..=1.0, [1.5, 1.0]);
    let solution = problem.solve(Rk4, &steps().saveat([0.5])).unwrap();
    assert!(solution.final_state().prey.abs().sqrt() > 0.0 && problem.t1.abs() == 1.0);
    assert!(solution.states().all(|u| u.prey.abs() > 0.0));
    let named = OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS);
    let ensemble = EnsembleProblem::new(named).trajectories(2).vary(|mut problem, i| {
        problem.p.birth = (problem.p.birth - 2.0 * i as f64).abs();
        problem.with_tspan(problem.t0.abs()..=2.0)
    });
    let ensemble = ensemble.tstops(|problem, _| [problem.t1.abs() / 2.0, 0.25]);
    let solution = ensemble.solve(Rk4, EnsembleSerial, &steps()).unwrap();
    assert_eq!(solution.trajectory(1).p(), Parameters { birth: 0.5, death: 1.0 });
    assert_eq!(solution.final_state(0).prey.abs(), solution.final_states()[[0, 0]]);
    let rows = EnsembleProblem::new(named).over(&[[1.0, 2.0]]).over_u0(&[[1.0, 0.5]]);
    let solution = rows.solve(Rk4, EnsembleSerial, &steps()).unwrap();
    assert!(solution.trajectory(0).u0().prey.abs() == 1.0);
}

/// A cast rounds each number once.
///
/// A cast ensemble has the bits of an ensemble whose problem and functions are in single precision.
#[test]
fn single_precision_is_a_cast() {
    let problem = OdeProblem::new(hunting, [0.1, 0.5], 0.3..=1.7, [1.1, 1.0]);
    let single = problem.cast::<f32>();
    let birth = f64::from(1.1_f32);
    assert_eq!(single.u0, State { prey: f64::from(0.1_f32), predators: 0.5 });
    assert_eq!(single.p, Parameters { birth, death: 1.0 });
    assert_eq!((single.t0, single.t1), (0.3_f32, 1.7_f32));
    assert_eq!(single.cast::<f64>().u0, single.u0);
    assert_eq!(problem.cast::<f64>(), problem);

    let rows = [[1.1, 0.7], [0.3, 0.9]];
    let axes = || [odes::sweep::Axis::u0("prey", [0.1, 0.2, 0.3])];
    let options = steps().saveat(0.7);
    let narrow = rows.map(|row| row.map(|x| x as f32));
    let double = EnsembleProblem::new(problem).over(&rows).cast::<f32>();
    let expected = EnsembleProblem::new(single).over(&narrow);
    let solution = double.solve(Rk4, EnsembleSerial, &options).unwrap();
    assert_eq!(solution.trajectory(1).p(), narrow[1].into());
    let of = |solution: Result<odes::EnsembleSolution<_, f32, 2, 2>, SolveError>| {
        let solution = solution.unwrap();
        let numbers: Vec<_> = solution.all_states().iter().map(|x| x.to_bits()).collect();
        (solution.shared_times().unwrap().to_vec(), numbers)
    };
    assert_eq!(
        of(double.solve(Rk4, EnsembleThreads, &options)),
        of(expected.solve(Rk4, EnsembleThreads, &options)),
    );
    assert_eq!(
        of(EnsembleProblem::new(problem).grid(axes()).cast().solve(Rk4, EnsembleThreads, &options)),
        of(EnsembleProblem::new(single).grid(axes()).solve(Rk4, EnsembleThreads, &options)),
    );
    let varied = EnsembleProblem::new(problem).trajectories(9);
    let stopped = varied.tstops(|problem, _| [problem.t1 / 3.0]);
    let double = stopped.vary(|problem, i| problem.with_p([0.1 * i as f64, 0.7])).cast();
    let expected = EnsembleProblem::new(single).trajectories(9).tstops(|_, _| [1.7_f32 / 3.0]);
    let expected = expected.vary(|problem, i| problem.with_p([(0.1 * i as f64) as f32, 0.7]));
    assert_eq!(
        of(double.solve(Rk4, EnsembleThreads, &options)),
        of(expected.solve(Rk4, EnsembleThreads, &options)),
    );
}

/// Single and ensemble solutions have the same function names; those of ensembles take an index.
#[test]
fn one_and_many_have_the_same_names() {
    let problem = OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS);
    let states = [[1.0, 0.5], [f64::NAN, 0.5], [2.0, 1.0]];
    let options = steps().saveat(0.25);
    let many = EnsembleProblem::new(problem).over_u0(&states);
    let many = many.solve(Rk4, EnsembleSerial, &options).unwrap();
    for i in [0, 2] {
        let one = problem.with_u0(states[i]).solve(Rk4, &options).unwrap();
        let trajectory = many.trajectory(i);
        assert_eq!((one.times().len(), one.end_time()), (5, 1.0));
        assert!(one.times().eq(trajectory.times()) && one.times().eq(many.times(i)));
        assert!(one.states().eq(trajectory.states()) && one.states().eq(many.states(i)));
        assert_eq!([trajectory.end_time(), many.end_time(i)], [one.end_time(); 2]);
        assert_eq!([trajectory.final_state(), many.final_state(i)], [one.final_state(); 2]);
    }
    // Values that were not reached are NaN, although fixed steps continue.
    assert_eq!((many.times(1).len(), many.states(1).len(), many.end_time(1)), (0, 0, 1.0));
    assert_eq!((many.all_states().dim(), many.shared_times().unwrap().len()), ((3, 5, 2), 5));
}

#[test]
fn time_spans_are_written_in_three_ways() {
    let problem = OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS);
    assert_eq!(problem, OdeProblem::new(hunting, STATE, (0.0, 1.0), PARAMETERS));
    assert_eq!(problem, OdeProblem::new(hunting, STATE, 0.0..1.0, PARAMETERS));
    assert_eq!(problem.with_tspan((2.0, -1.0)), problem.with_tspan(2.0..=-1.0));
}

odes::methods::any_method! {
    /// The methods that are compiled here.
    enum Chosen { Euler, Heun, Rk4 }
}

#[test]
fn methods_are_chosen_by_name() {
    let problem = OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS);
    let by_type = [
        problem.solve(Euler, &steps()).unwrap().final_state(),
        problem.solve(Heun, &steps()).unwrap().final_state(),
        problem.solve(Rk4, &steps()).unwrap().final_state(),
    ];
    for (i, &method) in Chosen::ALL.iter().enumerate() {
        let name = method.to_string().to_uppercase();
        let parsed: Chosen = name.parse().unwrap();
        let solution =
            EnsembleProblem::new(problem).solve(parsed, EnsembleSerial, &steps()).unwrap();
        assert_eq!(solution.final_state(0), by_type[i]);
        assert_eq!(solution.method().name, Chosen::NAMES[i]);
    }
    assert_eq!([Chosen::from(Euler), Rk4.into()], [Chosen::Euler, Chosen::Rk4]);
    assert_eq!("VERN7".parse::<AnyMethod>().unwrap(), AnyMethod::Vern7);
    let error = "tsit5".parse::<Chosen>().unwrap_err();
    assert_eq!(
        format!("{error:?}"),
        "unknown method `tsit5`; the methods are `Euler`, `Heun`, `Rk4`"
    );
    let near = "rk5".parse::<Chosen>().unwrap_err();
    assert_eq!(near.nearest(), ["Rk4"]);
    let begin = "unknown method `rk5`; did you mean `Rk4`? the methods are `Euler`, ";
    assert!(near.to_string().starts_with(begin), "{near}");
    // Files may also contain a method and options, as this one does.
    let (method, options): (Chosen, SolveOptions) =
        serde_json::from_str(r#"["heun", { "abstol": [1e-9, 1e-6], "step": { "fixed": 0.125 } }]"#)
            .unwrap();
    let solution = problem.solve(method, &options).unwrap();
    assert_eq!(solution.final_state(), by_type[1]);
    assert_eq!(serde_json::to_string(&method).unwrap(), "\"Heun\"");
}

#[test]
fn places_may_be_borrowed_and_boxed() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS));
    let expected = ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap().final_state(0);
    let threads = EnsembleThreads.threads(2);
    for _ in 0..2 {
        let solution = ensemble.solve(Euler, &threads, &steps()).unwrap();
        assert_eq!(solution.final_state(0), expected);
    }
    let solution = ensemble.solve(Euler, Box::new(EnsembleThreads), &steps()).unwrap();
    assert_eq!(solution.final_state(0), expected);
}

/// Problems are evaluated on the threads of the backend.
#[test]
fn problems_are_made_where_they_are_solved() {
    let n = 20_000;
    let makers = Mutex::new(Vec::<ThreadId>::new());
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .trajectories(n)
        .vary(|problem, _| {
            let mut makers = makers.lock().unwrap();
            let here = std::thread::current().id();
            if !makers.contains(&here) {
                makers.push(here);
            }
            problem
        });
    ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap();
    assert_eq!(*makers.lock().unwrap(), [std::thread::current().id()]);

    makers.lock().unwrap().clear();
    let three = EnsembleThreads.threads(3);
    ensemble.solve(Euler, &three, &steps()).unwrap();
    let mut own = Vec::new();
    let mut ids = |_| own = rayon::broadcast(|_| std::thread::current().id());
    three.capabilities().evaluate(&mut ids).unwrap();
    let makers = makers.lock().unwrap();
    assert!(!makers.is_empty() && makers.iter().all(|maker| own.contains(maker)));
}

/// A panic in the user's own function reaches the caller, wherever problems are evaluated.
#[test]
fn panics_reach_the_caller() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .trajectories(20_000)
        .vary(|problem, i| if i == 12_345 { panic!("no problem {i}") } else { problem });
    let panics = |place: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(place)).unwrap_err();
        panic.downcast_ref::<String>().cloned()
    };
    let serial = panics(&|| drop(ensemble.solve(Euler, EnsembleSerial, &steps())));
    assert_eq!(serial.as_deref(), Some("no problem 12345"));
    let three = EnsembleThreads.threads(3);
    let threads = panics(&|| drop(ensemble.solve(Euler, &three, &steps())));
    assert_eq!(threads.as_deref(), Some("no problem 12345"));
    // The threads continue to run.
    let healthy = ensemble.vary(|problem, _| problem);
    assert!(healthy.solve(Euler, &three, &steps()).is_ok());
}

/// A backend that returns one number too few.
struct Careless;

impl EnsembleAlgorithm for Careless {
    type Compiled = backend::OneLane;

    fn capabilities(&self) -> Capabilities<'_> {
        EnsembleSerial.capabilities()
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        match request {
            Request::Double(Job::Solve(job)) => {
                let sink = &mut Losing(job.sink);
                EnsembleSerial.run(Request::Double(Job::Solve(SolveJob { sink, ..job })))
            }
            request => EnsembleSerial.run(request),
        }
    }
}

/// Forwards all results except one number.
struct Losing<'a>(&'a mut dyn ResultSink<f64>);

impl ResultSink<f64> for Losing<'_> {
    fn store(
        &mut self,
        batch: InputRange<'_, f64>,
        results: &mut RawResults<f64>,
    ) -> Result<ControlFlow<()>, SolveError> {
        results.finals.fit(results.finals.len() - 1)?;
        self.0.store(batch, results)
    }
}

/// A backend that requests the text of kernels, and solves on the CPU.
///
/// It may omit the evaluation of the problems.
struct Confused {
    forgets: bool,
}

/// A pool that never calls the closure.
impl EvaluationPool for Confused {
    fn install(&self, _: &mut (dyn FnMut() + Send)) -> Result<(), SolveError> {
        Ok(())
    }
}

impl EnsembleAlgorithm for Confused {
    type Compiled = backend::Text;

    fn capabilities(&self) -> Capabilities<'_> {
        match self.forgets {
            true => Capabilities { evaluation: Evaluator::Own(self), ..Capabilities::default() },
            false => EnsembleSerial.capabilities(),
        }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        EnsembleSerial.run(request)
    }
}

#[test]
fn problems_that_were_not_evaluated_are_an_error() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS));
    let error = ensemble.solve(Euler, Confused { forgets: true }, &steps()).unwrap_err();
    assert!(matches!(error, SolveError::NotPrepared), "{error}");
}

#[test]
fn a_place_without_code_for_the_cpu_cannot_solve_there() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS));
    let error = ensemble.solve(Euler, Confused { forgets: false }, &steps()).unwrap_err();
    let expected = SolveError::TextOnly { system: "hunting", method: "Euler" };
    assert_eq!(error.to_string(), expected.to_string());
}

/// Backends are values: one that is chosen at run time gives the same bits.
#[test]
fn places_are_interchangeable() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .trajectories(37)
        .vary(|problem, i| problem.with_u0([1.0 + i as f64, 2.0]));
    let expected = ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap();
    let threads = EnsembleThreads::new().threads(2);
    let places: [Box<dyn EnsembleAlgorithm>; 3] =
        [Box::new(EnsembleSerial), Box::new(threads.clone()), Box::new(&threads)];
    for place in &places {
        let solution = ensemble.solve(Euler, place, &steps()).unwrap();
        assert_eq!(solution.final_states(), expected.final_states());
        let place: &dyn EnsembleAlgorithm = place;
        let solution = ensemble.solve(Euler, place, &steps()).unwrap();
        assert_eq!(solution.final_states(), expected.final_states());
    }
}

#[test]
fn results_of_the_wrong_size_are_an_error() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS));
    let error = ensemble.solve(Euler, Careless, &steps()).unwrap_err();
    assert!(
        matches!(error, SolveError::Results { what: "finals", given: 1, expected: 2 }),
        "{error}"
    );
}

/// A backend that solves none of the trajectories, only two of them, or all of them twice.
struct Uneven(&'static str);

impl EnsembleAlgorithm for Uneven {
    type Compiled = backend::OneLane;

    fn capabilities(&self) -> Capabilities<'_> {
        EnsembleSerial.capabilities()
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        let job = match request {
            Request::Double(Job::Solve(job)) => job,
            request => return EnsembleSerial.run(request),
        };
        let two = job.inputs.all().split(2).0.to_inputs()?;
        let runs = match self.0 {
            "none" => Vec::new(),
            "two" => vec![&two],
            _ => vec![job.inputs, job.inputs],
        };
        for inputs in runs {
            let job = SolveJob { inputs, sink: &mut *job.sink, ..job };
            run_job(&EnsembleSerial, Job::Solve(job))?;
        }
        let backend = Backend::Other { name: "uneven".to_owned() };
        Ok(RunReport::new(backend, Timings::default()))
    }
}

/// Neither a solution nor a sink receives too few or too many trajectories without an error.
#[test]
fn skipped_and_repeated_trajectories_are_errors() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .trajectories(5);
    let solve = |runs| ensemble.solve(Euler, Uneven(runs), &steps()).unwrap_err();
    let into = |runs, enough| {
        let mut sums = Sums { enough, ..Sums::by(2) };
        let end = ensemble.solve_into(Euler, Uneven(runs), &steps(), &mut sums);
        (end.err(), sums.sums.len())
    };
    for (error, stored) in [(Some(solve("none")), 0), into("none", 9), into("two", 9)] {
        assert!(
            matches!(
                error,
                Some(SolveError::Results { what: "trajectories", given, expected: 5 })
                    if given == 2 * stored
            ),
            "{error:?}"
        );
    }
    let wrong = |error: Option<SolveError>, batch: Range<u64>, next: Range<u64>| match error {
        Some(SolveError::Batch { given, expected }) => assert_eq!((given, expected), (batch, next)),
        error => panic!("{error:?}"),
    };
    wrong(Some(solve("two")), 0..2, 0..5);
    wrong(Some(solve("twice")), 0..5, 5..5);
    let (error, stored) = into("twice", 9);
    wrong(error, 0..2, 5..5);
    assert_eq!(stored, 3);
    // A sink that has enough needs no further batch.
    assert!(matches!(into("two", 1), (None, 1)));
}

/// 800 TB of times are an error before the first time is computed.
#[test]
fn times_that_do_not_fit_are_an_error() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(hunting, STATE, 0.0..=1.0, PARAMETERS))
        .trajectories(1_000_000)
        .vary(|problem, i| problem.with_tspan((0.0, 1.0 + i as f64 * 1e-9)));
    let error = ensemble.solve(Euler, EnsembleSerial, &steps().saveat(1.0001e-8)).unwrap_err();
    let SolveError::OutOfMemory { bytes, memory: Memory::Host } = error else { panic!("{error}") };
    assert!((799e12..801e12).contains(&(bytes as f64)), "{bytes}");
}

fn trajectories<F: Vary<hunting::Model, f64, 2, 2>>(
    ensemble: &EnsembleProblem<hunting::Model, f64, F, 2, 2>,
) -> Vec<([f64; 2], [f64; 2])> {
    let solution = ensemble.solve(Euler, EnsembleSerial, &steps()).unwrap();
    let numbers = |of: Trajectory<'_, hunting::Model, f64, 2, 2>| (of.u0().into(), of.p().into());
    (&solution).into_iter().map(numbers).collect()
}
