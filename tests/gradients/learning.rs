//! Training: the example of DiffEqGPU.jl's documentation of data-parallel training.

use crate::cpp::HostCpp;
use crate::gpu::gpu;
use crate::known;
use crate::learnt::{decay, items};
use odes::SolveError;
use odes::gradient::{EnsembleLoss, Train};
use odes::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn options() -> SolveOptions {
    SolveOptions::default().saveat(0.1).tolerance(1e-12)
}

/// The loss and the parameters before gradient `k`.
///
/// They are from the exact solution by complex steps, with Adam of 0.1 from (3, 1).
const KNOWN: [(usize, f64, [f64; 2]); 5] = [
    (1, 11050.12434860808, [3.0, 1.0]),
    (2, 8616.040485133192, [2.9, 0.9]),
    (10, 1210.801457917199, [2.175115902559014, 0.2026731518303722]),
    (50, 139.3164232674579, [1.057601722195657, -0.6036516494550175]),
    (100, 109.8652112814184, [1.094119955792198, -0.4117801329368498]),
];

fn close(found: f64, expected: f64, tolerance: f64) {
    known::close(&[found], &[expected], tolerance);
}

/// Items may be rows of numbers, as in a file.
#[test]
fn items_may_be_rows() {
    let at = decay::Theta { start: 2.0, rate: 0.5 };
    let gradient =
        |loss: decay::EnsembleLoss| loss.gradient(Tsit5, EnsembleSerial, &options(), at).unwrap();
    let rows = gradient(EnsembleLoss::new(decay, 0.0..=1.0, vec![[0.5], [2.0]]));
    let items = [0.5, 2.0].map(|scale| decay::Item { scale });
    let items = gradient(EnsembleLoss::new(decay, 0.0..=1.0, items));
    let numbers = |of: decay::Theta| [of.start, of.rate];
    assert_eq!((rows.loss, numbers(rows.theta)), (items.loss, numbers(items.theta)));
    // The loss equals the loss of all gradients of ensembles.
    assert_eq!(rows.loss, rows.trajectories().loss());
}

#[test]
fn the_seeds_training_is_known() {
    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let theta = decay::Theta { start: 3.0, rate: 1.0 };
    let first = loss.gradient(Tsit5, EnsembleSerial, &options(), theta).unwrap();
    close(first.loss, KNOWN[0].1, 1e-9);
    close(first.theta.start, 7379.51845938, 1e-9);
    close(first.theta.rate, 19855.6173297, 1e-9);
    assert_eq!(first.failed, 0);
    // Each trajectory contributes its own gradient.
    let parts: f64 = (0..100).map(|i| first.of(i).rate).sum();
    close(parts, first.theta.rate, 1e-12);

    let mut seen = Vec::new();
    let trained = Train::new(&loss, theta)
        .adam(0.1)
        .iterations(100)
        .on_step(|step| seen.push((step.loss, step.theta)))
        .run(Tsit5, EnsembleSerial, &options())
        .unwrap();
    for (k, loss, [start, rate]) in KNOWN {
        let (found, theta) = seen[k - 1];
        close(found, loss, 1e-9);
        close(theta.start, start, 1e-8);
        close(theta.rate, rate, 1e-8);
    }
    assert_eq!(trained.losses.len(), 100);
    // The last point is not the best of these.
    close(trained.theta.start, KNOWN[4].2[0], 1e-8);
    close(trained.last.start, 1.093136237875595, 1e-8);
    close(trained.last.rate, -0.4077583695755574, 1e-8);
}

/// A training without any loss has no result; one trajectory with a loss is enough.
#[test]
fn a_training_of_failures_alone_is_an_error() {
    let trained = |good: usize, minibatch: usize| {
        let scale = |i: usize| if i < good { 0.5 } else { f64::NAN };
        let items = (0..6).map(|i| decay::Item { scale: scale(i) });
        let loss = EnsembleLoss::new(decay, 0.0..=1.0, items);
        let train = Train::new(&loss, [3.0, 1.0]).iterations(6).minibatch(minibatch);
        train.run(Tsit5, EnsembleSerial, &options())
    };
    for (minibatch, each) in [(100, 6), (2, 2)] {
        let error = trained(0, minibatch).err().unwrap();
        assert!(
            matches!(error, SolveError::NothingLearnt { trajectories, iterations: 6 } if trajectories == each),
            "{error}"
        );
    }
    let one = trained(1, 100).unwrap();
    assert!(one.failed == 5 && one.loss > 0.0, "{one:?}");
    // In a batch of two, at most one trajectory has a loss.
    let one = trained(1, 2).unwrap();
    assert!(one.failed == 1 && one.loss > 0.0, "{one:?}");
}

/// Options with which no training succeeds are errors before the first gradient.
#[test]
fn settings_of_trainings_are_checked() {
    use core::ops::ControlFlow;
    use odes::gradient::{Adam, AdamW, Lbfgs, Sgd};

    fn refused(training: Train<'_, decay::EnsembleLoss>, text: &str) {
        let training = training.on_step(|_| -> ControlFlow<()> { panic!("a gradient") });
        let error = training.run(Tsit5, EnsembleSerial, &options()).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
    }
    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let train = || Train::new(&loss, [3.0, 1.0]);
    refused(train().adam(f64::NAN), "the rate of Adam is NaN; it must be finite");
    let adam = |change: fn(&mut Adam), text: &str| {
        let mut adam = Adam::new(0.1);
        change(&mut adam);
        refused(train().optimiser(adam), text);
    };
    adam(|adam| adam.beta1 = 1.0, "beta1 of Adam is 1; it must be at least 0 and below 1");
    adam(|adam| adam.beta2 = -0.5, "beta2 of Adam is -0.5; ");
    adam(|adam| adam.epsilon = -1.0, "epsilon of Adam is -1; ");
    refused(train().adam_w(-0.1), "the rate of Adam is -0.1; ");
    let decaying = AdamW { decay: f64::NAN, ..AdamW::new(0.1) };
    refused(train().optimiser(decaying), "the decay of AdamW is NaN; ");
    refused(train().sgd(f64::INFINITY), "the rate of Sgd is inf; ");
    refused(train().optimiser(Sgd::new(0.1).momentum(1.5)), "the momentum of Sgd is 1.5; ");
    let mut line = Lbfgs::new();
    line.decrease = -1.0;
    refused(train().optimiser(line), "`decrease` of Lbfgs is -1; ");
    refused(train().minibatch(0), "the size of minibatches is 0; it must be at least 1");
    let begin = |theta: [f64; 2]| Train::new(&loss, theta);
    refused(
        begin([3.0, f64::NAN]),
        "rate is NaN; a training begins at a `Theta` of finite numbers",
    );
    refused(begin([f64::NEG_INFINITY, 1.0]), "start is -inf; ");
}

/// Equal bits on threads, in all lanes, and in batches of any size.
#[test]
fn places_train_alike() {
    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let theta = decay::Theta { start: 3.0, rate: 1.0 };
    let options = SolveOptions::default().saveat(0.1).tolerance(1e-6);
    fn train(
        place: impl odes::backend::EnsembleAlgorithm,
        loss: &decay::EnsembleLoss,
        theta: decay::Theta,
        options: &SolveOptions,
    ) -> Vec<u64> {
        let trained =
            Train::new(loss, theta).adam(0.1).iterations(20).run(Tsit5, place, options).unwrap();
        let [start, rate]: [f64; 2] = trained.theta.into();
        trained.losses.iter().chain(&[start, rate]).map(|number| number.to_bits()).collect()
    }
    let serial = train(EnsembleSerial, &loss, theta, &options);
    for set in odes::backend::InstructionSet::available() {
        for batch in [1, 7, 100] {
            let threads = EnsembleThreads.threads(2).instructions(set).batch(batch);
            assert_eq!(train(threads, &loss, theta, &options), serial, "{set:?} {batch}");
        }
    }
    if let Some(cpp) = HostCpp::find() {
        assert_eq!(train(cpp, &loss, theta, &options), serial, "C++");
    }
    if let Some(gpu) = gpu() {
        for batch in [7, 100] {
            let gpu = gpu.clone().batch(batch);
            assert_eq!(train(gpu, &loss, theta, &options), serial, "GPU, {batch}");
        }
    }
}

#[test]
fn a_training_stops_when_told_and_takes_minibatches() {
    use core::ops::ControlFlow;

    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let theta = [3.0, 1.0];
    let trained = Train::new(&loss, theta)
        .adam(0.1)
        .on_step(|step| match step.loss < 5000.0 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
        .run(Tsit5, EnsembleThreads, &options())
        .unwrap();
    assert!(trained.losses.len() < 10 && *trained.losses.last().unwrap() < 5000.0);

    let batched = Train::new(&loss, theta).adam(0.1).iterations(40).minibatch(25).seed(3);
    let batched = batched.run(Tsit5, EnsembleThreads, &options()).unwrap();
    let whole = loss.gradient(Tsit5, EnsembleThreads, &options(), batched.last).unwrap();
    assert!(whole.loss < 1000.0, "{}", whole.loss);
    // The four batches of a pass contain all trajectories.
    let pass = Train::new(&loss, theta).sgd(0.0).iterations(4).minibatch(25).seed(3);
    let pass = pass.run(Tsit5, EnsembleThreads, &options()).unwrap();
    close(pass.losses.iter().sum(), KNOWN[0].1, 1e-9);
}

/// A trajectory that fails does not contribute to the loss, and changes no other one.
#[test]
fn failures_count_for_nothing() {
    let good = EnsembleLoss::new(decay, 0.0..=1.0, items().take(10));
    let poisoned = items().take(10).chain([decay::Item { scale: f64::NAN }]);
    let poisoned = EnsembleLoss::new(decay, 0.0..=1.0, poisoned);
    let theta = [3.0, 1.0];
    let [a, b] = [good, poisoned]
        .map(|loss| loss.gradient(Tsit5, EnsembleThreads, &options(), theta).unwrap());
    assert_eq!((a.failed, b.failed), (0, 1));
    assert_eq!(a.loss, b.loss);
    assert_eq!(a.theta, b.theta);
    let b = b.trajectories();
    assert_eq!((b.losses()[10], b.u0(10), b.p(10)), (0.0, [0.0], [0.0]));
}

/// A loss without saved times would train nothing, so it is an error.
#[test]
fn a_loss_at_no_saved_times_is_refused() {
    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let nowhere = SolveOptions::default();
    let error = loss.gradient(Tsit5, EnsembleThreads, &nowhere, [3.0, 1.0]).unwrap_err();
    assert!(error.to_string().contains("`saveat([t1])`"), "{error}");
}

/// A loss has items, so its error does not advise to set a number of trajectories.
#[test]
fn a_loss_without_items_is_an_error() {
    let theta = [3.0, 1.0];
    let full = EnsembleLoss::new(decay, 0.0..=1.0, items());
    for empty in [EnsembleLoss::new(decay, 0.0..=1.0, items().take(0)), full.of(&[])] {
        let by_gradient = empty.gradient(Tsit5, EnsembleSerial, &options(), theta).err();
        let by_training = Train::new(&empty, theta).run(Tsit5, EnsembleSerial, &options()).err();
        for error in [by_gradient, by_training].map(Option::unwrap) {
            assert!(matches!(error, SolveError::NoItems), "{error}");
        }
    }
}

/// Without a gradient there is no loss.
#[test]
fn a_training_of_no_iterations_returns_its_beginning() {
    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let training = Train::new(&loss, [3.0, 1.0]).iterations(0);
    let trained = training.run(Tsit5, EnsembleSerial, &options()).unwrap();
    assert!(trained.loss.is_nan() && trained.losses.is_empty());
    assert_eq!([trained.theta.start, trained.last.rate], [3.0, 1.0]);
}

/// Every function of one trajectory has the same message for a wrong index.
#[test]
fn indices_of_missing_trajectories_are_named() {
    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items().take(3));
    let gradient = loss.gradient(Tsit5, EnsembleSerial, &options(), [3.0, 1.0]).unwrap();
    let ensemble = loss.ensemble([3.0, 1.0]);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options()).unwrap();
    let each = gradient.trajectories();
    let panics = |owner: &str, read: &dyn Fn()| {
        let panic = catch_unwind(AssertUnwindSafe(read)).unwrap_err();
        let text = panic.downcast_ref::<String>().unwrap();
        assert_eq!(*text, format!("there is no trajectory 7: the {owner} has 3"));
    };
    panics("gradient", &|| _ = each.u0(7));
    panics("gradient", &|| _ = each.p(7));
    panics("gradient", &|| _ = each.code(7));
    panics("gradient", &|| _ = each.accepted(7));
    panics("gradient", &|| _ = gradient.of(7));
    panics("loss", &|| _ = loss.of(&[0, 7]));
    panics("solution", &|| _ = solution.trajectory(7));
    panics("solution", &|| _ = solution.final_state(7));
    panics("solution", &|| _ = solution.code(7));
}

/// Returns the derivatives of the loss by the exact solution.
fn exact_gradient([start, rate]: [f64; 2]) -> [f64; 2] {
    let mut gradient = [0.0; 2];
    for i in 1..=100 {
        for k in 0..=10 {
            let (scale, t) = (f64::from(i) / 100.0, f64::from(k) / 10.0);
            let growth = (1.01 * rate * t).exp();
            let u = (0.5 + scale * start) * growth;
            gradient[0] += -2.0 * (1.0 - u) * scale * growth;
            gradient[1] += -2.0 * (1.0 - u) * 1.01 * t * u;
        }
    }
    gradient
}

/// L-BFGS finds a point at which the exact gradient is zero, to the tolerance.
///
/// It needs fewer gradients than Adam needs to come near that point.
#[test]
fn lbfgs_ends_at_a_minimum() {
    let loss = EnsembleLoss::new(decay, 0.0..=1.0, items());
    let training = || Train::new(&loss, [3.0, 1.0]).iterations(200);
    let trained = training().lbfgs().run(Tsit5, EnsembleThreads, &options()).unwrap();
    assert!(trained.converged && trained.losses.len() < 60, "{trained:?}");
    let exact = exact_gradient(trained.theta.into());
    assert!(exact.iter().all(|number| number.abs() < 1e-5), "{exact:?} {trained:?}");
    let adam = training().adam(0.1).run(Tsit5, EnsembleThreads, &options()).unwrap();
    assert!(adam.loss > trained.loss && !adam.converged);

    let error = training().lbfgs().minibatch(10).run(Tsit5, EnsembleThreads, &options());
    assert!(error.unwrap_err().to_string().contains("`.adam(rate)`"));
}
