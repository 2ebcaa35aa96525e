//! Rosenbrock methods, defined by their tableaus, with a dense Jacobian.
//!
//! [`ode_core::step::rosenbrock`] documents the formula.

use crate::array::Array;
use crate::error::ArrayError;
use crate::jacobian;
use crate::lu::Factors;
use crate::number::Number;
use crate::scheme::{Scheme, Span, Tolerances, Work};
use crate::shape::Shape;
use ode_core::lane::Real;
use ode_core::step::rosenbrock::Tableau;
use ode_core::step::{code, guard, timeline};

/// A Rosenbrock method and its stages.
pub(crate) struct Rosenbrock<T: Number> {
    tableau: &'static Tableau,
    /// The derivative at the beginning of the step.
    first: Array<T>,
    /// The time derivative at the beginning of the step.
    by_time: Array<T>,
    jacobian: Array<T>,
    /// Whether `first` is valid for the next step.
    has_first: bool,
    /// Whether `by_time` and `jacobian` are valid for the next step.
    has_jacobian: bool,
    factors: Factors<T>,
    /// The solutions of the stages.
    solved: Vec<Array<T>>,
    /// The argument of a stage, and its derivative.
    w: Array<T>,
    f: Array<T>,
    code: u64,
    /// The number of factorisations.
    factorisations: u64,
}

impl<T: Number> Rosenbrock<T> {
    pub(crate) fn new(tableau: &'static Tableau, u: &Array<T>) -> Result<Self, ArrayError> {
        let like = || u.like(u.shape());
        let order = u.len();
        Ok(Rosenbrock {
            tableau,
            first: like()?,
            by_time: like()?,
            jacobian: square(u, order)?,
            has_first: false,
            has_jacobian: false,
            factors: Factors::new(u, order).map_err(|error| error.of_jacobian(order))?,
            solved: tableau.alpha.iter().map(|_| like()).collect::<Result<_, _>>()?,
            w: like()?,
            f: like()?,
            code: code::SUCCESS,
            factorisations: 0,
        })
    }

    /// Returns whether stages depend on the time.
    fn is_timed(work: &Work<'_, T>) -> bool {
        !work.system.is_autonomous()
    }

    /// Computes all quantities that do not depend on the step size.
    fn linearise(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        u: &Array<T>,
    ) -> Result<(), ArrayError> {
        let t = step.at.t;
        if !self.has_first {
            work.rhs(u, t, &mut self.first)?;
            self.has_first = true;
        }
        if !self.has_jacobian {
            let at = (u, t, &self.first);
            jacobian::jacobian(work, at, &mut self.w, &mut self.f, &mut self.jacobian)?;
            if Self::is_timed(work) {
                jacobian::by_time(work, at, step.h, &mut self.by_time)?;
            }
            self.has_jacobian = true;
        }
        Ok(())
    }

    /// Factorises for steps with this `scale`, `1/(γh)`.
    ///
    /// Returns whether the determinant has another sign than for short steps.
    fn factor(&mut self, scale: T) -> Result<bool, ArrayError> {
        self.factorisations += 1;
        self.factors.factor(scale, &self.jacobian)?;
        let mirrored = scale < T::default() && self.first.len() % 2 == 1;
        Ok(self.factors.is_negative()? != mirrored)
    }
}

/// Allocates a square matrix of this order for a Jacobian, in the same memory as `beside`.
fn square<T: Number>(beside: &Array<T>, order: usize) -> Result<Array<T>, ArrayError> {
    beside.like(Shape::matrix(order, order)).map_err(|error| error.of_jacobian(order))
}

/// Returns the terms of a stage, from a square matrix of the tableau and the earlier solutions.
fn terms<'a, T: Number>(
    square: &[f64],
    stages: usize,
    before: &'a [Array<T>],
) -> Vec<(T, &'a Array<T>)> {
    let row = &square[before.len() * stages..];
    let terms = row.iter().zip(before).filter(|(c, _)| **c != 0.0);
    terms.map(|(&c, solved)| (T::lit(c), solved)).collect()
}

impl<T: Number> Scheme<T> for Rosenbrock<T> {
    fn begin(&mut self, work: &mut Work<'_, T>, u: &Array<T>, t: T) -> Result<(), ArrayError> {
        work.rhs(u, t, &mut self.first)?;
        self.has_first = true;
        self.has_jacobian = false;
        Ok(())
    }

    fn derivative(&self) -> &Array<T> {
        &self.first
    }

    fn step(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        u: &Array<T>,
        new: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        let Tableau { gamma, a, c, alpha, time, weights, .. } = *self.tableau;
        let (one, h) = (T::lit(1.0), step.h);
        self.linearise(work, step, u)?;
        let grows = self.factor(one / (T::lit(gamma) * h))?;
        let timed = Self::is_timed(work);
        self.code = code::SUCCESS;
        for stage in 0..alpha.len() {
            let (before, others) = self.solved.split_at_mut(stage);
            let x = &mut others[0];
            let argument = terms(a, alpha.len(), before);
            let own = !argument.is_empty() || alpha[stage] != 0.0;
            if own {
                self.w.combine(u, one, &argument)?;
                let t = timeline::time_of_node(&step.at, T::lit(alpha[stage]));
                work.rhs(&self.w, t, &mut self.f)?;
            }
            let f = if own { &self.f } else { &self.first };
            x.combine(f, one / h, &terms(c, alpha.len(), before))?;
            if timed && time[stage] != 0.0 {
                x.add(h * T::lit(time[stage]), &[(one, &self.by_time)])?;
            }
            self.factors.solve(&self.jacobian, x)?;
            if stage == 0 && !x.is_finite()? {
                let given = self.first.is_finite()? && self.by_time.is_finite()?;
                self.code = if given { code::SINGULAR } else { code::SUCCESS };
            }
        }
        let terms: Vec<_> =
            weights.iter().zip(&self.solved).map(|(&m, solved)| (T::lit(m), solved)).collect();
        new.combine(u, one, &terms)?;
        Ok(grows)
    }

    fn code(&self) -> u64 {
        self.code
    }

    fn looks(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        u: &Array<T>,
    ) -> Result<bool, ArrayError> {
        self.linearise(work, step, u)?;
        self.factor(T::lit(1.0 / self.tableau.gamma) / step.h)
    }

    fn passes_soon(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        (u, new): (&Array<T>, Option<&Array<T>>),
    ) -> Result<bool, ArrayError> {
        let scale = T::lit(guard::SOON / self.tableau.gamma) / step.h;
        let Some(new) = new else {
            self.linearise(work, step, u)?;
            return self.factor(scale);
        };
        // The Jacobian at the beginning is needed again if the step is rejected.
        let mut there = square(u, u.len())?;
        core::mem::swap(&mut there, &mut self.jacobian);
        let t = timeline::time_of_node(&step.at, T::lit(1.0));
        let mut f = u.like(u.shape())?;
        work.rhs(new, t, &mut f)?;
        let at = (new, t, &f);
        let made = jacobian::jacobian(work, at, &mut self.w, &mut self.f, &mut self.jacobian);
        let passes = made.and_then(|()| self.factor(scale));
        self.jacobian = there;
        passes
    }

    fn factorisations(&self) -> u64 {
        self.factorisations
    }

    fn mean_square(
        &mut self,
        _h: T,
        u: &Array<T>,
        new: &Array<T>,
        tolerances: Tolerances<'_, T>,
    ) -> Result<T, ArrayError> {
        // The last solution is the error estimate.
        match self.solved.last() {
            Some(error) => error.mean_square(u, new, tolerances),
            None => Ok(T::default()),
        }
    }

    fn complete(
        &mut self,
        _work: &mut Work<'_, T>,
        _step: &Span<T>,
        _u: &Array<T>,
    ) -> Result<(), ArrayError> {
        Ok(())
    }

    fn interpolate(
        &self,
        _h: T,
        theta: T,
        u: &Array<T>,
        out: &mut Array<T>,
    ) -> Result<(), ArrayError> {
        let Tableau { weights, dense, .. } = *self.tableau;
        let degree = dense.len() / weights.len();
        let rest = T::lit(1.0) - theta;
        let weight = |stage: usize| {
            let polynomial = &dense[stage * degree..(stage + 1) * degree];
            let rise = |sum, &c: &f64| Real::mul_add(sum, theta, T::lit(c));
            let sum = polynomial.iter().rev().fold(T::default(), rise);
            Real::mul_add(sum, rest, T::lit(weights[stage])) * theta
        };
        let terms: Vec<_> =
            self.solved.iter().enumerate().map(|(i, solved)| (weight(i), solved)).collect();
        out.combine(u, T::lit(1.0), &terms)
    }

    fn accept(&mut self) {
        self.has_first = false;
        self.has_jacobian = false;
    }
}
