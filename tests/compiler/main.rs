//! The output of the compilers for right-hand sides and lane programs, without solving anything:
//! derivatives, factorisations, and C++, each against something that shares no code with it. And the
//! README's list of what odes cannot do.

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
