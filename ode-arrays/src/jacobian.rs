//! Derivatives of right-hand sides: the system's own, or finite differences.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::scheme::Work;
use ode_core::lane::Real;

/// A state, its time, and the derivative there.
pub(crate) type At<'a, T> = (&'a Array<T>, T, &'a Array<T>);

/// Writes the Jacobian into `jacobian`. `moved` and `there` are scratch.
pub(crate) fn jacobian<T: Number>(
    work: &mut Work<'_, T>,
    (u, t, f): At<'_, T>,
    moved: &mut Array<T>,
    there: &mut Array<T>,
    jacobian: &mut Array<T>,
) -> Result<(), ArrayError> {
    if work.jacobian(u, t, jacobian)? {
        return Ok(());
    }
    let numbers = u.to_vec()?;
    // A component near zero is moved by an increment that is visible in the largest component.
    let most = numbers.iter().fold(T::default(), |most, x| Real::max(most, Real::abs(*x)));
    let least = Real::max(most * T::lit(1e-3), T::lit(1e-6));
    moved.copy(u)?;
    for (column, &x) in numbers.iter().enumerate() {
        let there_at = x + Real::sqrt(T::epsilon()) * Real::max(Real::abs(x), least);
        moved.put(column, there_at)?;
        work.rhs(moved, t, there)?;
        there.add(T::lit(-1.0), &[(T::lit(1.0), f)])?;
        jacobian.put_column(column, T::lit(1.0) / (there_at - x), there)?;
        moved.put(column, x)?;
    }
    Ok(())
}

/// Writes the time derivative into `by_time`; `h` is the size of the step that needs it.
pub(crate) fn by_time<T: Number>(
    work: &mut Work<'_, T>,
    (u, t, f): At<'_, T>,
    h: T,
    by_time: &mut Array<T>,
) -> Result<(), ArrayError> {
    if work.time_gradient(u, t, by_time)? {
        return Ok(());
    }
    // The difference stays within the step, where the right-hand side is smooth.
    let size = Real::max(Real::abs(t), Real::abs(h)) * Real::sqrt(T::epsilon());
    let later = t + Real::copysign(size.at_most(Real::abs(h)), h);
    work.rhs(u, later, by_time)?;
    by_time.add(T::lit(-1.0), &[(T::lit(1.0), f)])?;
    by_time.scale(T::lit(1.0) / (later - t))
}
