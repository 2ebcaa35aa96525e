//! Published systems, as a modeller would write them: each module has one, under its own name, with its
//! source, a standard initial state, parameters and time span, and a reference solution.

// Not every program uses all of them.
#![allow(dead_code, unreachable_pub)]

pub mod brusselator;
pub mod double_pendulum;
pub mod duffing;
pub mod fitzhugh_nagumo;
pub mod goodwin;
pub mod hodgkin_huxley;
pub mod lorenz;
pub mod lorenz96;
pub mod lotka_volterra;
pub mod measles;
pub mod phenytoin;
pub mod pleiades;
pub mod repressilator;
pub mod rossler;
pub mod satellite;
pub mod sir;
