//! The lane programs of steps, and their counterparts on the host.

#[macro_use]
pub mod explicit;
#[macro_use]
pub mod rosenbrock;
#[macro_use]
pub mod esdirk;
#[macro_use]
pub mod stochastic;
#[macro_use]
pub mod switching;
pub mod adjoint;
pub mod code;
pub mod control;
pub mod controller;
pub mod guard;
pub mod norm;
pub mod properties;
pub mod stepper;
pub mod timeline;
pub mod vector;

/// The C++ text of these programs; each comes after those that it calls.
pub(crate) const LANE_PROGRAMS: [&str; 8] = [
    code::DEVICE,
    timeline::DEVICE,
    norm::DEVICE,
    vector::DEVICE,
    guard::DEVICE,
    stepper::DEVICE,
    control::DEVICE,
    switching::DEVICE,
];
