//! The abscissae of tables, which depend on parameters.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::ensemble_spec::Problems;

/// Returns an error if the abscissae of a table do not ascend.
pub(crate) fn check<T: Scalar>(
    problems: &dyn Problems<T>,
    problem: &[T],
) -> Result<(), SolveError> {
    let mut wrong = None;
    problems.abscissae(problem, &mut |names, values| {
        wrong = wrong.take().or_else(|| descending(names, values));
    });
    wrong.map_or(Ok(()), Err)
}

/// Returns an error for the first abscissa that is not above the one before it.
fn descending(names: &'static [&'static str], values: &[f64]) -> Option<SolveError> {
    let is_above = |pair: &[f64]| pair[0] < pair[1] && pair[1] - pair[0] < f64::INFINITY;
    let k = values.windows(2).position(|pair| !is_above(pair))?;
    Some(SolveError::TableOrder {
        names: [names[k], names[k + 1]],
        values: [values[k], values[k + 1]],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abscissae_ascend() {
        let names = &["a", "b", "c"];
        assert!(descending(names, &[0.0, 1.0, 5.0]).is_none());
        assert!(descending(&names[..1], &[0.0]).is_none());
        let wrong =
            [[0.0, 2.0, 1.0], [0.0, 2.0, 2.0], [0.0, 2.0, f64::NAN], [0.0, 2.0, f64::INFINITY]];
        for values in wrong {
            let error = descending(names, &values).unwrap();
            assert!(matches!(error, SolveError::TableOrder { names: ["b", "c"], .. }), "{error}");
        }
        let error = descending(names, &[3.0, 2.5, 9.0]).unwrap();
        let text = "the abscissae of `interp_linear_at` must ascend, but a = 3 precedes b = 2.5: sort \
                    the points of each trajectory by their abscissae";
        assert_eq!(error.to_string(), text);
    }
}
