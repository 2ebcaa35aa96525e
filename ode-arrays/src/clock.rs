//! The clock of an array: the time, step sizes and options of a lane.
//!
//! An array is solved by the [lockstep loop](ode_core::integrate::lockstep), whose clock is one
//! lane.

use ode_core::integrate::options::{LoopConfig, SystemConstants};
use ode_core::lane::Scalar;
use ode_core::problem::prepared::PreparedSolve;
use ode_core::step::properties::Properties;
use ode_core::{AbsTol, SolveError, SolveOptions};

/// The constants of an array's loop: the system may depend on time, and has no other property.
pub(crate) const CONSTANTS: SystemConstants =
    SystemConstants { time_dependent: true, ..SystemConstants::NONE };

/// The loop configuration of an array.
#[derive(Debug)]
pub(crate) struct ArrayConfig<const ADAPTIVE: bool>;

impl<const ADAPTIVE: bool> LoopConfig for ArrayConfig<ADAPTIVE> {
    const ADAPTIVE: bool = ADAPTIVE;
    const SAVES: bool = true;
    const RECORDS: bool = false;
    const SYSTEM: SystemConstants = CONSTANTS;
}

/// Checks the options and converts them to the precision of the solve, for `len` numbers.
///
/// Also returns the absolute tolerances: one, or one for each number.
pub(crate) fn inputs<T: Scalar>(
    span: (T, T),
    options: &SolveOptions,
    method: &Properties,
    len: usize,
) -> Result<(PreparedSolve<T>, Vec<T>), SolveError> {
    options.check::<T>()?;
    let abstol = options.abstol.numbers();
    if let AbsTol::Each(each) = &options.abstol
        && each.len() != len
    {
        return Err(SolveError::Tolerances { tolerances: each.len(), components: len });
    }
    // The clock has one component.
    let options = SolveOptions { abstol: AbsTol::All(abstol[0]), ..options.clone() };
    let inputs = PreparedSolve::of_clock(span, &options, method)?;
    Ok((inputs, abstol.iter().map(|&number| T::narrow(number)).collect()))
}
