//! A phase as an enum.

use odes::ode_system;

enum Phase {
    On,
    Off,
}

#[ode_system]
fn model(u: &[f64; 1], t: f64) -> [f64; 1] {
    let phase = if t < 5.0 { Phase::On } else { Phase::Off };
    let rate = match phase {
        Phase::On => 1.0,
        Phase::Off => 0.0,
    };
    [rate - u[0]]
}

fn main() {}
