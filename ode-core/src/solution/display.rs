//! Solutions as one line of text: `println!("{solution}")`.

use super::{EnsembleSolution, OdeSolution, Trajectory};
use crate::lane::Scalar;
use crate::system::System;
use core::fmt;

/// The largest number of printed components of a state.
const MOST: usize = 8;

/// `Success at t = 10.0 after 31 steps by Tsit5: x = 0.5, v = -1.25`.
///
/// The steps are the accepted steps. If a state is long, its first 8 numbers are printed. `{:.3}`
/// prints them with three digits.
impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> fmt::Display
    for Trajectory<'_, S, T, N, P>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, steps, t) = (self.code(), self.accepted(), self.end_time());
        let one = if steps == 1 { "" } else { "s" };
        write!(
            f,
            "{code} at t = {t:?} after {steps} step{one} by {}:",
            self.solution.method().name
        )?;
        let names = self.solution.system.info().states;
        let numbers = self.solution.final_numbers(self.i);
        for (i, (name, x)) in names.iter().zip(numbers).take(MOST).enumerate() {
            write!(f, "{} {name} = ", if i == 0 { "" } else { "," })?;
            // As `{:?}`, which writes small and large numbers with an exponent.
            fmt::Debug::fmt(&x, f)?;
        }
        if N > MOST { write!(f, ", and {} more", N - MOST) } else { Ok(()) }
    }
}

/// As the text of its [`Trajectory`].
impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> fmt::Display
    for OdeSolution<S, T, N, P>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.trajectory().fmt(f)
    }
}

/// `10000 trajectories of lorenz by Tsit5 on CPU, 2 threads, AVX-512: 9998 Success, 2 MaxSteps`.
impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> fmt::Display
    for EnsembleSolution<S, T, N, P>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, name) = (self.len(), self.system.info().name);
        let many = if n == 1 { "y" } else { "ies" };
        let method = self.method().name;
        write!(f, "{n} trajector{many} of {name} by {method} on {}", self.backend())?;
        for (i, (code, count)) in self.code_counts().into_iter().enumerate() {
            write!(f, "{} {count} {code}", if i == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}
