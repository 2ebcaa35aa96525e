//! The trait of a system of differential equations.

use crate::lane::{Mask, Real};
use crate::report::{LinearEquations, Operations};

/// A system `M du/dt = f(u, p, t)` with `N` states and `P` parameters, and its exact derivatives. The
/// mass matrix `M` is constant, and the identity unless the system says otherwise.
///
/// `#[ode_system]` implements it, on a unit struct that has the name of the user's function. The
/// functions are lane programs: they compute one value per lane, for any [`Real`].
#[diagnostic::on_unimplemented(
    message = "this is not a system of equations: `#[ode_system]` makes one of a function or a \
               module",
    label = "put `#[ode_system]` above this function, and pass its name",
    note = "a closure becomes a function, `#[ode_system] fn name(u: &[f64; N], p: &[f64; P], t: \
            f64) -> [f64; N]`, and what it captures parameters",
    note = "of `#[ode_system] mod name` pass `name`, not `name::rhs`; of `#[ode_system] fn name` \
            not `name::call`"
)]
pub trait System<const N: usize, const P: usize>: Copy + Send + Sync + 'static {
    /// The name of the function that was compiled.
    const NAME: &'static str;
    /// Names of the states, from a destructuring in the function, otherwise `u0`, `u1`, ….
    const STATES: [&'static str; N];
    /// Names of the parameters, from a destructuring in the function, otherwise `p0`, `p1`, ….
    const PARAMETERS: [&'static str; P];
    /// Where the Jacobian can be nonzero: (row, column), in row-major order.
    const JACOBIAN_PATTERN: &'static [(usize, usize)];
    /// Where the parameter Jacobian can be nonzero: (row, column), in row-major order.
    const PARAMETER_PATTERN: &'static [(usize, usize)];
    /// The components of the right-hand side that depend explicitly on the time, in order.
    const TIME_PATTERN: &'static [usize];
    /// The times at which the right-hand side changes its form, those that are known when it is
    /// compiled, in ascending order: where numbers are equal that it compares, also in the
    /// functions that it calls, and where `abs` and `signum` are of zero, if the difference is
    /// affine in the time, or a product, a quotient or a square of what is. And those at which a
    /// pulse or a step in closed form has its middle. See [`tstops_of`].
    const TIME_BREAKS: &'static [f64] = &[];
    /// The same where they depend on parameters: formulas for people to read, of what
    /// [`parameter_breaks`](Self::parameter_breaks) evaluates.
    const PARAMETER_BREAKS: &'static [&'static str] = &[];
    /// Whether the right-hand side compares the time in other ways, too, whose times are in neither
    /// list, or rounds it: as in `t % period < 1.0`, `t.sin() > 0.9` and `t < u[0]`.
    const MORE_TIME_BREAKS: bool = false;
    /// Whether the derivative of the right-hand side by the time is zero wherever there is one.
    const AUTONOMOUS: bool = Self::TIME_PATTERN.is_empty();
    /// Whether it depends on the time nevertheless, in steps: by comparisons with it, say.
    const STEPWISE: bool = false;
    /// Operations of the right-hand side, the Jacobian, the parameter Jacobian and the time gradient.
    const OPERATIONS: [Operations; 4];
    /// Operations of the right-hand side as it was written, before simplification.
    const WRITTEN: u64 = 0;
    /// Operations of the right-hand side whose results are used more than once, and computed once.
    const SHARED: usize = 0;
    /// How the linear equations of implicit methods are solved.
    const LINEAR: LinearEquations;
    /// Names of the observables: outputs that are computed from state, parameters and time, and saved
    /// beside the states or instead of them.
    const OBSERVABLES: &'static [&'static str] = &[];

    /// Whether the mass matrix is another than the identity.
    const MASS: bool = false;
    /// How many rows of the mass matrix are zero: algebraic equations `0 = f(u, p, t)`.
    const ALGEBRAIC: usize = 0;
    /// Whether the system has a domain that solutions must not leave.
    const HAS_DOMAIN: bool = false;

    /// A factorised matrix.
    type Factors<R: Real>: Copy + core::fmt::Debug;

    /// The right-hand side.
    fn rhs<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [R; N];

    /// The derivatives of the right-hand side (rows) by the states (columns).
    fn jacobian<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [[R; N]; N];

    /// The derivatives of the right-hand side (rows) by the parameters (columns).
    fn parameter_jacobian<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [[R; P]; N];

    /// The derivative of the right-hand side by the time, at a fixed state.
    fn time_gradient<R: Real>(u: &[R; N], p: &[R; P], t: R) -> [R; N];

    /// The mass matrix times a vector.
    #[inline(always)]
    #[must_use]
    fn mass<R: Real>(v: &[R; N]) -> [R; N] {
        *v
    }

    /// The components of `a` in algebraic equations (zero rows of the mass matrix), those of `b` in
    /// others.
    #[inline(always)]
    #[must_use]
    fn algebraic_rows<R: Real>(a: &[R; N], b: &[R; N]) -> [R; N] {
        let _ = a;
        *b
    }

    /// The components of `a` for algebraic unknowns (zero columns of the mass matrix; all of them where
    /// there are not as many zero columns as zero rows), those of `b` for others.
    #[inline(always)]
    #[must_use]
    fn algebraic_columns<R: Real>(a: &[R; N], b: &[R; N]) -> [R; N] {
        let _ = a;
        *b
    }

    /// Whether a state is outside the system's domain.
    #[inline(always)]
    #[must_use]
    fn out_of_domain<R: Real>(u: &[R; N], p: &[R; P], t: R) -> R::Mask {
        let _ = (u, p, t);
        Mask::splat(false)
    }

    /// Factorises `W = scale M - J` at this point; `scale` is `1/(γ h)` of an implicit method.
    fn factor<R: Real>(u: &[R; N], p: &[R; P], t: R, scale: R) -> Self::Factors<R>;

    /// The solution `x` of `W x = b`.
    fn solve<R: Real>(w: &Self::Factors<R>, b: &[R; N]) -> [R; N];

    /// Whether the determinant of `W` is negative.
    fn negative<R: Real>(w: &Self::Factors<R>) -> R::Mask;

    /// Evaluates [`PARAMETER_BREAKS`](Self::PARAMETER_BREAKS): calls `put(time)` for each, in
    /// order. There is no such time where it is not finite.
    fn parameter_breaks(p: &[f64; P], put: impl FnMut(f64)) {
        let _ = (p, put);
    }

    /// Evaluates the observables: calls `put(index, value)` for each, in order.
    #[inline(always)]
    fn observe<R: Real>(u: &[R; N], p: &[R; P], t: R, put: impl FnMut(usize, R)) {
        let _ = (u, p, t, put);
    }

    /// The Rust that was generated: the functions above, one statement on each line.
    #[must_use]
    fn rust_source() -> &'static str {
        ""
    }

    /// The C++ definition of a struct `System` whose static member templates are the functions above;
    /// `observables`, where there are some, returns an array of them.
    fn device_source() -> String;
}

/// The times at which a system's right-hand side changes its form, in ascending order, as
/// [`System::TIME_BREAKS`] tells: those of `if t < 5.0 { … }`, of `(t - 2.0).max(0.0)` and of
/// `(t - 2.0).abs() < 0.5`. Steps that end there see each side of the change as the smooth function
/// that it is. And the middles of its pulses and steps in closed form, 2 of
/// `(-(10.0 * (t - 2.0)).powi(2)).exp()` and of `(10.0 * (t - 2.0)).tanh()`: steps that end there
/// do not pass over them.
///
/// Not among them are times that depend on parameters, or on functions such as `exp` of constants,
/// for which see [`tstops_for`]; and those of `t % period`, which are as many as the time span has
/// periods. [`System::MORE_TIME_BREAKS`] tells whether there are any that neither function lists.
#[must_use]
pub fn tstops_of<S: System<N, P>, const N: usize, const P: usize>(system: &S) -> &'static [f64] {
    let _ = system;
    S::TIME_BREAKS
}

/// The same with these parameters: with the times of `if t < p[0] + p[1] { … }`, too, and of
/// `(t - p[0]).abs() < p[1]`, and the middle `p[0]` of `((t - p[0]) / p[1]).tanh()`. Times that
/// differ by a few units in their last place are one.
#[must_use]
pub fn tstops_for<S: System<N, P>, const N: usize, const P: usize>(
    system: &S,
    p: &[f64; P],
) -> Vec<f64> {
    let mut times = tstops_of(system).to_vec();
    S::parameter_breaks(p, |time| times.push(time));
    times.retain(|time| time.is_finite());
    crate::options::merge(&mut times);
    times
}

/// Sorts times that rustc knows and the macro does not; how many are finite and different.
#[doc(hidden)]
#[must_use]
pub const fn in_order<const K: usize>(times: [f64; K]) -> ([f64; K], usize) {
    let mut sorted = times;
    let mut count = 0;
    let mut next = 0;
    while next < K {
        let time = times[next];
        next += 1;
        if !time.is_finite() {
            continue;
        }
        let mut place = count;
        while place > 0 && sorted[place - 1] > time {
            place -= 1;
        }
        if place > 0 && sorted[place - 1] == time {
            continue;
        }
        let mut from = count;
        while from > place {
            sorted[from] = sorted[from - 1];
            from -= 1;
        }
        sorted[place] = time;
        count += 1;
    }
    (sorted, count)
}

/// A member of the device struct: a constant of the user's, whose value the macro did not know.
///
/// The shortest decimal that reads back as the same `f64`. C++ has no literal for the values that
/// are not finite; the builtins are constant expressions for NVRTC, GCC and Clang.
#[doc(hidden)]
#[must_use]
pub fn device_constant(name: &str, value: f64) -> String {
    format!("    static constexpr double {name} = {};\n", device_number(value))
}

/// A number as a C++ expression.
pub(crate) fn device_number(value: f64) -> String {
    if value.is_nan() {
        "__builtin_nan(\"\")".to_owned()
    } else if value.is_infinite() {
        let sign = if value < 0.0 { "-" } else { "" };
        format!("{sign}__builtin_huge_val()")
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::{device_constant, in_order};

    #[test]
    fn times_are_sorted_and_different() {
        let sorted = |times: [f64; 6]| {
            let (sorted, count) = in_order(times);
            sorted[..count].to_vec()
        };
        assert_eq!(sorted([3.0, 1.0, 2.0, 1.0, 3.0, 0.5]), [0.5, 1.0, 2.0, 3.0]);
        assert_eq!(sorted([f64::NAN, 1.0, f64::INFINITY, -1.0, 1.0, -1.0]), [-1.0, 1.0]);
        assert!(sorted([f64::NAN; 6]).is_empty());
        assert_eq!(in_order([]).1, 0);
    }

    #[test]
    fn device_constants_read_back_exactly() {
        for value in [0.1, -9.81, 8.0 / 3.0, 1e300, 5e-324, 0.0, -0.0, f64::MAX, 3.0] {
            let text = device_constant("G", value);
            let number = text.trim().strip_prefix("static constexpr double G = ").unwrap();
            let number = number.strip_suffix(';').unwrap();
            // Without a point or an exponent it would be an integer in C++.
            assert!(number.contains(['.', 'e']), "{text}");
            assert_eq!(number.parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
        assert!(device_constant("G", f64::NEG_INFINITY).contains("= -__builtin_huge_val()"));
        assert!(device_constant("G", f64::NAN).contains("__builtin_nan"));
    }
}
