//! The module is written where the attribute is.

use odes::ode_system;

#[ode_system]
mod rule;

fn main() {}
