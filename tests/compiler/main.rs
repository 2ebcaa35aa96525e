//! The output of the compilers for right-hand sides and lane programs, without a solve.
//!
//! The tests compare derivatives, factorisations and C++, each with a computation that shares no
//! code with it, and check the README's list of unsupported features.

#[path = "../support/cpp.rs"]
mod cpp;
#[macro_use]
#[path = "../support/dual.rs"]
mod dual;
#[path = "../support/plain.rs"]
mod plain;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/special.rs"]
mod special;
#[path = "../systems/mod.rs"]
mod systems;

mod derivatives;
mod device_rules;
mod linear;
mod math_cpp;
mod random_cpp;
mod readme;
mod systems_cpp;
