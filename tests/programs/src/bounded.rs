//! Numbers with a bound of their distance from exact arithmetic.
//!
//! Two evaluations of the same function that round differently agree if their bounds overlap, so no
//! tolerance has to be chosen. If a comparison, or a jump of a function, lies within a bound, the
//! point is [unsettled](settled), and no comparison is possible.

use std::cell::Cell;
use std::ops::{Add, Div, Mul, Neg, Sub};

use odes::lane::Real;

/// A value and a bound of its error.
#[derive(Clone, Copy, Debug)]
pub struct Bounded {
    pub value: f64,
    pub error: f64,
}

thread_local! {
    static SETTLED: Cell<bool> = const { Cell::new(true) };
}

/// Returns the result of `compute`, unless it depends on a decision that rounding may change.
pub fn settled<T>(compute: impl FnOnce() -> T) -> Option<T> {
    SETTLED.set(true);
    let computed = compute();
    SETTLED.get().then_some(computed)
}

/// The error bound of our functions in units in the last place, with a margin for this arithmetic.
const FUNCTION: f64 = 8.0 * f64::EPSILON;

impl Bounded {
    /// Creates a number without an error.
    #[must_use]
    pub fn exact(value: f64) -> Bounded {
        Bounded { value, error: 0.0 }
    }

    /// Returns whether both may be the same number; `None` if a bound is too large to be useful.
    #[must_use]
    pub fn agrees(self, other: Bounded) -> Option<bool> {
        let error = self.error + other.error;
        let difference = (self.value - other.value).abs();
        (error.is_finite() && difference.is_finite()).then_some(difference <= error)
    }

    /// Returns whether the number is certainly nonzero.
    #[must_use]
    pub fn nonzero(self) -> bool {
        self.value.abs() > self.error
    }

    /// Returns whether the bound is useful: three digits are right.
    #[must_use]
    pub fn is_sharp(self) -> bool {
        self.error <= 1e-3 * self.value.abs().max(1e-3)
    }

    /// Returns a rounded result.
    fn rounded(value: f64, error: f64) -> Bounded {
        // For subnormal numbers the unit in the last place is constant.
        let rounding = (value.abs() * f64::EPSILON).max(if value == 0.0 && error == 0.0 {
            0.0
        } else {
            5e-324
        });
        Bounded { value, error: (error + rounding) * (1.0 + 4.0 * f64::EPSILON) }
    }

    fn ends(self) -> [f64; 2] {
        [self.value - self.error, self.value + self.error]
    }

    /// Applies a monotone function.
    fn monotone(self, function: impl Fn(f64) -> f64) -> Bounded {
        self.spread(function(self.value), self.ends().map(&function))
    }

    /// Returns a value whose error spans the other values.
    fn spread(self, value: f64, others: impl IntoIterator<Item = f64>) -> Bounded {
        let mut error = 0.0_f64;
        if self.error > 0.0 {
            for other in others {
                // The edge of the domain is near.
                unsettled_if(other.is_nan() && !value.is_nan());
                error = error.max((other - value).abs());
            }
        }
        Bounded::rounded(value, error + FUNCTION * value.abs())
    }

    /// Applies a function that jumps, and is constant elsewhere.
    fn step(self, function: impl Fn(f64) -> f64) -> Bounded {
        let [low, high] = self.ends().map(&function);
        unsettled_if(low != high && self.error > 0.0);
        Bounded::exact(function(self.value))
    }

    /// Requires a certain sign of the difference from another number, unless there are no errors.
    fn decided(self, other: Bounded) {
        let error = self.error + other.error;
        unsettled_if(error > 0.0 && (self.value - other.value).abs() <= error || error.is_nan());
    }
}

fn unsettled_if(unsettled: bool) {
    if unsettled {
        SETTLED.set(false);
    }
}

impl Add for Bounded {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Bounded::rounded(self.value + other.value, self.error + other.error)
    }
}

impl Sub for Bounded {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Bounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let error = self.value.abs() * other.error
            + other.value.abs() * self.error
            + self.error * other.error;
        Bounded::rounded(self.value * other.value, error)
    }
}

impl Div for Bounded {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let quotient = self.value / other.value;
        let least = other.value.abs() - other.error;
        unsettled_if(other.error > 0.0 && least <= 0.0);
        let error = (self.error + quotient.abs() * other.error) / least;
        let exact = self.error == 0.0 && other.error == 0.0;
        Bounded::rounded(quotient, if exact { 0.0 } else { error })
    }
}

impl Neg for Bounded {
    type Output = Self;
    fn neg(self) -> Self {
        Bounded { value: -self.value, ..self }
    }
}

macro_rules! monotone {
    ($($name:ident)*) => {
        $(fn $name(self) -> Self {
            self.monotone(<f64 as Real>::$name)
        })*
    };
}

macro_rules! comparisons {
    ($($name:ident $operator:tt,)*) => {
        $(fn $name(self, other: Self) -> bool {
            self.decided(other);
            self.value $operator other.value
        })*
    };
}

impl Real for Bounded {
    no_solver_parts!();

    fn lit(value: f64) -> Self {
        Bounded::exact(value)
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        let product = self * a;
        let value = self.value.mul_add(a.value, b.value);
        Bounded::rounded(value, product.error + b.error)
    }
    fn abs(self) -> Self {
        Bounded { value: self.value.abs(), ..self }
    }
    fn copysign(self, sign: Self) -> Self {
        // The sign of a zero may be either.
        unsettled_if(sign.value.abs() <= sign.error);
        Bounded { value: self.value.copysign(sign.value), ..self }
    }
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    fn min(self, other: Self) -> Self {
        Bounded { value: Real::min(self.value, other.value), error: self.error.max(other.error) }
    }
    fn max(self, other: Self) -> Self {
        Bounded { value: Real::max(self.value, other.value), error: self.error.max(other.error) }
    }
    fn floor(self) -> Self {
        self.step(f64::floor)
    }
    fn round_even(self) -> Self {
        self.step(f64::round_ties_even)
    }
    fn sin(self) -> Self {
        Bounded::rounded(Real::sin(self.value), self.error.min(2.0) + FUNCTION)
    }
    fn cos(self) -> Self {
        Bounded::rounded(Real::cos(self.value), self.error.min(2.0) + FUNCTION)
    }
    fn hypot(self, y: Self) -> Self {
        let value = Real::hypot(self.value, y.value);
        Bounded::rounded(value, self.error + y.error + FUNCTION * value)
    }
    fn atan2(self, x: Self) -> Self {
        let (value, error) = (Real::atan2(self.value, x.value), self.error + x.error);
        let least = Real::hypot(self.value, x.value) - error;
        // The function jumps at the negative half of the axis; at the origin any value is possible.
        unsettled_if(least <= 0.0 || x.value <= x.error && self.value.abs() <= self.error);
        Bounded::rounded(
            value,
            if error > 0.0 { error / least } else { 0.0 } + FUNCTION * value.abs(),
        )
    }
    fn powf(self, y: Self) -> Self {
        let value = Real::powf(self.value, y.value);
        let inexact = Bounded { value, error: self.error.max(y.error) };
        unsettled_if(inexact.error > 0.0 && self.value <= self.error && self.error > 0.0);
        unsettled_if(y.error > 0.0 && self.value <= 0.0);
        let corners = self.ends().map(|base| y.ends().map(|exponent| Real::powf(base, exponent)));
        inexact.spread(value, corners.into_iter().flatten())
    }
    comparisons! { lt <, le <=, gt >, ge >=, equals ==, }
    monotone! {
        sqrt exp exp2 exp_m1 ln log2 log10 ln_1p tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt
    }

    fn lane(&self, _: usize) -> f64 {
        self.value
    }
    fn lanes(&self) -> &[f64] {
        core::slice::from_ref(&self.value)
    }
    fn set_lane(&mut self, _: usize, value: f64) {
        *self = Bounded::exact(value);
    }
}
