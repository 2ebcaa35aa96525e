//! The bound of a function that is generic over systems.

use odes::prelude::*;

fn run<S>(system: S) {
    OdeProblem::new(system, [1.0], 0.0..=1.0, [1.0]);
}

fn main() {}
