//! Our versions of functions whose last bits depend on the library.
//!
//! Plain Rust calls them instead of std's, so that results can be compared bit for bit.

use std::ops::{Add, Div, Mul, Neg, Sub};

use odes::lane::Real;

macro_rules! own {
    ($($own:ident = $name:ident($($argument:ident),*);)*) => {
        /// Our functions as methods of `f64`.
        pub trait Own: Sized {
            $(#[must_use] fn $own(self $(, $argument: Self)*) -> Self;)*
            #[must_use]
            fn own_powf(self, exponent: Self) -> Self;
            #[must_use]
            fn own_powi(self, exponent: i32) -> Self;
            #[must_use]
            fn own_log(self, base: Self) -> Self;
            #[must_use]
            fn own_sin_cos(self) -> (Self, Self);
        }

        impl Own for f64 {
            $(
                #[inline(never)]
                fn $own(self $(, $argument: Self)*) -> Self {
                    <f64 as Real>::$name(self $(, $argument)*)
                }
            )*

            /// Some exponents have operations of their own.
            fn own_powf(self, exponent: Self) -> Self {
                match exponent {
                    0.0 => 1.0,
                    0.5 => self.sqrt(),
                    1.0 => self,
                    2.0 => self * self,
                    -1.0 => 1.0 / self,
                    _ => own_general_power(self, exponent),
                }
            }

            /// Repeated squaring, from the lowest bit of the exponent.
            fn own_powi(self, exponent: i32) -> Self {
                let (mut power, mut square, mut rest) = (1.0, self, exponent.unsigned_abs());
                while rest > 0 {
                    if rest % 2 == 1 {
                        power *= square;
                    }
                    square *= square;
                    rest /= 2;
                }
                if exponent < 0 { 1.0 / power } else { power }
            }

            fn own_log(self, base: Self) -> Self {
                self.own_ln() / base.own_ln()
            }

            fn own_sin_cos(self) -> (Self, Self) {
                (self.own_sin(), self.own_cos())
            }
        }
    };
}

own! {
    own_min = min(other);
    own_max = max(other);
    own_exp = exp();
    own_exp2 = exp2();
    own_exp_m1 = exp_m1();
    own_ln = ln();
    own_log2 = log2();
    own_log10 = log10();
    own_ln_1p = ln_1p();
    own_sin = sin();
    own_cos = cos();
    own_tan = tan();
    own_asin = asin();
    own_acos = acos();
    own_atan = atan();
    own_sinh = sinh();
    own_cosh = cosh();
    own_tanh = tanh();
    own_asinh = asinh();
    own_acosh = acosh();
    own_atanh = atanh();
    own_cbrt = cbrt();
    own_atan2 = atan2(x);
    own_hypot = hypot(y);
}

#[inline(never)]
fn own_general_power(base: f64, exponent: f64) -> f64 {
    <f64 as Real>::powf(base, exponent)
}

/// An `f64` with elementary functions that are called.
///
/// Inlined functions, as in lanes, would take most of the compile time.
#[derive(Clone, Copy, Debug)]
pub struct Calling(pub f64);

impl From<f64> for Calling {
    fn from(value: f64) -> Calling {
        Calling(value)
    }
}

impl From<Calling> for f64 {
    fn from(value: Calling) -> f64 {
        value.0
    }
}

macro_rules! operators {
    ($($operator:ident $name:ident,)*) => {
        $(impl $operator for Calling {
            type Output = Self;
            #[inline]
            fn $name(self, other: Self) -> Self {
                Calling($operator::$name(self.0, other.0))
            }
        })*
    };
}

operators! { Add add, Sub sub, Mul mul, Div div, }

impl Neg for Calling {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Calling(-self.0)
    }
}

macro_rules! functions {
    ($($name:ident = $function:path;)*) => {
        $(
            #[inline]
            fn $name(self) -> Self {
                Calling($function(self.0))
            }
        )*
    };
}

macro_rules! functions_of_two {
    ($($name:ident = $function:path;)*) => {
        $(
            #[inline]
            fn $name(self, other: Self) -> Self {
                Calling($function(self.0, other.0))
            }
        )*
    };
}

macro_rules! comparisons {
    ($($name:ident $operator:tt,)*) => {
        $(
            #[inline]
            fn $name(self, other: Self) -> bool {
                self.0 $operator other.0
            }
        )*
    };
}

impl Real for Calling {
    no_solver_parts!();

    fn lit(value: f64) -> Self {
        Calling(value)
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        Calling(self.0.mul_add(a.0, b.0))
    }
    fn select(mask: bool, a: Self, b: Self) -> Self {
        if mask { a } else { b }
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
    comparisons! { lt <, le <=, gt >, ge >=, equals ==, }
    functions! {
        sqrt = f64::sqrt;
        abs = f64::abs;
        round_even = f64::round_ties_even;
        floor = f64::floor;
        exp = Own::own_exp;
        exp2 = Own::own_exp2;
        exp_m1 = Own::own_exp_m1;
        ln = Own::own_ln;
        log2 = Own::own_log2;
        log10 = Own::own_log10;
        ln_1p = Own::own_ln_1p;
        sin = Own::own_sin;
        cos = Own::own_cos;
        tan = Own::own_tan;
        asin = Own::own_asin;
        acos = Own::own_acos;
        atan = Own::own_atan;
        sinh = Own::own_sinh;
        cosh = Own::own_cosh;
        tanh = Own::own_tanh;
        asinh = Own::own_asinh;
        acosh = Own::own_acosh;
        atanh = Own::own_atanh;
        cbrt = Own::own_cbrt;
    }
    functions_of_two! {
        copysign = f64::copysign;
        min = Own::own_min;
        max = Own::own_max;
        atan2 = Own::own_atan2;
        hypot = Own::own_hypot;
        powf = own_general_power;
    }
}
