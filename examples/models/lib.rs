//! Published systems, as a modeller would write them.
//!
//! Each module contains one system under its own name, with its source, a standard initial state,
//! parameters and time span, and a reference solution.

// The code that the macros generate is allowed in crates that forbid `unsafe`.
#![forbid(unsafe_code)]
// The names of a model's fields document them.
#![allow(missing_docs)]

pub mod arenstorf;
pub mod brusselator;
pub mod charged_particle;
pub mod diffusive_brusselator;
pub mod double_pendulum;
pub mod duffing;
pub mod e5;
pub mod fitzhugh_nagumo;
pub mod goodwin;
pub mod h2o2;
pub mod hires;
pub mod hodgkin_huxley;
pub mod keller_miksis;
pub mod kuramoto;
pub mod lorenz;
pub mod lorenz96;
pub mod lotka_volterra;
pub mod measles;
pub mod morris_lecar;
pub mod neural_ode;
pub mod oregonator;
pub mod phenytoin;
pub mod pleiades;
pub mod pollution;
pub mod repressilator;
pub mod robertson;
pub mod rossler;
pub mod satellite;
pub mod sir;
pub mod stiff_van_der_pol;
pub mod stirred_tank;
pub mod stratosphere;
pub mod van_der_pol;
