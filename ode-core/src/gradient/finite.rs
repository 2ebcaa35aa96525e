//! Gradients that are not finite: failures of trajectories, or wrong cotangents.

use crate::ensemble::raw_gradients::{RawCotangents, RawGradients};
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::inputs::SaveTimes;
use crate::solution::RawResults;
use crate::step::code;

/// Marks trajectories with a non-finite loss or gradient as failed, with zeros.
///
/// A chaotic system may overflow over a long span. A cotangent that is not finite makes the gradient
/// non-finite, so only such gradients take a search for it.
///
/// # Errors
/// [`SolveError::NonFiniteCotangent`] if such a trajectory succeeded and has such a cotangent.
pub(super) fn leave_out<T: Scalar>(
    results: &mut RawResults<T>,
    gradients: &mut RawGradients<T>,
    cotangents: &RawCotangents<'_, T>,
    save: &SaveTimes<T>,
) -> Result<(), SolveError> {
    let n = gradients.loss.len();
    let rows = |numbers: &[T]| numbers.len() / n.max(1);
    for i in 0..n {
        let RawGradients { loss, u0, p } = &*gradients;
        let of_u0 = (0..rows(u0)).map(|d| u0[d * n + i]);
        let of_p = (0..rows(p)).map(|d| p[d * n + i]);
        if of_u0.chain(of_p).all(T::is_finite) && loss[i].is_finite() {
            continue;
        }
        if results.code(i).is_success() {
            check(cotangents, save, rows(u0), i)?;
        }
        results.codes[i] = code::NON_FINITE as u8;
        gradients.loss[i] = T::default();
        (0..rows(&gradients.u0)).for_each(|d| gradients.u0[d * n + i] = T::default());
        (0..rows(&gradients.p)).for_each(|d| gradients.p[d * n + i] = T::default());
    }
    Ok(())
}

/// Checks the cotangents of trajectory `i`, at the saved times that it has.
fn check<T: Scalar>(
    cotangents: &RawCotangents<'_, T>,
    save: &SaveTimes<T>,
    states: usize,
    i: usize,
) -> Result<(), SolveError> {
    let check = |what, save, component, value: T| match value.is_finite() {
        true => Ok(()),
        false => {
            let (trajectory, value) = (i, value.widen());
            Err(SolveError::NonFiniteCotangent { what, trajectory, save, component, value })
        }
    };
    for slot in (0..save.slots()).take_while(|slot| save.get(i, *slot).is_finite()) {
        for component in 0..states {
            let value = cotangents.saved(slot * states + component, i);
            check("saved states", Some(slot), component, value)?;
        }
    }
    for component in 0..states {
        check("final states", None, component, cotangents.last(component, i))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;

    /// Returns the codes after `leave_out`, or its error.
    ///
    /// There are two states of three trajectories: a sound one, one with a gradient that is not
    /// finite, and one that failed. The second one has one saved time, and the first one two.
    fn left_out(saved: &[f64], last: &[f64]) -> Result<Vec<u8>, String> {
        let (mut results, mut gradients) = (RawResults::default(), RawGradients::default());
        results.codes =
            vec![code::SUCCESS as u8, code::SUCCESS as u8, code::MAX_STEPS as u8].into();
        gradients.loss = vec![1.0; 3].into();
        gradients.u0 = vec![1.0, NAN, 0.0, 2.0, 3.0, 0.0].into();
        let cotangents = RawCotangents { saved, last, trajectories: 3 };
        let none = f64::INFINITY;
        let save = SaveTimes::each(2, 3, vec![0.5, 0.5, 0.5, 1.0, none, 1.0]);
        leave_out(&mut results, &mut gradients, &cotangents, &save)
            .map_err(|error| error.to_string())?;
        assert_eq!(*gradients.loss, [1.0, 0.0, 1.0]);
        assert_eq!(*gradients.u0, [1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        Ok(results.codes.to_vec())
    }

    /// Cotangents of other trajectories, and of saved times that a trajectory lacks, do not count.
    #[test]
    fn gradients_that_overflow_fail_their_trajectory() {
        let codes = [code::SUCCESS, code::NON_FINITE, code::MAX_STEPS].map(|code| code as u8);
        let mut saved = [1.0; 12];
        assert_eq!(left_out(&saved, &[]), Ok(codes.to_vec()));
        (saved[2], saved[7], saved[10]) = (NAN, NAN, NAN);
        assert_eq!(left_out(&saved, &[1.0, 1.0, NAN, 1.0, 1.0, NAN]), Ok(codes.to_vec()));
    }

    #[test]
    fn cotangents_that_are_not_finite_are_errors() {
        let must = "the trajectory succeeded, so the derivative of the loss must be finite there";
        let mut saved = [1.0; 12];
        saved[4] = NAN;
        let of = "the cotangent of the saved states of trajectory 1 is NaN at save 0, component 1";
        assert_eq!(left_out(&saved, &[]), Err(format!("{of}; {must}")));
        let last = [1.0, f64::NEG_INFINITY, 1.0, 1.0, 1.0, 1.0];
        let of = "the cotangent of the final states of trajectory 1 is -inf at component 0";
        assert_eq!(left_out(&[], &last), Err(format!("{of}; {must}")));
    }
}
