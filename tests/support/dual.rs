//! Dual numbers: differentiation that shares nothing with the compiler's.
//!
//! `a + b ε` with `ε² = 0`. A lane program run on dual numbers computes its directional derivative
//! along with its value. The rules are written from the textbook, with std's functions.
//!
//! A fused multiply-add is a product and a sum here, each rounded: the value is that of the plain
//! function, bit for bit, where that calls no function which the compiler composes of others.

use std::ops::{Add, Div, Mul, Neg, Sub};

use ode_core::lane::Real;

/// A value and its derivative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dual {
    /// The value.
    pub(crate) value: f64,
    /// The derivative.
    pub(crate) slope: f64,
}

impl Dual {
    /// A function's value and derivative, by the chain rule.
    fn chain(self, value: f64, slope: f64) -> Self {
        Dual { value, slope: if self.slope == 0.0 { 0.0 } else { slope * self.slope } }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual { value: self.value - other.value, slope: self.slope - other.slope }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Dual {
            value: self.value * other.value,
            slope: self.slope * other.value + self.value * other.slope,
        }
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Dual {
            value: self.value / other.value,
            slope: (self.slope * other.value - self.value * other.slope)
                / (other.value * other.value),
        }
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { value: -self.value, slope: -self.slope }
    }
}

/// For the parts of `Real` that only solvers need.
macro_rules! not_in_a_right_hand_side {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        $(fn $name(self $(, _: $argument)*) $(-> $result)? {
            unreachable!("a right-hand side has no `{}`", stringify!($name))
        })*
    };
}

impl Real for Dual {
    type Scalar = f64;
    type Mask = bool;
    type Bits = u64;
    type Single = f32;
    const LANES: usize = 1;
    const DOUBLE: bool = true;

    fn lit(value: f64) -> Self {
        Dual { value, slope: 0.0 }
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 1.0 / (2.0 * root))
    }
    fn abs(self) -> Self {
        if self.value >= 0.0 { self } else { -self }
    }
    fn lt(self, other: Self) -> bool {
        self.value < other.value
    }
    fn le(self, other: Self) -> bool {
        self.value <= other.value
    }
    fn gt(self, other: Self) -> bool {
        self.value > other.value
    }
    fn ge(self, other: Self) -> bool {
        self.value >= other.value
    }
    fn equals(self, other: Self) -> bool {
        self.value == other.value
    }
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    fn min(self, other: Self) -> Self {
        if self.value < other.value { self } else { other }
    }
    fn max(self, other: Self) -> Self {
        if self.value > other.value { self } else { other }
    }
    fn exp(self) -> Self {
        self.chain(self.value.exp(), self.value.exp())
    }
    fn ln(self) -> Self {
        self.chain(self.value.ln(), 1.0 / self.value)
    }
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }
    fn tan(self) -> Self {
        self.chain(self.value.tan(), self.value.cos().powi(-2))
    }
    fn tanh(self) -> Self {
        self.chain(self.value.tanh(), self.value.cosh().powi(-2))
    }
    fn exp2(self) -> Self {
        self.chain(self.value.exp2(), self.value.exp2() * std::f64::consts::LN_2)
    }
    fn exp_m1(self) -> Self {
        self.chain(self.value.exp_m1(), self.value.exp())
    }
    fn ln_1p(self) -> Self {
        self.chain(self.value.ln_1p(), 1.0 / (1.0 + self.value))
    }
    fn log2(self) -> Self {
        self.chain(self.value.log2(), 1.0 / (self.value * std::f64::consts::LN_2))
    }
    fn log10(self) -> Self {
        self.chain(self.value.log10(), 1.0 / (self.value * std::f64::consts::LN_10))
    }
    fn cbrt(self) -> Self {
        self.chain(self.value.cbrt(), 1.0 / (3.0 * self.value.cbrt().powi(2)))
    }
    fn asin(self) -> Self {
        self.chain(self.value.asin(), 1.0 / (1.0 - self.value.powi(2)).sqrt())
    }
    fn acos(self) -> Self {
        self.chain(self.value.acos(), -1.0 / (1.0 - self.value.powi(2)).sqrt())
    }
    fn atan(self) -> Self {
        self.chain(self.value.atan(), 1.0 / (1.0 + self.value.powi(2)))
    }
    fn sinh(self) -> Self {
        self.chain(self.value.sinh(), self.value.cosh())
    }
    fn cosh(self) -> Self {
        self.chain(self.value.cosh(), self.value.sinh())
    }
    fn asinh(self) -> Self {
        self.chain(self.value.asinh(), 1.0 / (self.value.powi(2) + 1.0).sqrt())
    }
    fn acosh(self) -> Self {
        self.chain(self.value.acosh(), 1.0 / (self.value.powi(2) - 1.0).sqrt())
    }
    fn atanh(self) -> Self {
        self.chain(self.value.atanh(), 1.0 / (1.0 - self.value.powi(2)))
    }
    fn atan2(self, x: Self) -> Self {
        let square = self.value.powi(2) + x.value.powi(2);
        let slope = (x.value * self.slope - self.value * x.slope) / square;
        Dual { value: self.value.atan2(x.value), slope }
    }
    fn hypot(self, y: Self) -> Self {
        let value = self.value.hypot(y.value);
        Dual { value, slope: (self.value * self.slope + y.value * y.slope) / value }
    }
    fn copysign(self, sign: Self) -> Self {
        let agree = self.value.is_sign_negative() == sign.value.is_sign_negative();
        if agree { self } else { -self }
    }
    fn round_even(self) -> Self {
        Dual::lit(self.value.round_ties_even())
    }
    fn floor(self) -> Self {
        Dual::lit(self.value.floor())
    }
    fn powf(self, y: Self) -> Self {
        // exp(y ln x), unless the exponent is constant: then the base may be negative.
        let value = self.value.powf(y.value);
        if y.slope == 0.0 {
            return self.chain(value, y.value * self.value.powf(y.value - 1.0));
        }
        let exponent = y * self.ln();
        Dual { value, slope: value * exponent.slope }
    }
    fn lane(self, _: usize) -> f64 {
        self.value
    }
    fn set_lane(&mut self, _: usize, value: f64) {
        *self = Dual::lit(value);
    }

    not_in_a_right_hand_side! {
        max_magnitude(Self) -> Self;
        at_most(Self) -> Self;
        at_least(Self) -> Self;
        to_bits() -> u64;
        bits_to_single() -> f32;
        to_single() -> f32;
    }
    fn from_bits(_: u64) -> Self {
        unreachable!("a right-hand side has no `from_bits`")
    }
    fn single_to_bits(_: f32) -> Self {
        unreachable!("a right-hand side has no `single_to_bits`")
    }
    fn from_single(_: f32) -> Self {
        unreachable!("a right-hand side has no `from_single`")
    }
    fn single_mask(_: bool) -> bool {
        unreachable!("a right-hand side has no `single_mask`")
    }
}
