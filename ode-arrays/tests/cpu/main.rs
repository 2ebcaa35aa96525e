//! One large system on the CPU: known answers, the bits of lanes, and errors.

mod lanes;
mod linear;
mod network;
mod wrong;
