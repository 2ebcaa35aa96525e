//! Solving: options, time and stops, the interface, counts, and the meaning of success.

#[path = "../support/batches.rs"]
mod batches;
#[path = "../support/cases.rs"]
mod cases;
#[path = "../support/counted.rs"]
mod counted;
#[path = "../support/cpp.rs"]
mod cpp;
#[path = "../support/everywhere.rs"]
mod everywhere;
#[path = "../support/gpu.rs"]
mod gpu;
#[path = "../support/opencl.rs"]
mod opencl;
#[path = "../support/random.rs"]
mod random;
#[path = "../support/textbook.rs"]
mod textbook;
#[path = "../support/workloads.rs"]
mod workloads;

mod counts;
mod errors;
mod first_step;
mod guard;
mod interface;
mod invalid_options;
mod large;
mod last_step;
mod options;
mod pulses;
mod steps;
mod stops;
mod success;
mod time;
mod unsound;
