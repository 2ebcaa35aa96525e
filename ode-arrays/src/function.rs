//! Functions of one number, applied to all elements of an array.

use ode_core::lane::Real;

pub(crate) use device::DEVICE;

/// A function of one number, for [`Array::map`](crate::Array::map).
///
/// It has the same bits as the function of this name in right-hand sides of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Function {
    /// `tanh x`.
    Tanh,
    /// `1 / (1 + exp(-x))`.
    Logistic,
    /// `max(x, 0)`; NaN stays NaN.
    Relu,
    /// `exp x`.
    Exp,
    /// `sin x`.
    Sin,
    /// `cos x`.
    Cos,
    /// `x²`.
    Square,
    /// `x³`.
    Cube,
}

/// The functions as lane programs, for the host and for devices.
#[ode_macros::device(function)]
mod device {
    use ode_core::lane::Real;
    use ode_core::math;

    pub(crate) fn tanh<R: Real>(x: R) -> R {
        math::tanh::<R>(x)
    }

    pub(crate) fn logistic<R: Real>(x: R) -> R {
        R::lit(1.0) / (R::lit(1.0) + math::exp::<R>(-x))
    }

    pub(crate) fn relu<R: Real>(x: R) -> R {
        R::select(x.lt(R::lit(0.0)), R::lit(0.0), x)
    }

    pub(crate) fn exp<R: Real>(x: R) -> R {
        math::exp::<R>(x)
    }

    pub(crate) fn sin<R: Real>(x: R) -> R {
        math::sin::<R>(x)
    }

    pub(crate) fn cos<R: Real>(x: R) -> R {
        math::cos::<R>(x)
    }

    pub(crate) fn square<R: Real>(x: R) -> R {
        x * x
    }

    pub(crate) fn cube<R: Real>(x: R) -> R {
        x * x * x
    }
}

impl Function {
    /// Applies the function to the numbers in the lanes.
    #[inline(always)]
    pub(crate) fn of<R: Real>(self, x: R) -> R {
        match self {
            Function::Tanh => device::tanh(x),
            Function::Logistic => device::logistic(x),
            Function::Relu => device::relu(x),
            Function::Exp => device::exp(x),
            Function::Sin => device::sin(x),
            Function::Cos => device::cos(x),
            Function::Square => device::square(x),
            Function::Cube => device::cube(x),
        }
    }

    /// Returns the name of the lane program.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Function::Tanh => "tanh",
            Function::Logistic => "logistic",
            Function::Relu => "relu",
            Function::Exp => "exp",
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Square => "square",
            Function::Cube => "cube",
        }
    }
}
