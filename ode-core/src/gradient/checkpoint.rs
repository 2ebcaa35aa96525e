//! The checkpoint of a training: a file from which it goes on, with the same bits.
//!
//! It is text. Numbers are written with as many digits as give them back exactly. A hash at its end
//! shows damage, and what the training is stands before its state, so that the checkpoint of
//! another training is refused by what differs.

use crate::error::CheckpointError;
use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

/// How often it is written at most.
const PERIOD: Duration = Duration::from_secs(1);

/// What a training is: names and values.
pub(super) type Identity = Vec<(&'static str, String)>;

/// The state of a training, between two iterations.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pub(super) theta: Vec<f64>,
    pub(super) best: Option<Best>,
    /// The losses of the iterations so far.
    pub(super) losses: Vec<f64>,
    pub(super) converged: bool,
    /// What the optimiser remembers.
    pub(super) memory: Vec<Vec<f64>>,
}

/// The best point so far.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Best {
    pub(super) failed: usize,
    pub(super) loss: f64,
    pub(super) theta: Vec<f64>,
}

/// Where a training is kept.
#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
    identity: Identity,
    written: Option<Instant>,
}

impl Checkpoint {
    pub(super) fn new(path: PathBuf, mut identity: Identity) -> Self {
        // Each value is one line, whatever an optimiser of a program's own prints.
        identity.iter_mut().for_each(|(_, value)| *value = value.replace(['\n', '\r'], " "));
        Checkpoint { path, identity, written: None }
    }

    /// The state that the file has, if there is a file.
    pub(super) fn read(&self) -> Result<Option<State>, CheckpointError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => return Err(self.damaged()),
            Err(error) => return Err(self.failed("read", error)),
        };
        let (text, hash) = text.rsplit_once("hash ").ok_or_else(|| self.damaged())?;
        if hash.trim_end() != blake3::hash(text.as_bytes()).to_hex().as_str() {
            return Err(self.damaged());
        }
        let mut lines = text.lines();
        for (what, expected) in &self.identity {
            let line = lines.next().unwrap_or_default();
            let value = line.strip_prefix(what).and_then(|rest| rest.strip_prefix(' '));
            let found = value.unwrap_or(line);
            if found != expected {
                let (path, expected) = (self.path.clone(), expected.clone());
                let found = found.to_owned();
                return Err(CheckpointError::Foreign { path, what, found, expected });
            }
        }
        state(lines).map(Some).ok_or_else(|| self.damaged())
    }

    /// Whether to write: the last time was long enough ago, or this is the `last`.
    pub(super) fn due(&self, last: bool) -> bool {
        last || self.written.is_none_or(|written| written.elapsed() >= PERIOD)
    }

    /// Writes `state`.
    pub(super) fn write(&mut self, state: &State) -> Result<(), CheckpointError> {
        let mut text = String::new();
        for (what, value) in &self.identity {
            let _ = writeln!(text, "{what} {value}");
        }
        put(&mut text, state);
        let hash = blake3::hash(text.as_bytes()).to_hex();
        let _ = writeln!(text, "hash {hash}");
        replace(&self.path, text.as_bytes()).map_err(|error| self.failed("written", error))?;
        self.written = Some(Instant::now());
        Ok(())
    }

    /// The error of a file whose state is not one of this optimiser.
    pub(super) fn damaged(&self) -> CheckpointError {
        CheckpointError::Damaged { path: self.path.clone() }
    }

    fn failed(&self, done: &'static str, error: io::Error) -> CheckpointError {
        CheckpointError::File { path: self.path.clone(), done, error: error.into() }
    }
}

/// Puts `contents` in the place of a file at once: whoever reads it has the old or the new one.
fn replace(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::File::create(&temporary)
        .and_then(|mut file| file.write_all(contents).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
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
