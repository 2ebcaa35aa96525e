use odes::prelude::*;

fn main() {
    let _ = SolveOptions::default().saveat(0.0..=10.0);
    let _ = SolveOptions::default().saveat(1);
}
