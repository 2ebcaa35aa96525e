//! Random programs, with their types erased.

use std::fmt::Write as _;

use ode_core::lane::Real;
use odes::__private::System;
use odes::system::PullBack;

use crate::bounded::Bounded;
use crate::dual::Dual;
use crate::tape::{Recorded, Tape};

/// A function of the state, the parameters and the time, one after another.
pub type Evaluate = fn(&[f64]) -> Vec<f64>;

/// The point of an evaluation: the state, the parameters and the time, one after another.
pub type Point = Vec<f64>;

/// A program in all its forms.
pub struct Program {
    /// The environment variables that generate only this program.
    pub replay: &'static str,
    pub text: &'static str,
    pub name: &'static str,
    pub states: usize,
    pub parameters: usize,
    /// The plain function, compiled by rustc.
    pub plain: Evaluate,
    /// The compiler's output without fusing, compiled by rustc for one lane.
    pub lane_code: Evaluate,
    pub unfused_tape: Tape,
    /// The right-hand side, and the derivatives with respect to state, parameters and time, row by
    /// row.
    ///
    /// A program with gradients has two more, with respect to states and parameters: the product of
    /// [`weights`] with these derivatives, and [`PullBack::curved`] of the matrix of such weights.
    pub functions: Vec<Tape>,
    /// For each row and input, whether the system declares that the derivative can be nonzero.
    pub pattern: Vec<Vec<bool>>,
    pub device_source: fn() -> String,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Converts a slice to the arguments of a system.
fn arguments<R: Copy, const N: usize, const P: usize>(inputs: &[R]) -> ([R; N], [R; P], R) {
    (std::array::from_fn(|i| inputs[i]), std::array::from_fn(|i| inputs[N + i]), inputs[N + P])
}

fn rhs<S: System<N, P> + Default, R: Real, const N: usize, const P: usize>(inputs: &[R]) -> Vec<R> {
    let (u, p, t) = arguments(inputs);
    S::default().rhs(&u, &p, t).to_vec()
}

/// Converts the plain function from the in-place form.
pub fn plain<const N: usize, const P: usize>(
    inputs: &[f64],
    call: fn(&mut [f64; N], &[f64; N], &[f64; P], f64),
) -> Vec<f64> {
    let (u, p, t) = arguments(inputs);
    let mut du = [f64::NAN; N];
    call(&mut du, &u, &p, t);
    du.to_vec()
}

/// Returns factors for the derivatives of components: one set for each `kind`.
#[must_use]
pub fn weights<const N: usize>(kind: usize) -> [f64; N] {
    std::array::from_fn(|i| [0.75, -1.25, 0.5][kind] + 0.625 * i as f64)
}

/// Returns the additional [`Program::functions`] of a program with gradients.
#[must_use]
pub fn gradients<S, const N: usize, const P: usize>() -> Vec<Tape>
where
    S: PullBack<N, P, Pulled<Recorded>: AsRef<[Recorded]>> + Default,
{
    let literals = |kind| weights::<N>(kind).map(Recorded::lit);
    let record = |function: &dyn Fn(&[Recorded]) -> S::Pulled<Recorded>| {
        Tape::record(N + P + 1, |inputs| function(inputs).as_ref().to_vec())
    };
    vec![
        record(&|inputs| {
            let (u, p, t) = arguments(inputs);
            S::default().pull_back(&u, &p, t, &literals(0))
        }),
        record(&|inputs| {
            let (u, p, t) = arguments(inputs);
            let system = S::default();
            let curve = system.curve(&literals(1), &literals(2));
            system.curved(&u, &p, t, &curve, &literals(0))
        }),
    ]
}

/// Evaluates the right-hand side of a system in numbers of one lane.
pub fn lane_code<S, R, const N: usize, const P: usize>(inputs: &[f64]) -> Vec<f64>
where
    S: System<N, P> + Default,
    R: Real + From<f64> + Into<f64>,
{
    let inputs: Vec<R> = inputs.iter().map(|&input| R::from(input)).collect();
    rhs::<S, R, N, P>(&inputs).into_iter().map(R::into).collect()
}

impl Program {
    #[must_use]
    pub fn new<S, Unfused, const N: usize, const P: usize>(
        replay: &'static str,
        text: &'static str,
        plain: Evaluate,
        lane_code: Evaluate,
        gradients: Vec<Tape>,
    ) -> Program
    where
        S: System<N, P> + Default,
        Unfused: System<N, P> + Default,
    {
        let record = |function: fn(&[Recorded]) -> Vec<Recorded>| Tape::record(N + P + 1, function);
        let mut functions = vec![
            record(rhs::<S, Recorded, N, P>),
            record(|inputs| {
                let (u, p, t) = arguments(inputs);
                S::default().jacobian(&u, &p, t).as_flattened().to_vec()
            }),
            record(|inputs| {
                let (u, p, t) = arguments(inputs);
                S::default().parameter_jacobian(&u, &p, t).as_flattened().to_vec()
            }),
            record(|inputs| {
                let (u, p, t) = arguments(inputs);
                S::default().time_gradient(&u, &p, t).to_vec()
            }),
        ];
        functions.extend(gradients);
        let info = S::default().info();
        let mut pattern = vec![vec![false; N + P + 1]; N];
        for &(row, column) in info.jacobian_pattern {
            pattern[row][column] = true;
        }
        for &(row, column) in info.parameter_pattern {
            pattern[row][N + column] = true;
        }
        for &row in info.time_pattern {
            pattern[row][N + P] = true;
        }
        Program {
            replay,
            text,
            name: info.name,
            states: N,
            parameters: P,
            plain,
            lane_code,
            unfused_tape: record(rhs::<Unfused, Recorded, N, P>),
            functions,
            pattern,
            device_source: || S::default().device_source().unwrap().to_string(),
        }
    }

    /// Returns the number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.states + self.parameters + 1
    }

    /// Returns the emitted derivative of each component with respect to an input.
    #[must_use]
    pub fn column<R: Real>(&self, input: usize, inputs: &[R]) -> Vec<R> {
        let (function, column, columns) = match input {
            state if state < self.states => (1, state, self.states),
            parameter if parameter < self.states + self.parameters => {
                (2, parameter - self.states, self.parameters)
            }
            _ => (3, 0, 1),
        };
        let matrix = self.functions[function].evaluate(inputs);
        matrix.chunks(columns).map(|row| row[column]).collect()
    }

    /// Returns the same derivative by dual numbers.
    #[must_use]
    pub fn differentiated(&self, input: usize, inputs: &[Bounded]) -> Vec<Bounded> {
        let mut inputs: Vec<Dual<Bounded>> = inputs.iter().copied().map(Dual::constant).collect();
        inputs[input].slope = Bounded::exact(1.0);
        self.functions[0].evaluate(&inputs).iter().map(|dual| dual.slope).collect()
    }

    /// Returns the expected functions of a program with gradients with respect to an input.
    ///
    /// They are from dual numbers of the right-hand side and of the emitted derivatives.
    #[must_use]
    pub fn pulled(&self, input: usize, inputs: &[Bounded]) -> [Bounded; 2] {
        let slopes = |function: usize| {
            let mut duals: Vec<Dual<Bounded>> =
                inputs.iter().copied().map(Dual::constant).collect();
            duals[input].slope = Bounded::exact(1.0);
            self.functions[function].evaluate(&duals).into_iter().map(|dual| dual.slope)
        };
        let [b, column, row] = [0, 1, 2].map(|kind| {
            let numbers: [f64; 8] = weights(kind);
            numbers.map(Bounded::exact)
        });
        let sum = |terms: &mut dyn Iterator<Item = Bounded>| {
            terms.reduce(|a, b| a + b).unwrap_or(Bounded::exact(0.0))
        };
        let product = |(i, slope): (usize, Bounded)| b[i] * slope;
        let of_rhs = sum(&mut slopes(0).enumerate().map(product));
        let by_time = slopes(3).enumerate().map(product);
        let states = self.states;
        let by_states = slopes(1)
            .enumerate()
            .map(|(entry, slope)| row[entry / states] * column[entry % states] * slope);
        [of_rhs, sum(&mut by_states.chain(by_time))]
    }

    /// Formats a failure, with all data needed to investigate it.
    #[must_use]
    pub fn report(&self, point: &[f64], what: impl std::fmt::Display) -> String {
        let mut report = format!("{what}\n{}\n", self.replay);
        let (u, rest) = point.split_at(self.states);
        let (p, t) = rest.split_at(self.parameters);
        writeln!(report, "u = {u:?}, p = {p:?}, t = {:?}\n{}", t[0], self.text).expect("a string");
        report
    }
}
