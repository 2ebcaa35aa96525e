//! An error in a module is the only one, though the program trains it.
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
        u.u * u.u;
    }
}

#[ode_system(gradients = "on")]
fn unknown(u: &[f64; 1]) -> [f64; 1] {
    [-v[0]]
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
