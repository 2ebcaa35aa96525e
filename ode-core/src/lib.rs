//! Lane programs, methods, problems and CPU ensembles of `odes`.

pub mod controller;
pub mod integrate;
pub mod lane;
pub mod methods;
pub mod simd;
pub mod system;
