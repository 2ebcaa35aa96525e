// Programs that solve systems, outside of right-hand sides.

//# axes
use odes::prelude::*;
use odes::sweep::Axis;

fn main() {
    let _ = Axis::p("rate", 0.0..=1.0);
//~                         ^^^^^^^^^
//~ error[E0277]: `std::ops::RangeInclusive<f64>` is not a list of values along an axis
    let _ = Axis::p("rate", 2.0);
//~                         ^^^
//~ error[E0277]: `{float}` is not a list of values along an axis
    let _ = Axis::u0(0, [1, 2]);
//~                     ^^^^^^
//~ error[E0277]: `[{integer}; 2]` is not a list of values along an axis
}

//# learning
//! An error in a module is the only one, though the program trains it.
use odes::gradient::{EnsembleLoss, Train};
use odes::prelude::*;

#[ode_system]
mod two_losses {
    pub struct Theta {
        pub rate: f64,
    }
    pub struct Item {
        pub start: f64,
    }
    pub struct State {
        pub u: f64,
    }
    pub struct Parameters {
        pub rate: f64,
    }

    fn initial(_: &Theta, item: &Item) -> State {
        State { u: item.start }
    }

    fn parameters(theta: &Theta) -> Parameters {
        Parameters { rate: theta.rate }
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { u: -p.rate * u.u }
    }

    #[loss]
    fn square(u: &State) -> f64 {
        u.u * u.u
    }

    #[loss]
    fn fourth(u: &State) -> f64 {
//~    ^^^^^^
//~ error: a system has only one loss: remove `#[loss]` from both functions, and add their values in
//~ a third function with `#[loss]`
        u.u.powi(4)
    }
}

#[ode_system]
mod loss_of_data {
    pub struct Theta {
        pub rate: f64,
    }
    pub struct Item {
        pub start: f64,
        pub end: f64,
    }
    pub struct State {
        pub u: f64,
    }
    pub struct Parameters {
        pub rate: f64,
    }

    fn initial(_: &Theta, item: &Item) -> State {
        State { u: item.start }
    }

    fn parameters(theta: &Theta) -> Parameters {
        Parameters { rate: theta.rate }
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { u: -p.rate * u.u }
    }

    #[loss]
    fn misfit(u: &State, item: &Item) -> f64 {
//~                             ^^^^
//~ error: a loss depends only on the state, the parameters and the time: make other data a field of
//~ the parameters, which `fn parameters` computes from the learnt parameters and the data of the
//~ trajectory
        u.u
    }
}

#[ode_system]
mod one_function {
    pub struct Theta {
        pub rate: f64,
    }
    pub struct Item {
        pub start: f64,
    }
    pub struct State {
        pub u: f64,
    }
    pub struct Parameters {
        pub rate: f64,
    }

    fn initial(_: &Theta, item: &Item) -> State {
//~    ^^^^^^^
//~ error: two functions compute the initial state and the parameters of each trajectory from the
//~ learnt parameters, and one of them is missing: write `fn parameters(theta: &Theta, item: &Item)
//~ -> Parameters` too, with arguments in this order
        State { u: item.start }
    }

    fn parameters(item: &Item, theta: &Theta) -> Parameters {
        Parameters { rate: theta.rate }
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { u: -p.rate * u.u }
    }

    #[loss]
    fn square(u: &State) -> f64 {
        u.u * u.u
    }
}

#[ode_system]
mod loss_of_nothing {
    pub struct State {
        pub u: f64,
    }

    fn rhs(u: &State) -> State {
        State { u: -u.u }
    }

    #[loss]
    fn square(u: &State) {
//~    ^^^^^^
//~ error: a loss must return its value: write `fn name(u: &State, p: &Parameters, t: f64) -> f64`
        u.u * u.u;
    }
}

#[ode_system(gradients = "on")]
fn unknown(u: &[f64; 1]) -> [f64; 1] {
    [-v[0]]
//~   ^
//~ error: cannot find the variable `v`: only arguments, variables and constants (in capitals) are
//~ visible in a right-hand side; declare it here by `let v = …`, make it a parameter, or use a
//~ constant `V`
}

fn main() -> Result<(), SolveError> {
    let options = SolveOptions::default().saveat(0.1);
    let items = [two_losses::Item { start: 1.0 }];
    let loss = EnsembleLoss::new(two_losses, 0.0..=1.0, items);
    let theta = two_losses::Theta { rate: 0.5 };
    println!("{:?}", loss.gradient(Tsit5, EnsembleThreads, &options, theta)?.of(0).rate);
    let trained = Train::new(&loss, theta).adam(0.1).run(Tsit5, EnsembleThreads, &options)?;
    println!("{}", trained.theta.rate);

    let items = [loss_of_data::Item { start: 1.0, end: 0.5 }];
    let loss = EnsembleLoss::new(loss_of_data, 0.0..=1.0, items);
    println!("{:?}", loss.gradient(Tsit5, EnsembleThreads, &options, [0.5])?.theta.rate);

    let items = [one_function::Item { start: 1.0 }];
    let loss = EnsembleLoss::new(one_function, 0.0..=1.0, items);
    println!("{:?}", loss.gradient(Tsit5, EnsembleThreads, &options, [0.5])?.theta.rate);

    let ensemble = EnsembleProblem::new(OdeProblem::new(unknown, [1.0], 0.0..=1.0, []));
    let by = odes::ndarray::Array2::ones((1, 1));
    println!("{:?}", ensemble.pull_back(Tsit5, EnsembleThreads, &options, by)?.u0(0));
    Ok(())
}

//# numbers
use odes::prelude::*;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() {
    OdeProblem::new(rotate, [1.0, 0.0, 0.0], 0.0..=1.0, [1.0]);
//~                         ^^^^^^^^^^^^^^^
//~ error[E0277]: `[{float}; 3]` is not 2 numbers of the precision of the problem
    OdeProblem::new(rotate, vec![1.0, 0.0], 0.0..=1.0, [1.0]);
//~                         ^^^^^^^^^^^^^^
//~ error[E0277]: `Vec<{float}>` is not 2 numbers of the precision of the problem
    OdeProblem::new(rotate, [1.0_f32, 0.0], 0.0..=1.0, [1.0]);
//~                         ^^^^^^^^^^^^^^
//~ error[E0277]: `[f32; 2]` is not 2 numbers of the precision of the problem
}

//# places
use odes::prelude::*;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() -> Result<(), SolveError> {
    let ensemble = EnsembleProblem::new(OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1.0, [1.0]));
    let options = SolveOptions::default();
    ensemble.solve(Tsit5, EnsembleGpuKernel::all(), &options)?;
//~                       ^^^^^^^^^^^^^^^^^^^^^^^^
//~ error[E0277]: `Result<odes::EnsembleGpuKernel, GpuError>` is not a backend for ensembles
    ensemble.solve(Tsit5, EnsembleGpuKernel::new(), &options)?;
//~                                          ^^^
//~ error[E0599]: no function or associated item named `new` found for struct
//~ `odes::EnsembleGpuKernel<C>` in the current scope
    ensemble.solve(Tsit5, Tsit5, &options)?;
//~                       ^^^^^
//~ error[E0277]: `odes::Tsit5` is not a backend for ensembles
    Ok(())
}

//# saves
use odes::prelude::*;

fn main() {
    let _ = SolveOptions::default().saveat(0.0..=10.0);
//~                                        ^^^^^^^^^^
//~ error[E0277]: `std::ops::RangeInclusive<f64>` is neither a spacing of saved times nor a list of
//~ times
    let _ = SolveOptions::default().saveat(1);
//~                                        ^
//~ error[E0277]: `{integer}` is neither a spacing of saved times nor a list of times
}

//# sealed
#[derive(Clone, Copy)]
struct Mine;

impl odes::internals::lane::WithSingle for Mine {}
//~ columns 1 to 47
//~ error[E0046]: not all trait items implemented, missing: `Mask`, `Single`, `bits_to_single`,
//~ `single_to_bits`, `to_single`, `from_single`, `single_mask`
//~                                        ^^^^
//~ error[E0277]: the trait bound `Mine: ode_core::sealed::Sealed` is not satisfied

//# spans
use odes::prelude::*;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() {
    OdeProblem::new(rotate, [1.0, 0.0], 10.0, [1.0]);
//~                                     ^^^^
//~ error[E0277]: `{float}` is not a time span of `f64`
    OdeProblem::new(rotate, [1.0, 0.0], 0..=10, [1.0]);
//~                                     ^^^^^^
//~ error[E0277]: `std::ops::RangeInclusive<{integer}>` is not a time span of `f64`
    OdeProblem::new(rotate, [1.0, 0.0], 0.0..=10.0_f32, [1.0]);
//~                                     ^^^^^^^^^^^^^^
//~ error[E0277]: `std::ops::RangeInclusive<f32>` is not a time span of `f64`
}

//# stops
use odes::prelude::*;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() {
    let _ = SolveOptions::default().tstops(50.0);
//~                                        ^^^^
//~ error[E0277]: `{float}` is not a list of times of type `f64`
    let _ = SolveOptions::default().tstops([1, 2]);
//~                                        ^^^^^^
//~ error[E0277]: `[{integer}; 2]` is not a list of times of type `f64`
    let ensemble = EnsembleProblem::new(OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1.0, [1.0]));
    let _ = ensemble.clone().tstops([0.25, 0.5]);
//~                                 ^^^^^^^^^^^
//~ error[E0277]: this does not compute the stop times of each trajectory
    let _ = ensemble.clone().tstops(|problem| [problem.p[0]]);
//~                          ^^^^^^
//~ error[E0593]: closure is expected to take 2 arguments, but it takes 1 argument
    let _ = ensemble.clone().tstops(|problem, _i| problem.p[0]);
//~         ^^^^^^^^^^^^^^^^
//~ error[E0277]: `f64` is not a list of times of type `f64`
    let _ = ensemble.clone().tstops(|_problem, i| [i]);
//~         ^^^^^^^^^^^^^^^^
//~ error[E0277]: `[usize; 1]` is not a list of times of type `f64`
}

//# varying
use odes::prelude::*;
use std::cell::RefCell;

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

fn main() {
    let problem = OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1.0, [1.0]);
    let rate = RefCell::new(1.0);
    let _ = EnsembleProblem::new(problem).trajectories(100).vary(|problem, _| {
//~ column 66 to column 5, 3 lines below
//~ error[E0277]: this does not compute the problem of each trajectory
        *rate.borrow_mut() *= 0.9;
        problem.with_p([*rate.borrow()])
    });
}

//# gradients
use odes::ndarray::Array2;
use odes::prelude::*;

#[ode_system]
fn decay(u: &[f64; 1]) -> [f64; 1] {
    [-u[0]]
}

fn main() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(decay, [1.0], 0.0..=1.0, []));
    let (by, options) = (Array2::ones((1, 1)), SolveOptions::default());
    let _ = ensemble.pull_back(Tsit5, EnsembleSerial, &options, by);
//~                  ^^^^^^^^^
//~ error[E0277]: this system has no gradients
}
