//! Functions of one number that are applied to whole arrays.

use ode_core::lane::Real;

/// A function of one number, for [`Array::map`](crate::Array::map). It is the function of
/// right-hand sides of lanes of the same name, with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Function {
    /// `tanh x`.
    Tanh,
    /// `1 / (1 + exp(-x))`.
    Logistic,
    /// `max(x, 0)`; a NaN stays one.
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

impl Function {
    /// The function of the numbers in the lanes.
    #[inline(always)]
    pub(crate) fn of<R: Real>(self, x: R) -> R {
        match self {
            Function::Tanh => x.tanh(),
            Function::Logistic => R::lit(1.0) / (R::lit(1.0) + (-x).exp()),
            Function::Relu => R::select(x.lt(R::lit(0.0)), R::lit(0.0), x),
            Function::Exp => x.exp(),
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Square => x * x,
            Function::Cube => x * x * x,
        }
    }
}
