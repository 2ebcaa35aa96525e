//! Dense networks as right-hand sides.

use crate::array::Array;
use crate::error::ArrayError;
use crate::function::Function;
use crate::number::Number;
use crate::shape::Shape;
use crate::system::ArraySystem;

/// A dense network: `u' = W_k f(… f(W_1 u + b_1) …) + b_k`, for all columns together.
///
/// Each layer is one matrix product. The parameters are `[W_1, b_1, W_2, b_2, …]`, matrices and
/// vectors. The state has a row for each input of the network, and a column for each copy of its
/// equations. All columns have one step size. The function `f` is applied between layers.
///
/// ```
/// use ode_arrays::{Array, ArrayCpu, ArrayError, ArrayProblem, Function, Network};
/// use ode_core::{SolveOptions, methods::Tsit5};
///
/// # fn main() -> Result<(), ArrayError> {
/// // Two inputs, 50 hidden numbers, two outputs, 1,000 columns.
/// let wave = |scale: f64| move |row: usize, column: usize| scale * ((row * 7 + column * 3) as f64).sin();
/// let p = [
///     Array::matrix(50, 2, wave(0.5)),
///     Array::matrix(50, 1, wave(0.1)),
///     Array::matrix(2, 50, wave(0.1)),
///     Array::matrix(2, 1, wave(0.1)),
/// ];
/// let u0 = Array::matrix(2, 1000, |row, column| (row + column) as f64 / 1000.0);
/// let problem = ArrayProblem::new(Network::new(Function::Tanh), u0, 0.0..=1.5, p);
/// let solution = problem.solve(Tsit5, ArrayCpu::new(), &SolveOptions::default())?;
/// assert!(solution.code().is_success());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    between: Function,
}

impl Network {
    /// Creates a network with the function `between` between its layers.
    #[must_use]
    pub fn new(between: Function) -> Self {
        Network { between }
    }
}

impl<T: Number> ArraySystem<T> for Network {
    fn rhs(
        &self,
        u: &Array<T>,
        p: &[Array<T>],
        _t: T,
        du: &mut Array<T>,
    ) -> Result<(), ArrayError> {
        let one = T::lit(1.0);
        let mut hidden: Option<Array<T>> = None;
        let last = p.len() / 2 - 1;
        for (layer, of_layer) in p.chunks_exact(2).enumerate() {
            let (w, b) = (&of_layer[0], &of_layer[1]);
            let input = hidden.as_ref().unwrap_or(u);
            if layer == last {
                du.product(one, w, input)?;
                return du.add_to_columns(b);
            }
            let mut next = u.like(Shape { rows: w.rows(), ..u.shape() })?;
            next.product(one, w, input)?;
            next.add_to_columns(b)?;
            next.map(self.between)?;
            hidden = Some(next);
        }
        Ok(())
    }

    fn is_autonomous(&self) -> bool {
        true
    }

    fn check(&self, u0: &Array<T>, p: &[Array<T>]) -> Result<(), ArrayError> {
        if p.is_empty() || p.len() % 2 == 1 {
            let expected = "a matrix and a vector for each layer";
            return Err(ArrayError::Parameters { system: "Network", expected, given: p.len() });
        }
        let mut inputs = u0.rows();
        for (layer, of_layer) in p.chunks_exact(2).enumerate() {
            let is_last = 2 * layer + 2 == p.len();
            let rows = if is_last { u0.rows() } else { of_layer[0].rows() };
            let expected = [Shape::matrix(rows, inputs), Shape::vector(rows)];
            for (array, expected) in of_layer.iter().zip(expected) {
                if array.shape() != expected {
                    let (operation, given) = ("a layer of the network", array.shape());
                    return Err(ArrayError::Shape { operation, given, expected });
                }
            }
            inputs = rows;
        }
        Ok(())
    }
}
