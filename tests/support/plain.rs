//! Numbers with the functions of std, and with every operation rounded separately.
//!
//! A lane program on these numbers returns, bit for bit, the result of the function compiled by
//! rustc. Functions that the compiler composes of others are excepted.

use std::ops::{Add, Div, Mul, Neg, Sub};

use ode_core::lane::Real;

/// An `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain(pub(crate) f64);

macro_rules! operators {
    ($($trait:ident $name:ident),*) => {
        $(impl $trait for Plain {
            type Output = Self;
            fn $name(self, other: Self) -> Self {
                Plain(self.0.$name(other.0))
            }
        })*
    };
}

operators! { Add add, Sub sub, Mul mul, Div div }

impl Neg for Plain {
    type Output = Self;
    fn neg(self) -> Self {
        Plain(-self.0)
    }
}

macro_rules! functions {
    ($($name:ident = $of_std:ident ($($argument:ident),*);)*) => {
        $(fn $name(self $(, $argument: Self)*) -> Self {
            Plain(f64::$of_std(self.0 $(, $argument.0)*))
        })*
    };
}

impl Real for Plain {
    no_solver_parts!();

    functions! {
        sqrt = sqrt(); abs = abs(); round_even = round_ties_even(); floor = floor();
        copysign = copysign(sign); exp = exp(); ln = ln(); sin = sin(); cos = cos(); tan = tan();
        tanh = tanh(); powf = powf(y); exp2 = exp2(); exp_m1 = exp_m1(); ln_1p = ln_1p();
        log2 = log2(); log10 = log10(); cbrt = cbrt(); asin = asin(); acos = acos(); atan = atan();
        sinh = sinh(); cosh = cosh(); asinh = asinh(); acosh = acosh(); atanh = atanh();
        atan2 = atan2(x); hypot = hypot(y);
    }

    fn lit(value: f64) -> Self {
        Plain(value)
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    fn lt(self, other: Self) -> bool {
        self.0 < other.0
    }
    fn le(self, other: Self) -> bool {
        self.0 <= other.0
    }
    fn gt(self, other: Self) -> bool {
        self.0 > other.0
    }
    fn ge(self, other: Self) -> bool {
        self.0 >= other.0
    }
    fn equals(self, other: Self) -> bool {
        self.0 == other.0
    }
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
    }
    fn min(self, other: Self) -> Self {
        if self.0 < other.0 { self } else { other }
    }
    fn max(self, other: Self) -> Self {
        if self.0 > other.0 { self } else { other }
    }
    fn lane(&self, _: usize) -> f64 {
        self.0
    }
    fn lanes(&self) -> &[f64] {
        core::slice::from_ref(&self.0)
    }
    fn set_lane(&mut self, _: usize, value: f64) {
        self.0 = value;
    }
}
