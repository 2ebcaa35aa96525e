//! Single initial value problems.

use crate::lane::Scalar;
use crate::system::System;
use crate::system::quantities::{numbers, quantities};
use core::ops::{Range, RangeInclusive};

/// Types that convert to `N` numbers of precision `T`.
///
/// These are arrays, the `State`, `Parameters` or `Theta` of a system that is a module, and all other
/// types that implement `Into<[T; N]>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not {N} numbers of the precision of the problem",
    label = "expected `[{T}; {N}]`, or the `State`, `Parameters` or `Theta` of the system's module",
    note = "`OdeProblem::new` creates a problem in `f64`; `problem.cast::<f32>()` is the same \
            problem in single precision"
)]
pub trait Numbers<T, const N: usize> {
    /// Returns the numbers, in the order of their declaration.
    fn into_numbers(self) -> [T; N];
}

#[diagnostic::do_not_recommend]
impl<X: Into<[T; N]>, T, const N: usize> Numbers<T, N> for X {
    fn into_numbers(self) -> [T; N] {
        self.into()
    }
}

/// A time span: `0.0..=10.0`, `0.0..10.0` or `(0.0, 10.0)`.
///
/// All forms mean the same. The end may lie before the beginning.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a time span of `{T}`",
    label = "write floats of the precision of the problem: `0.0..=10.0`",
    note = "`OdeProblem::new` creates a problem in `f64`; `problem.cast::<f32>()` is the same \
            problem in single precision"
)]
pub trait TimeSpan<T> {
    /// Returns the beginning and the end.
    fn into_ends(self) -> (T, T);
}

impl<T> TimeSpan<T> for RangeInclusive<T> {
    fn into_ends(self) -> (T, T) {
        self.into_inner()
    }
}

impl<T> TimeSpan<T> for Range<T> {
    fn into_ends(self) -> (T, T) {
        (self.start, self.end)
    }
}

impl<T> TimeSpan<T> for (T, T) {
    fn into_ends(self) -> (T, T) {
        self
    }
}

/// An initial value problem `u' = f(u, p, t)`, `u(t0) = u0`, on `[t0, t1]`.
///
/// Problems are values: fields can be changed, and `with_u0`, `with_p` and `with_tspan` return
/// changed copies.
///
/// ```
/// # use ode_core::{EnsembleSerial, OdeProblem, SolveError, SolveOptions, methods::Tsit5, system::System};
/// # fn of<S: System<2, 1>>(decay: S) -> Result<(), SolveError> {
/// let problem = OdeProblem::new(decay, [1.0, 0.0], 0.0..=10.0, [0.3]);
/// let solution = problem.solve(Tsit5, &SolveOptions::default().tolerance(1e-8))?;
/// println!("{:?} with {}", solution.final_state(), solution.code());
/// let faster = problem.with_p([3.0]).solve(Tsit5, &SolveOptions::default())?;
/// let single = problem.cast::<f32>().solve(Tsit5, &SolveOptions::default())?;
/// # Ok(())
/// # }
/// ```
///
/// `N` is the number of states and `P` the number of parameters. `T` is the precision of the
/// numbers and of the solve: `f64`, or `f32` after [`cast`](Self::cast). If `t1 < t0`, the solve
/// integrates backwards.
///
/// If the system is a function, the initial state and the parameters are arrays, `[T; N]` and
/// `[T; P]`. If the system is a module whose `State` and `Parameters` are `pub` structs with fields
/// of `f64`, they have these types: `problem.p.beta = 0.3`.
///
/// If the problem contains a NaN or an infinite state, the solve returns
/// [`SolveError::NonFinite`](crate::SolveError::NonFinite). If a time is not finite, it returns
/// [`SolveError::TimeSpan`](crate::SolveError::TimeSpan). If only one trajectory of an ensemble has
/// such a number, only this trajectory ends, with
/// [`ReturnCode::NonFinite`](crate::ReturnCode::NonFinite). A parameter may be infinite:
/// `f64::INFINITY` as a time that never comes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OdeProblem<S: System<N, P>, T: Scalar, const N: usize, const P: usize> {
    pub(crate) system: S,
    /// The state at `t0`.
    pub u0: S::State<T>,
    /// The beginning of the time span.
    pub t0: T,
    /// The end of the time span.
    pub t1: T,
    /// The parameters of the right-hand side.
    pub p: S::Parameters<T>,
}

// For `f64` alone, so that the compiler infers the type of literals and of results.
impl<S: System<N, P>, const N: usize, const P: usize> OdeProblem<S, f64, N, P> {
    /// Creates a problem in `f64`; [`cast`](Self::cast) converts it to `f32`.
    ///
    /// The solve integrates `system` from `u0` at the beginning of `tspan`, with parameters `p`.
    /// Numbers are arrays, or the `State` and `Parameters` of a system that is a module. Wherever a
    /// function takes [`Numbers`], `State { prey: 10.0, predators: 5.0 }` stands for `[10.0, 5.0]`;
    /// `.into()` and `State::from` convert both ways.
    #[must_use]
    pub fn new(
        system: S,
        u0: impl Numbers<f64, N>,
        tspan: impl TimeSpan<f64>,
        p: impl Numbers<f64, P>,
    ) -> Self {
        let (t0, t1) = tspan.into_ends();
        let (u0, p) = (quantities(u0.into_numbers()), quantities(p.into_numbers()));
        OdeProblem { system, u0, t0, t1, p }
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeProblem<S, T, N, P> {
    /// Converts the problem to the precision `U`.
    ///
    /// The initial state, the time span and the parameters are rounded to the nearest numbers.
    /// Conversion from `f32` to `f64` is exact. Numbers that are too large for `f32` become
    /// infinite.
    ///
    /// ```
    /// # use ode_core::{OdeProblem, SolveError, SolveOptions, methods::Tsit5, system::System};
    /// # fn of<S: System<2, 1, State<f32> = [f32; 2]>>(decay: S) -> Result<(), SolveError> {
    /// let problem = OdeProblem::new(decay, [1.0, 0.0], 0.0..=10.0, [0.3]).cast::<f32>();
    /// let [first, _]: [f32; 2] = problem.solve(Tsit5, &SolveOptions::default())?.final_state();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Code that is generic over the precision also makes its problems in this way.
    #[must_use]
    pub fn cast<U: Scalar>(self) -> OdeProblem<S, U, N, P> {
        let to = |x: T| U::narrow(x.widen());
        let OdeProblem { system, u0, t0, t1, p } = self;
        let u0: [U; N] = numbers(u0);
        let p: [U; P] = numbers(p);
        OdeProblem { system, u0: quantities(u0), t0: to(t0), t1: to(t1), p: quantities(p) }
    }

    /// Returns the system of equations.
    #[must_use]
    pub fn system(&self) -> S {
        self.system
    }

    /// Returns a copy of the problem with another initial state.
    #[must_use]
    pub fn with_u0(self, u0: impl Numbers<T, N>) -> Self {
        OdeProblem { u0: quantities(u0.into_numbers()), ..self }
    }

    /// Returns a copy of the problem with other parameters.
    #[must_use]
    pub fn with_p(self, p: impl Numbers<T, P>) -> Self {
        OdeProblem { p: quantities(p.into_numbers()), ..self }
    }

    /// Returns a copy of the problem on another time span.
    #[must_use]
    pub fn with_tspan(self, tspan: impl TimeSpan<T>) -> Self {
        let (t0, t1) = tspan.into_ends();
        OdeProblem { t0, t1, ..self }
    }
}
