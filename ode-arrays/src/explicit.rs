//! Explicit Runge–Kutta methods, defined by their tableaus.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use crate::scheme::{Scheme, Span, Tolerances, Work};
use ode_core::step::explicit::{Row, Tableau};
use ode_core::step::{norm, timeline};

/// An explicit method and its stages.
pub(crate) struct Explicit<T: Number> {
    tableau: &'static Tableau,
    /// Whether the last stage of a step is the first stage of the next one.
    fsal: bool,
    /// The derivatives of the stages.
    k: Vec<Array<T>>,
    /// The argument of a stage, or an error.
    w: Array<T>,
    /// Whether the first derivative belongs to the current state.
    is_known: bool,
}

/// Returns the terms of a row, with the derivatives of the stages.
fn terms<'a, T: Number>(row: &Row, k: &'a [Array<T>]) -> Vec<(T, &'a Array<T>)> {
    row.nonzero.iter().map(|&j| (T::lit(row.coefficients[j]), &k[j])).collect()
}

impl<T: Number> Explicit<T> {
    pub(crate) fn new(
        tableau: &'static Tableau,
        fsal: bool,
        u: &Array<T>,
    ) -> Result<Self, ArrayError> {
        let k = tableau.nodes.iter().map(|_| u.like(u.shape())).collect::<Result<_, _>>()?;
        Ok(Explicit { tableau, fsal, k, w: u.like(u.shape())?, is_known: false })
    }

    /// Evaluates the stage of a row, with its argument in `w`.
    fn stage(
        &mut self,
        work: &mut Work<'_, T>,
        row: &Row,
        step: &Span<T>,
        u: &Array<T>,
    ) -> Result<(), ArrayError> {
        self.w.combine(u, step.h, &terms(row, &self.k))?;
        let node = T::lit(self.tableau.nodes[row.of]);
        let t = timeline::time_of_node(&step.at, node);
        work.rhs(&self.w, t, &mut self.k[row.of])
    }
}

impl<T: Number> Scheme<T> for Explicit<T> {
    fn begin(&mut self, work: &mut Work<'_, T>, u: &Array<T>, t: T) -> Result<(), ArrayError> {
        work.rhs(u, t, &mut self.k[0])?;
        self.is_known = true;
        Ok(())
    }

    fn derivative(&self) -> &Array<T> {
        &self.k[0]
    }

    fn step(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        u: &Array<T>,
        new: &mut Array<T>,
    ) -> Result<bool, ArrayError> {
        if !self.is_known {
            work.rhs(u, step.at.t, &mut self.k[0])?;
            self.is_known = true;
        }
        for row in self.tableau.stages {
            self.stage(work, row, step, u)?;
        }
        match self.tableau.solution {
            [row, ..] => new.combine(u, step.h, &terms(row, &self.k))?,
            // The argument of the last stage is the solution.
            [] => new.copy(&self.w)?,
        }
        Ok(false)
    }

    fn mean_square(
        &mut self,
        h: T,
        u: &Array<T>,
        new: &Array<T>,
        tolerances: Tolerances<'_, T>,
    ) -> Result<T, ArrayError> {
        let mut squares = [T::default(); 2];
        for (square, row) in squares.iter_mut().zip(self.tableau.errors) {
            self.w.fill(T::default())?;
            self.w.add(h, &terms(row, &self.k))?;
            *square = self.w.mean_square(u, new, tolerances)?;
        }
        let [first, second] = squares;
        Ok(if self.tableau.errors.len() > 1 { norm::both::<T>(first, second) } else { first })
    }

    fn complete(
        &mut self,
        work: &mut Work<'_, T>,
        step: &Span<T>,
        u: &Array<T>,
    ) -> Result<(), ArrayError> {
        for row in self.tableau.extra {
            self.stage(work, row, step, u)?;
        }
        Ok(())
    }

    fn interpolate(
        &self,
        h: T,
        theta: T,
        u: &Array<T>,
        out: &mut Array<T>,
    ) -> Result<(), ArrayError> {
        let Tableau { dense, weights, degree, .. } = *self.tableau;
        let weight = |stage: usize| {
            let polynomial = &weights[stage * degree..(stage + 1) * degree];
            polynomial
                .iter()
                .rev()
                .fold(T::default(), |sum, &c| ode_core::lane::Real::mul_add(sum, theta, T::lit(c)))
        };
        let terms: Vec<_> = dense.iter().map(|&stage| (weight(stage), &self.k[stage])).collect();
        out.combine(u, h * theta, &terms)
    }

    fn accept(&mut self) {
        self.is_known = self.fsal;
        if self.fsal
            && let Some(last) = self.tableau.stages.last()
        {
            self.k.swap(0, last.of);
        }
    }
}
