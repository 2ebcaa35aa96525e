//! Periodic states: states that return to themselves after the time span.
//!
//! The time span of each trajectory is one interval, such as the time between two doses. The map of
//! an interval takes the initial state to the final state.
//! [`EnsembleProblem::periodic_states`](crate::EnsembleProblem::periodic_states) searches a fixed
//! point of this map for each trajectory, by Anderson's method (D. G. Anderson, "Iterative
//! procedures for nonlinear integral equations", J. ACM 12 (1965) 547-560; H. F. Walker, P. Ni,
//! "Anderson acceleration for fixed-point iterations", SIAM J. Numer. Anal. 49 (2011) 1715-1735).
//! If the map is linear, the method finds the fixed point after about as many intervals as there
//! are states.
//!
//! All trajectories that search are solved together over the next interval, so the search works on
//! every backend, with the same bits. The rest of the search is per trajectory and on the host.

mod anderson;
mod outcome;
mod request;
mod search;
mod solve;
mod states;

pub use crate::error::PeriodicError;
pub use outcome::PeriodicOutcome;
pub use request::PeriodicSearch;
pub use states::PeriodicStates;
