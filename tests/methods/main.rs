//! Methods: tableaus against order conditions, orders of convergence, and documented numbers of
//! steps.

#[path = "../support/cases.rs"]
mod cases;
#[path = "../support/forced.rs"]
mod forced;
#[path = "../support/textbook.rs"]
mod textbook;
#[path = "../support/trees.rs"]
mod trees;
#[path = "../support/workloads.rs"]
mod workloads;

mod convergence;
mod documented_steps;
mod esdirk;
mod implicit;
mod rosenbrock;
mod step_counts;
mod tableaus;
mod tsit5;
