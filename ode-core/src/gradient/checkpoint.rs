//! The checkpoint of a training run: a file from which the run continues with the same bits.
//!
//! The file is text. Numbers have as many digits as exact parsing needs. A hash at the end detects
//! damage. The identity of the run precedes its state, so the error for the checkpoint of another
//! run can name the difference.

use crate::error::CheckpointError;
use crate::persist::{self, Difference};
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

/// Least time between two writes.
const PERIOD: Duration = Duration::from_secs(1);

/// The state of a training run between two iterations.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) theta: Vec<f64>,
    pub(super) best: Option<Best>,
    /// The losses of the iterations so far.
    pub(super) losses: Vec<f64>,
    pub(super) converged: bool,
    /// The memory of the optimiser.
    pub(super) memory: Vec<Vec<f64>>,
}

impl State {
    /// Returns the number of iterations and a hash of the state.
    pub(super) fn fingerprint(&self) -> String {
        let mut text = String::new();
        put(&mut text, self);
        let hash = blake3::hash(text.as_bytes()).to_hex();
        format!("{} iterations, {hash}", self.losses.len())
    }
}

/// The best point so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Best {
    pub(super) failed: usize,
    pub(super) loss: f64,
    pub(super) theta: Vec<f64>,
}

/// The checkpoint file of a training run.
#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
    /// The identity of the run, as lines.
    identity: String,
    written: Option<Instant>,
}

impl Checkpoint {
    /// Creates the checkpoint of the run with these names and values.
    pub(super) fn new(path: PathBuf, identity: &[(&'static str, String)]) -> Self {
        let identity = persist::lines(identity);
        Checkpoint { path, identity, written: None }
    }

    /// Returns the state in the file, if the file exists.
    pub(super) fn read(&self) -> Result<Option<State>, CheckpointError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => return Err(self.damaged()),
            Err(error) => return Err(self.failed("read", error)),
        };
        let lines = persist::without_hash(&text).map_err(|_| self.damaged())?;
        if let Some(Difference { name, theirs, ours }) = persist::difference(&self.identity, lines)
        {
            let (path, what, found, expected) = (self.path.clone(), name, theirs, ours);
            return Err(CheckpointError::Foreign { path, what, found, expected });
        }
        state(lines.lines().skip(self.identity.lines().count()))
            .map(Some)
            .ok_or_else(|| self.damaged())
    }

    /// Returns whether to write: the last write was long enough ago, or this is the `last` one.
    pub(super) fn due(&self, last: bool) -> bool {
        last || self.written.is_none_or(|written| written.elapsed() >= PERIOD)
    }

    /// Writes `state`.
    pub(super) fn write(&mut self, state: &State) -> Result<(), CheckpointError> {
        let mut text = self.identity.clone();
        put(&mut text, state);
        let text = persist::with_hash(text);
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let written = persist::replace(&self.path, folder, &[text.as_bytes()]);
        written.map_err(|error| self.failed("written", error))?;
        self.written = Some(Instant::now());
        Ok(())
    }

    /// Returns the error for a file with a state that does not fit this optimiser.
    pub(super) fn damaged(&self) -> CheckpointError {
        CheckpointError::Damaged { path: self.path.clone() }
    }

    fn failed(&self, done: &'static str, error: io::Error) -> CheckpointError {
        CheckpointError::File { path: self.path.clone(), done, error: error.into() }
    }
}

fn put(text: &mut String, state: &State) {
    let State { theta, best, losses, converged, memory } = state;
    let mut row = |name: &str, numbers: &[f64]| {
        text.push_str(name);
        for number in numbers {
            let _ = write!(text, " {number:?}");
        }
        text.push('\n');
    };
    row("theta", theta);
    row("losses", losses);
    row("converged", &[f64::from(u8::from(*converged))]);
    if let Some(Best { failed, loss, theta }) = best {
        row("best", &[*failed as f64, *loss]);
        row("there", theta);
    } else {
        row("best", &[]);
        row("there", &[]);
    }
    memory.iter().for_each(|numbers| row("memory", numbers));
}

fn state<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<State> {
    let mut row = |name: &str| -> Option<Vec<f64>> {
        let numbers = lines.next()?.strip_prefix(name)?;
        numbers.split_whitespace().map(|number| number.parse().ok()).collect()
    };
    let theta = row("theta")?;
    let losses = row("losses")?;
    let converged = row("converged")? == [1.0];
    let (best, theta_of_best) = (row("best")?, row("there")?);
    let best = match *best {
        [failed, loss] => Some(Best { failed: failed as usize, loss, theta: theta_of_best }),
        _ => None,
    };
    let mut memory = Vec::new();
    while let Some(numbers) = row("memory") {
        memory.push(numbers);
    }
    Some(State { theta, best, losses, converged, memory })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_exactly() {
        let hard = [0.1 + 0.2, -0.0, 5e-324, f64::MAX, f64::INFINITY, 1.0 / 3.0];
        let best = Best { failed: 3, loss: 1e-300, theta: vec![0.7; 2] };
        for best in [None, Some(best)] {
            let (theta, memory) = (hard.to_vec(), vec![hard.to_vec(), vec![], vec![1e22]]);
            let losses = hard.to_vec();
            let expected = State { theta, best, losses, converged: true, memory };
            let mut text = String::new();
            put(&mut text, &expected);
            let found = state(text.lines()).unwrap();
            assert_eq!(found, expected);
            assert!(found.theta[1].is_sign_negative());
        }
        let mut text = String::new();
        let empty = State {
            theta: vec![f64::NAN],
            best: None,
            losses: vec![],
            converged: false,
            memory: vec![],
        };
        put(&mut text, &empty);
        assert!(state(text.lines()).unwrap().theta[0].is_nan());
        assert_eq!(state("theta 1 x".lines()), None);
    }
}
