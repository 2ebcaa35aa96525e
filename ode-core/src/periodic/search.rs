//! The search of one trajectory.

use super::anderson::{Image, estimate};
use super::outcome::{Found, PeriodicOutcome};
use crate::solution::ReturnCode;

/// The constants of a search.
pub(super) struct Rules<'a> {
    pub(super) tolerance: f64,
    pub(super) most_intervals: usize,
    /// The number of earlier intervals that a correction uses.
    pub(super) depth: usize,
    /// The rounding errors of an interval, as a fraction of the state.
    pub(super) rounding: f64,
    /// The absolute tolerance of component `d`.
    pub(super) abstol: &'a dyn Fn(usize) -> f64,
    pub(super) reltol: f64,
    /// Rounds a number to the precision of the solve.
    pub(super) round: fn(f64) -> f64,
}

/// The search of a trajectory.
pub(super) struct Search {
    /// The state at the beginning of the next interval.
    pub(super) state: Vec<f64>,
    /// The state with the smallest residual, the state after its interval, and the residual.
    best: Option<(Vec<f64>, Vec<f64>, f64)>,
    /// The last intervals, oldest first.
    images: Vec<Image>,
    /// Whether the state is an estimate, and not the end of an interval.
    estimated: bool,
    /// Whether the last correction was within the tolerance.
    small: bool,
    intervals: usize,
    outcome: Option<PeriodicOutcome>,
}

/// The number of stored intervals beyond one for each state.
pub(super) const SPARE: usize = 2;

/// The growth of the residual from which on an estimate is rejected.
const GROWTH: f64 = 2.0;

impl Search {
    pub(super) fn new(state: Vec<f64>) -> Self {
        Search {
            state,
            best: None,
            images: Vec::new(),
            estimated: false,
            small: false,
            intervals: 0,
            outcome: None,
        }
    }

    /// Returns whether the search needs another interval.
    pub(super) fn goes_on(&self) -> bool {
        self.outcome.is_none()
    }

    /// Adds the end of an interval from [`state`](Self::state), and chooses the next state.
    pub(super) fn add(&mut self, after: Vec<f64>, code: ReturnCode, rules: &Rules<'_>) {
        self.intervals += 1;
        if code != ReturnCode::Success {
            if !self.estimated || self.intervals >= rules.most_intervals {
                self.outcome = Some(PeriodicOutcome::Failed(code));
                return;
            }
            self.restart();
            return;
        }
        let change: Vec<f64> = after.iter().zip(&self.state).map(|(b, a)| b - a).collect();
        let scale = |d: usize| {
            let size = self.state[d].abs().max(after[d].abs());
            rules.reltol.mul_add(size, (rules.abstol)(d)).max(f64::MIN_POSITIVE)
        };
        let scales: Vec<f64> = (0..after.len()).map(scale).collect();
        let largest = |change: &[f64]| {
            let parts = change.iter().zip(&scales).map(|(x, scale)| (x / scale).abs());
            parts.fold(0.0, f64::max)
        };
        let residual = largest(&change);
        let best = self.best.as_ref().map_or(f64::INFINITY, |(_, _, best)| *best);
        if residual <= best {
            self.best = Some((self.state.clone(), after.clone(), residual));
        }
        if residual == 0.0 {
            self.outcome = Some(PeriodicOutcome::Converged);
            return;
        }
        // Residuals within the tolerance are mostly errors of the solve.
        let grows = self.estimated && residual > GROWTH * best.max(rules.tolerance);
        if !grows {
            self.images.push(Image { after, change });
            // Near the fixed point, the last differences may be rounding errors.
            let most = rules.depth.min(scales.len() + SPARE) + 1;
            self.images.drain(..self.images.len().saturating_sub(most));
            let next = estimate(&self.images, &scales, rules.rounding);
            let estimated = next.is_some();
            let end = || self.images.last().map_or(Vec::new(), |image| image.after.clone());
            let next: Vec<f64> = next.unwrap_or_else(end).into_iter().map(rules.round).collect();
            let correction: Vec<f64> = next.iter().zip(&self.state).map(|(b, a)| b - a).collect();
            // The change of one interval is no estimate of the error.
            let counts = estimated || rules.depth == 0;
            let small = counts && largest(&correction) <= rules.tolerance;
            if small && (self.small || rules.depth == 0) {
                self.best = Some((self.state.clone(), Vec::new(), residual));
                self.outcome = Some(PeriodicOutcome::Converged);
                return;
            }
            self.small = small;
            if self.intervals < rules.most_intervals && next.iter().all(|x| x.is_finite()) {
                self.state = next;
                self.estimated = estimated;
                return;
            }
        }
        if self.intervals >= rules.most_intervals {
            self.outcome = Some(PeriodicOutcome::NotConverged);
            return;
        }
        self.restart();
    }

    /// Continues without a correction, after the interval with the smallest residual.
    fn restart(&mut self) {
        if let Some((_, after, _)) = &self.best {
            self.state.clone_from(after);
        }
        self.images.clear();
        self.estimated = false;
        self.small = false;
    }

    /// Returns the result of a search that has ended.
    pub(super) fn found(self) -> Found {
        let outcome = self.outcome.unwrap_or(PeriodicOutcome::NotConverged);
        let (state, residual) = match (outcome, self.best) {
            (PeriodicOutcome::Failed(_), _) | (_, None) => (self.state, f64::NAN),
            (_, Some((state, _, residual))) => (state, residual),
        };
        Found { state, outcome, residual, intervals: self.intervals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Rules<'static> = Rules {
        tolerance: 1.0,
        most_intervals: 50,
        depth: 8,
        rounding: 1e-15,
        abstol: &|_| 1e-10,
        reltol: 1e-10,
        round: |x| x,
    };

    fn search(rules: &Rules<'_>, begin: &[f64], map: impl Fn(&[f64]) -> Option<Vec<f64>>) -> Found {
        let mut search = Search::new(begin.to_vec());
        while search.goes_on() {
            match map(&search.state) {
                Some(after) => search.add(after, ReturnCode::Success, rules),
                None => search.add(begin.to_vec(), ReturnCode::NonFinite, rules),
            }
        }
        search.found()
    }

    #[test]
    fn slow_linear_maps() {
        let found = search(&RULES, &[0.0, 5.0], |u| {
            Some(vec![0.999 * u[0] + 0.1 * u[1] + 1.0, 0.9 * u[1] + 0.5])
        });
        assert_eq!(found.outcome, PeriodicOutcome::Converged);
        assert!(found.intervals <= 6, "{}", found.intervals);
        let fixed = [(1.0 + 0.1 * 5.0) / 0.001, 5.0];
        for (found, fixed) in found.state.iter().zip(fixed) {
            assert!((found - fixed).abs() <= 1e-7 * fixed, "{found} {fixed}");
        }
    }

    #[test]
    fn nonlinear_maps() {
        let found = search(&RULES, &[0.1], |u| Some(vec![u[0].cos()]));
        assert_eq!(found.outcome, PeriodicOutcome::Converged);
        assert!((found.state[0] - 0.7390851332151607).abs() < 1e-9);
        assert!(found.intervals < 10, "{}", found.intervals);
    }

    /// The estimate of this map leaves the numbers at which the map exists.
    #[test]
    fn estimates_may_fail() {
        let map = |u: &[f64]| (u[0] >= 0.0).then(|| vec![0.2 + 0.98 * u[0] / (1.0 + 0.3 * u[0])]);
        let found = search(&RULES, &[50.0], map);
        assert_eq!(found.outcome, PeriodicOutcome::Converged);
        let image = map(&found.state).unwrap();
        assert!((image[0] - found.state[0]).abs() < 1e-9);
    }

    /// Without a fixed point, states grow until an interval changes them hardly.
    #[test]
    fn slow_growth_is_no_convergence() {
        let found = search(&RULES, &[0.0], |u| Some(vec![u[0] + 0.04 + 50.0 / (u[0] + 5.0)]));
        assert_eq!(found.outcome, PeriodicOutcome::NotConverged);
    }

    #[test]
    fn outcomes() {
        let found = search(&RULES, &[1.0], |u| Some(vec![u[0] + 1.0]));
        assert_eq!((found.outcome, found.intervals), (PeriodicOutcome::NotConverged, 50));
        let found = search(&RULES, &[1.0], |_| None);
        assert_eq!(found.outcome, PeriodicOutcome::Failed(ReturnCode::NonFinite));
        assert!(found.residual.is_nan() && found.intervals == 1);
        let found = search(&RULES, &[2.0], |u| Some(u.to_vec()));
        assert_eq!((found.outcome, found.intervals), (PeriodicOutcome::Converged, 1));
        let plain = Rules { depth: 0, most_intervals: 1000, ..RULES };
        let found = search(&plain, &[0.0], |u| Some(vec![0.5 * u[0] + 1.0]));
        assert_eq!(found.outcome, PeriodicOutcome::Converged);
        assert!((found.state[0] - 2.0).abs() < 1e-9 && found.intervals > 20);
    }
}
