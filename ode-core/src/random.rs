//! Random and quasi-random numbers as lane programs: functions of an index, without a state.
//!
//! A number depends only on a key and an index. So it has the same bits on every lane type, in
//! every order and in every shard of an ensemble.

pub mod arrivals;
pub mod brownian;
pub mod chance;
mod distribution;
mod gauss;
mod hash;
pub mod nodes;
mod normal;
pub mod path;
mod permutation;
mod philox;
pub mod sobol;
mod source;
mod unit;

pub use distribution::device::{
    between, gaussian, linspace, log_between, log_normal, logspace, position,
};
pub use gauss::device::normals;
pub use normal::device::quantile as normal_quantile;
pub use permutation::PermutationKeys;
pub use permutation::device::permuted;
pub use philox::device::philox4x32;
pub use sobol::device::{owen, point as sobol_point};
pub use source::device::{independent, latin, scrambled, shifted, words};
pub use unit::device::{integer, middle, open_unit, stratum, word};

/// The programs of [paths](brownian) as C++, in the order of their calls.
///
/// Some of them are among the [`LANE_PROGRAMS`], too.
pub const PATH_PROGRAMS: [&str; 6] = [
    philox::device::DEVICE,
    gauss::device::DEVICE,
    brownian::DEVICE,
    nodes::DEVICE,
    unit::device::DEVICE,
    chance::DEVICE,
];

/// The programs of [arrivals] as C++, in the order of their calls.
///
/// Some of them are among the other programs, too.
pub const ARRIVAL_PROGRAMS: [&str; 4] =
    [philox::device::DEVICE, unit::device::DEVICE, gauss::device::DEVICE, arrivals::DEVICE];

/// All programs as C++, in the order of their calls, after the elementary functions.
pub const LANE_PROGRAMS: [&str; 8] = [
    hash::device::DEVICE,
    philox::device::DEVICE,
    unit::device::DEVICE,
    normal::device::DEVICE,
    distribution::device::DEVICE,
    permutation::device::DEVICE,
    sobol::device::DEVICE,
    source::device::DEVICE,
];
