//! Dual numbers: differentiation that is independent of the compiler's.
//!
//! They are `a + b ε` with `ε² = 0`. A lane program on dual numbers computes its directional
//! derivative along with its value. The rules are textbook rules, for any number type with one
//! lane.

use std::f64::consts::{LN_2, LN_10};
use std::ops::{Add, Div, Mul, Neg, Sub};

use ode_core::lane::Real;

/// A value and its derivative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dual<T> {
    /// The value of the number.
    pub(crate) value: T,
    /// The derivative of the number.
    pub(crate) slope: T,
}

fn one<T: Real>() -> T {
    T::lit(1.0)
}

fn square<T: Real>(x: T) -> T {
    x * x
}

impl<T: Real<Mask = bool>> Dual<T> {
    /// Creates a constant, with the derivative zero.
    pub(crate) fn constant(value: T) -> Self {
        Dual { value, slope: T::lit(0.0) }
    }

    /// Returns a function's value and derivative, by the chain rule.
    fn chain(self, value: T, slope: T) -> Self {
        // If the argument is constant, an infinite derivative of the function has no effect.
        let unchanging = self.slope.equals(T::lit(0.0));
        Dual { value, slope: if unchanging { self.slope } else { slope * self.slope } }
    }
}

impl<T: Real<Mask = bool>> Add for Dual<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl<T: Real<Mask = bool>> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual { value: self.value - other.value, slope: self.slope - other.slope }
    }
}

impl<T: Real<Mask = bool>> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Dual {
            value: self.value * other.value,
            slope: self.slope * other.value + self.value * other.slope,
        }
    }
}

impl<T: Real<Mask = bool>> Div for Dual<T> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Dual {
            value: self.value / other.value,
            slope: (self.slope * other.value - self.value * other.slope)
                / (other.value * other.value),
        }
    }
}

impl<T: Real<Mask = bool>> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { value: -self.value, slope: -self.slope }
    }
}

/// The types and functions of `Real` that only solvers need, for numbers of one lane.
macro_rules! no_solver_parts {
    () => {
        type Scalar = f64;
        type Mask = bool;
        type Bits = u64;
        type Single = f32;
        const LANES: usize = 1;
        const DOUBLE: bool = true;

        no_solver_parts! {
            max_magnitude(self, _: Self) -> Self;
            at_most(self, _: Self) -> Self;
            at_least(self, _: Self) -> Self;
            to_bits(self) -> u64;
            from_bits(_: u64) -> Self;
            bits_to_single(self) -> f32;
            single_to_bits(_: f32) -> Self;
            to_single(self) -> f32;
            from_single(_: f32) -> Self;
            single_mask(_: bool) -> bool;
        }
    };
    ($($name:ident($($argument:tt)*) -> $result:ty;)*) => {
        $(fn $name($($argument)*) -> $result {
            unreachable!("a right-hand side has no `{}`", stringify!($name))
        })*
    };
}

impl<T: Real<Scalar = f64, Mask = bool>> Real for Dual<T> {
    no_solver_parts!();

    fn lit(value: f64) -> Self {
        Dual::constant(T::lit(value))
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        Dual {
            value: self.value.mul_add(a.value, b.value),
            slope: self.slope * a.value + self.value * a.slope + b.slope,
        }
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, T::lit(0.5) / root)
    }
    fn abs(self) -> Self {
        if self.value.ge(T::lit(0.0)) { self } else { -self }
    }
    fn lt(self, other: Self) -> bool {
        self.value.lt(other.value)
    }
    fn le(self, other: Self) -> bool {
        self.value.le(other.value)
    }
    fn gt(self, other: Self) -> bool {
        self.value.gt(other.value)
    }
    fn ge(self, other: Self) -> bool {
        self.value.ge(other.value)
    }
    fn equals(self, other: Self) -> bool {
        self.value.equals(other.value)
    }
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    fn min(self, other: Self) -> Self {
        if self.value.lt(other.value) { self } else { other }
    }
    fn max(self, other: Self) -> Self {
        if self.value.gt(other.value) { self } else { other }
    }
    fn exp(self) -> Self {
        self.chain(self.value.exp(), self.value.exp())
    }
    fn ln(self) -> Self {
        self.chain(self.value.ln(), one::<T>() / self.value)
    }
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }
    fn tan(self) -> Self {
        self.chain(self.value.tan(), one::<T>() / square(self.value.cos()))
    }
    fn tanh(self) -> Self {
        self.chain(self.value.tanh(), one::<T>() / square(self.value.cosh()))
    }
    fn exp2(self) -> Self {
        self.chain(self.value.exp2(), self.value.exp2() * T::lit(LN_2))
    }
    fn exp_m1(self) -> Self {
        self.chain(self.value.exp_m1(), self.value.exp())
    }
    fn ln_1p(self) -> Self {
        self.chain(self.value.ln_1p(), one::<T>() / (one::<T>() + self.value))
    }
    fn log2(self) -> Self {
        self.chain(self.value.log2(), one::<T>() / (self.value * T::lit(LN_2)))
    }
    fn log10(self) -> Self {
        self.chain(self.value.log10(), one::<T>() / (self.value * T::lit(LN_10)))
    }
    fn cbrt(self) -> Self {
        self.chain(self.value.cbrt(), one::<T>() / (T::lit(3.0) * square(self.value.cbrt())))
    }
    fn asin(self) -> Self {
        self.chain(self.value.asin(), one::<T>() / (one::<T>() - square(self.value)).sqrt())
    }
    fn acos(self) -> Self {
        self.chain(self.value.acos(), -one::<T>() / (one::<T>() - square(self.value)).sqrt())
    }
    fn atan(self) -> Self {
        self.chain(self.value.atan(), one::<T>() / (one::<T>() + square(self.value)))
    }
    fn sinh(self) -> Self {
        self.chain(self.value.sinh(), self.value.cosh())
    }
    fn cosh(self) -> Self {
        self.chain(self.value.cosh(), self.value.sinh())
    }
    fn asinh(self) -> Self {
        self.chain(self.value.asinh(), one::<T>() / (square(self.value) + one()).sqrt())
    }
    fn acosh(self) -> Self {
        self.chain(self.value.acosh(), one::<T>() / (square(self.value) - one()).sqrt())
    }
    fn atanh(self) -> Self {
        self.chain(self.value.atanh(), one::<T>() / (one::<T>() - square(self.value)))
    }
    fn atan2(self, x: Self) -> Self {
        let square = square(self.value) + square(x.value);
        let slope = (x.value * self.slope - self.value * x.slope) / square;
        Dual { value: self.value.atan2(x.value), slope }
    }
    fn hypot(self, y: Self) -> Self {
        let value = self.value.hypot(y.value);
        Dual { value, slope: (self.value * self.slope + y.value * y.slope) / value }
    }
    fn copysign(self, sign: Self) -> Self {
        let signs = one::<T>().copysign(self.value) * one::<T>().copysign(sign.value);
        if signs.gt(T::lit(0.0)) { self } else { -self }
    }
    fn round_even(self) -> Self {
        Dual::constant(self.value.round_even())
    }
    fn floor(self) -> Self {
        Dual::constant(self.value.floor())
    }
    fn powf(self, y: Self) -> Self {
        // exp(y ln x), unless the exponent is constant: then the base may be negative.
        let value = self.value.powf(y.value);
        if y.slope.equals(T::lit(0.0)) {
            return self.chain(value, y.value * self.value.powf(y.value - one()));
        }
        let exponent = y * self.ln();
        Dual { value, slope: value * exponent.slope }
    }
    fn lane(&self, i: usize) -> f64 {
        self.value.lane(i)
    }
    fn lanes(&self) -> &[f64] {
        self.value.lanes()
    }
    fn set_lane(&mut self, _: usize, value: f64) {
        *self = Dual::lit(value);
    }
}
