//! Trainings that are interrupted, and continue from a file.

use crate::learnt::{decay, items};
use core::ops::ControlFlow;
use odes::backend::EnsembleAlgorithm;
use odes::gradient::{Adam, CheckpointError, EnsembleLoss, Lbfgs, Optimiser, Sgd, Train, Trained};
use odes::methods::Bs3;
use odes::prelude::*;
use std::path::PathBuf;

/// A file that is removed at the end of the test.
struct File(PathBuf);

impl File {
    fn new(name: &str) -> Self {
        let file = format!("odes-{name}-{}.checkpoint", std::process::id());
        File(std::env::temp_dir().join(file))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

type Loss = decay::EnsembleLoss;
type Training<'e> = Train<'e, decay::EnsembleLoss>;

fn loss() -> Loss {
    EnsembleLoss::new(decay, 0.0..=1.0, items())
}

fn training<'e>(loss: &'e Loss, optimiser: &str) -> Training<'e> {
    let training = Train::new(loss, [3.0, 1.0]).iterations(30);
    match optimiser {
        "Adam" => training.adam(0.1).minibatch(30).seed(4),
        "AdamW" => training.adam_w(0.1),
        "Sgd" => training.optimiser(Sgd::new(1e-6).momentum(0.5)),
        _ => training.lbfgs(),
    }
}

fn run(
    training: Training<'_>,
    place: impl EnsembleAlgorithm,
) -> Result<Trained<decay::Theta>, SolveError> {
    training.run(Tsit5, place, &SolveOptions::default().saveat(0.1).tolerance(1e-6))
}

fn bits(trained: &Trained<decay::Theta>) -> Vec<u64> {
    let Trained { theta, last, losses, loss, .. } = trained;
    let thetas = [theta.start, theta.rate, last.start, last.rate, *loss];
    losses.iter().chain(&thetas).map(|number| number.to_bits()).collect()
}

#[test]
fn a_training_goes_on_with_the_same_bits() {
    let loss = loss();
    for optimiser in ["Adam", "AdamW", "Sgd", "Lbfgs"] {
        let whole = run(training(&loss, optimiser), EnsembleSerial).unwrap();
        let file = File::new(optimiser);
        // The callback or the number of iterations stops the training every few iterations; it then
        // continues on another backend.
        let mut seen = 0;
        for until in [0, 1, 2, 3, 7, 12] {
            let watch = |step: &odes::gradient::Progress<decay::Theta>| {
                assert!(step.iteration >= seen, "{optimiser} began anew");
                match step.iteration < until {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            };
            let part = training(&loss, optimiser).checkpoint(&file.0);
            let part = match until % 2 {
                0 => run(part.on_step(watch), EnsembleThreads),
                _ => run(part.iterations(until), EnsembleThreads.threads(2)),
            };
            let part = part.unwrap();
            seen = until;
            assert_eq!(part.losses[..until], whole.losses[..until], "{optimiser} {until}");
        }
        let resumed = run(training(&loss, optimiser).checkpoint(&file.0), EnsembleThreads).unwrap();
        assert_eq!(bits(&resumed), bits(&whole), "{optimiser}");
        // A finished training is read from the file; nothing is computed.
        let again = training(&loss, optimiser).checkpoint(&file.0);
        let again =
            run(again.on_step(|step| assert!(step.iteration > 30)), EnsembleThreads).unwrap();
        assert_eq!(bits(&again), bits(&whole), "{optimiser}");
        // Fewer iterations than the file's return all of them.
        let fewer = training(&loss, optimiser).iterations(2).checkpoint(&file.0);
        let fewer = run(fewer, EnsembleThreads).unwrap();
        assert_eq!(bits(&fewer), bits(&whole), "{optimiser}");
    }
}

#[test]
fn files_of_others_are_refused_by_what_differs() {
    let loss = loss();
    let file = File::new("foreign");
    let ten = || training(&loss, "AdamW").iterations(10).checkpoint(&file.0);
    run(ten(), EnsembleThreads).unwrap();
    let refused = |training: Training<'_>, expected: &str| match run(training, EnsembleThreads) {
        Err(SolveError::Checkpoint(CheckpointError::Foreign { what, .. })) => {
            assert_eq!(what, expected);
        }
        other => panic!("{other:?} where {expected} differs"),
    };
    refused(ten().adam(0.1), "optimiser");
    refused(ten().adam_w(0.2), "optimiser");
    refused(ten().optimiser(Lbfgs::new().memory(3)), "optimiser");
    refused(ten().seed(1), "minibatch");
    refused(ten().minibatch(50), "minibatch");
    refused(Train::new(&loss, [3.0, 2.0]).adam_w(0.1).checkpoint(&file.0), "beginning");
    let fewer = EnsembleLoss::new(decay, 0.0..=1.0, items().take(99));
    refused(Train::new(&fewer, [3.0, 1.0]).adam_w(0.1).checkpoint(&file.0), "trajectories");
    let longer = EnsembleLoss::new(decay, 0.0..=1.1, items());
    refused(Train::new(&longer, [3.0, 1.0]).adam_w(0.1).checkpoint(&file.0), "trajectories");
    let looser = SolveOptions::default().saveat(0.1).tolerance(1e-6).reltol(1e-5);
    let error = ten().run(Tsit5, EnsembleThreads, &looser).unwrap_err();
    let text = error.to_string();
    let differs = "its reltol is `1e-6`, and this training has `1e-5`";
    assert!(text.contains(differs) && !text.contains("SolveOptions"), "{text}");
    let error = ten().run(Bs3, EnsembleSerial, &looser).unwrap_err();
    assert!(
        error.to_string().contains("its method is `Tsit5`, and this training has `Bs3`"),
        "{error}"
    );
    // None of these trainings changed the file.
    run(ten(), EnsembleThreads).unwrap();
}

#[test]
fn damage_is_seen() {
    let loss = loss();
    let file = File::new("damaged");
    let training = || training(&loss, "Adam").checkpoint(&file.0);
    run(training().iterations(5), EnsembleThreads).unwrap();
    let whole = std::fs::read(&file.0).unwrap();
    let length = whole.len();
    let mut changed = whole.clone();
    let digit = length - 120;
    changed[digit] = if changed[digit] == b'1' { b'2' } else { b'1' };
    let cases = [&whole[..0], &whole[..length / 2], &whole[..length - 5], &changed, &[0xff; 99]];
    for damaged in cases {
        std::fs::write(&file.0, damaged).unwrap();
        let error = run(training(), EnsembleThreads).unwrap_err();
        let SolveError::Checkpoint(CheckpointError::Damaged { path }) = &error else {
            panic!("{error}");
        };
        assert_eq!(*path, file.0);
    }
    std::fs::write(&file.0, whole).unwrap();
    run(training(), EnsembleThreads).unwrap();

    let nowhere = Train::new(&loss, [3.0, 1.0]).checkpoint("/nonexistent/a/training");
    let error = run(nowhere.iterations(1), EnsembleThreads).unwrap_err();
    assert!(error.to_string().contains("cannot be written"), "{error}");
}

/// A program's own optimiser is stored with its own state.
#[test]
fn an_optimiser_of_ones_own_is_kept() {
    struct Halved(Adam);
    impl core::fmt::Debug for Halved {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            write!(f, " half of\n{:#?}", self.0)
        }
    }
    impl Optimiser for Halved {
        fn step(
            &mut self,
            theta: &mut [f64],
            found: &odes::gradient::Evaluation<'_>,
        ) -> ControlFlow<()> {
            let half: Vec<f64> = found.gradient.iter().map(|number| 0.5 * number).collect();
            self.0.step(theta, &odes::gradient::Evaluation { gradient: &half, ..*found })
        }
        fn state(&self) -> Vec<Vec<f64>> {
            self.0.state()
        }
        fn restore(&mut self, state: &[Vec<f64>]) -> bool {
            self.0.restore(state)
        }
    }
    let loss = loss();
    let file = File::new("own");
    let own = || Train::new(&loss, [3.0, 1.0]).optimiser(Halved(Adam::new(0.1))).iterations(9);
    let whole = run(own(), EnsembleThreads).unwrap();
    run(own().iterations(4).checkpoint(&file.0), EnsembleThreads).unwrap();
    let resumed = run(own().checkpoint(&file.0), EnsembleThreads).unwrap();
    assert_eq!(bits(&resumed), bits(&whole));
}
