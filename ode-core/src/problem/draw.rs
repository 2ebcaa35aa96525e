//! The values of sampled quantities, for any range of trajectories.
//!
//! A value is a function of the seed, the quantity and the index of the trajectory in the whole
//! ensemble. So each shard draws the same values as a solve of the whole ensemble. Lanes compute
//! the values in `f64`.
//!
//! A device draws the values itself, unless the host needs them. The host needs them if the
//! ensemble has a closure, if trajectories have stops of their own, or if times depend on
//! parameters.

pub(crate) mod groups;
pub(crate) mod values;

use crate::error::SolveError;
use crate::lane::{Real, Scalar};
use crate::problem::inputs::Input;
use crate::problem::samples::{
    Arrangement, Design, Kind, Linspace, LogUniform, Logspace, Rule, Samples, Scrambling, Uniform,
};
use crate::problem::sweep::{Quantity, index_of};
use crate::random::{PermutationKeys, sobol};
use crate::system::facts::Facts;
use core::ops::Range;
use groups::{Column, PathOrder};
use values::{Marginal, Scrambled, Source, Stream, Values};

/// The checked rules of an ensemble.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draw {
    columns: Vec<Drawn>,
    /// The number of trajectories of a base sample.
    group: usize,
    order: PathOrder,
}

/// A sampled quantity.
#[derive(Clone, Debug)]
struct Drawn {
    quantity: Quantity,
    index: usize,
    values: Column,
}

/// The maximal number of trajectories of a design with 32-bit cell indices.
const CELLS: usize = 1 << 32;

/// The purposes of random words.
///
/// Each purpose has two values, one for each kind of quantity.
const VALUES: u64 = 0;
const SCRAMBLING: u64 = 2;
const ORDER: u64 = 4;
const PLACES: u64 = 6;
/// Added to a purpose for the second of Saltelli's matrices.
const OTHER: u64 = 8;

impl Draw {
    /// Checks the rules of `n` trajectories.
    ///
    /// `on_axis` returns whether a quantity is on an axis of a grid.
    ///
    /// # Errors
    /// * The system has no quantity with the name or index of a rule.
    /// * A quantity is sampled twice.
    /// * The numbers of a rule are not valid.
    /// * The design supports fewer trajectories or quantities.
    pub(crate) fn checked(
        samples: Option<&Samples>,
        on_axis: &dyn Fn(Quantity, usize) -> bool,
        system: &Facts,
        n: usize,
    ) -> Result<Self, SolveError> {
        let mut columns: Vec<Drawn> = Vec::new();
        let Some(samples) = samples else { return Ok(Draw::default()) };
        let Samples { seed, design, rules, arrangement } = samples;
        let (inputs, mut input) = (samples.count_inputs(), 0);
        let group = arrangement.group(inputs);
        if let (Design::Sobol(_), Arrangement::Saltelli) = (design, arrangement)
            && 2 * inputs > sobol::DIMENSIONS
        {
            return Err(SolveError::Design {
                design: "Sobol",
                of: "columns of Saltelli's matrices, two for each random quantity,",
                given: 2 * inputs,
                most: sobol::DIMENSIONS,
            });
        }
        for (quantity, which, rule) in rules {
            let (kind, names) = quantity.of(system);
            let index = index_of(*quantity, which, system)?;
            let twice = columns.iter().any(|c| c.quantity == *quantity && c.index == index);
            if twice || on_axis(*quantity, index) {
                return Err(SolveError::SampledTwice {
                    system: system.info.name,
                    kind,
                    name: names[index],
                    index,
                    on_axis: !twice,
                });
            }
            let place = Place { system: system.info.name, kind, name: names[index] };
            let values = match place.values(rule, n)? {
                Ok(values) => Column::Each(values),
                Err(marginal) => {
                    let values = |dimension: usize, added: u64| {
                        let stream = |purpose| stream(*seed, *quantity, index, purpose + added);
                        source(*design, n / group, dimension, &stream)
                            .map(|source| Values::Random(source, marginal.clone()))
                    };
                    let column = match *arrangement {
                        Arrangement::Single => Column::Each(values(input, 0)?),
                        Arrangement::Saltelli => Column::Matrices {
                            values: [values(input, 0)?, values(inputs + input, OTHER)?],
                            input,
                        },
                        Arrangement::Path { levels } => {
                            Column::Path { levels: values::levels(&marginal, levels), input }
                        }
                    };
                    input += 1;
                    column
                }
            };
            columns.push(Drawn { quantity: *quantity, index, values });
        }
        Ok(Draw { columns, group, order: PathOrder::new(*seed, inputs) })
    }

    /// Returns whether a quantity is sampled.
    pub(crate) fn has(&self, quantity: Quantity, index: usize) -> bool {
        self.columns.iter().any(|column| column.quantity == quantity && column.index == index)
    }

    /// Removes the quantities that a device draws itself, and returns them as inputs.
    ///
    /// Each input comes with its index. `first` is the index of the first trajectory, and `states`
    /// the number of components of a state.
    pub(crate) fn take_for_device<T: Scalar>(
        &mut self,
        first: u64,
        states: usize,
    ) -> Vec<(usize, Input<T>)> {
        let mut taken = Vec::new();
        for Drawn { quantity, index, values } in core::mem::take(&mut self.columns) {
            let before = match quantity {
                Quantity::InitialState => 0,
                Quantity::Parameter => states,
            };
            match values {
                Column::Each(values) if values.is_for_devices() => {
                    taken.push((before + index, Input::drawn(values, first)));
                }
                values => self.columns.push(Drawn { quantity, index, values }),
            }
        }
        taken
    }

    /// Returns whether all trajectories share all values.
    ///
    /// The result is also true if nothing is sampled.
    pub(crate) fn is_constant(&self) -> bool {
        self.columns.iter().all(|column| column.values.is_constant())
    }

    /// Returns the values of trajectories `range`, quantity by quantity.
    ///
    /// The result is empty if nothing is sampled.
    pub(crate) fn values(&self, range: Range<usize>) -> Vec<f64> {
        let mut out = vec![0.0; self.columns.len() * range.len()];
        for (column, out) in self.columns.iter().zip(out.chunks_exact_mut(range.len().max(1))) {
            column.values.write(range.start, self.group, &self.order, out);
        }
        out
    }

    /// Writes the values of one trajectory into its initial state and parameters.
    ///
    /// `values` are the values of a range, and `k` is the trajectory's position in this range.
    pub(crate) fn put(&self, values: &[f64], k: usize, u0: &mut [f64], p: &mut [f64]) {
        let len = values.len() / self.columns.len().max(1);
        for (column, values) in self.columns.iter().zip(values.chunks_exact(len)) {
            let numbers = match column.quantity {
                Quantity::Parameter => &mut *p,
                Quantity::InitialState => &mut *u0,
            };
            numbers[column.index] = values[k];
        }
    }
}

/// Returns the random words of a quantity for a purpose.
fn stream(seed: u64, quantity: Quantity, index: usize, purpose: u64) -> Stream {
    let kind = match quantity {
        Quantity::InitialState => 0,
        Quantity::Parameter => 1,
    };
    Stream { seed, index: index as u64, purpose: purpose + kind }
}

/// Returns the source of the random numbers of a quantity.
///
/// `dimension` counts the random quantities before this one.
fn source(
    design: Design,
    n: usize,
    dimension: usize,
    stream: &dyn Fn(u64) -> Stream,
) -> Result<Source, SolveError> {
    let at_most = |name: &'static str| match n <= CELLS {
        true => Ok(()),
        false => {
            Err(SolveError::Design { design: name, of: "trajectories", given: n, most: CELLS })
        }
    };
    match design {
        Design::Random => Ok(Source::Words(stream(VALUES))),
        Design::LatinHypercube => {
            at_most("LatinHypercube")?;
            let network = PermutationKeys::new(n as u64, stream(ORDER).keys());
            Ok(Source::Latin(network, stream(PLACES)))
        }
        Design::Sobol(scrambling) => {
            at_most("Sobol")?;
            let Some(directions) = sobol::directions(dimension) else {
                return Err(SolveError::Design {
                    design: "Sobol",
                    of: "random quantities",
                    given: dimension + 1,
                    most: sobol::DIMENSIONS,
                });
            };
            let scrambled = match scrambling {
                Scrambling::None => Scrambled::Shift(0),
                Scrambling::Shift => {
                    let [word] = stream(SCRAMBLING).keys();
                    Scrambled::Shift(word)
                }
                Scrambling::Owen => Scrambled::Owen(Box::new(stream(SCRAMBLING).keys())),
            };
            Ok(Source::Sobol(Box::new(directions.map(u64::from)), scrambled))
        }
    }
}

/// The quantity of a rule, for errors.
struct Place {
    system: &'static str,
    kind: &'static str,
    name: &'static str,
}

impl Place {
    /// Returns the values of a rule, or its distribution.
    ///
    /// # Errors
    /// A number of the rule is not valid.
    fn values(&self, rule: &Rule, n: usize) -> Result<Result<Values, Marginal>, SolveError> {
        let last = n.saturating_sub(1) as f64;
        let steps = last.max(1.0);
        Ok(match &rule.0 {
            &Kind::Constant(value) => {
                self.number("a constant", "value", value, !value.is_nan(), "not be NaN")?;
                Ok(Values::Constant(value))
            }
            &Kind::Linspace(Linspace(from, to)) => {
                self.finite("Linspace", [("first value", from), ("last value", to)])?;
                self.number(
                    "Linspace",
                    "distance",
                    to - from,
                    (to - from).is_finite(),
                    "be finite",
                )?;
                let to = if n > 1 { to } else { from };
                Ok(Values::Linspace { last, from, to, step: (to - from) / steps })
            }
            &Kind::Logspace(Logspace(from, to)) => {
                self.positive("Logspace", [("first value", from), ("last value", to)])?;
                let to = if n > 1 { to } else { from };
                let [log, end] = [from, to].map(logarithm);
                Ok(Values::Logspace { last, ends: [from, to], log, step: (end - log) / steps })
            }
            &Kind::Uniform(Uniform(low, high)) => {
                self.finite("Uniform", [("lower end", low), ("upper end", high)])?;
                self.ordered("Uniform", low, high)?;
                self.number("Uniform", "width", high - low, (high - low).is_finite(), "be finite")?;
                Err(Marginal::Uniform([low, high]))
            }
            &Kind::LogUniform(LogUniform(low, high)) => {
                self.positive("LogUniform", [("lower end", low), ("upper end", high)])?;
                self.ordered("LogUniform", low, high)?;
                Err(Marginal::LogUniform([low, high], [low, high].map(logarithm)))
            }
            &Kind::Normal(normal) => {
                self.finite("Normal", [("mean", normal.mean), ("sd", normal.sd)])?;
                self.number("Normal", "sd", normal.sd, normal.sd >= 0.0, "not be negative")?;
                Err(Marginal::Normal(normal))
            }
            &Kind::LogNormal(normal) => {
                self.finite("LogNormal", [("mu", normal.mu), ("sigma", normal.sigma)])?;
                let sigma = normal.sigma;
                self.number("LogNormal", "sigma", sigma, sigma >= 0.0, "not be negative")?;
                Err(Marginal::LogNormal(normal))
            }
            Kind::Choice(values) => {
                if values.is_empty() {
                    let &Place { system, kind, name } = self;
                    return Err(SolveError::NoChoice { system, kind, name });
                }
                for &value in values {
                    self.number("Choice", "value", value, !value.is_nan(), "not be NaN")?;
                }
                Err(Marginal::Choice(values.clone()))
            }
        })
    }

    fn number(
        &self,
        rule: &'static str,
        number: &'static str,
        value: f64,
        is_sound: bool,
        must: &'static str,
    ) -> Result<(), SolveError> {
        let &Place { system, kind, name } = self;
        match is_sound {
            true => Ok(()),
            false => Err(SolveError::Rule { system, kind, name, rule, number, value, must }),
        }
    }

    fn finite(
        &self,
        rule: &'static str,
        values: [(&'static str, f64); 2],
    ) -> Result<(), SolveError> {
        values
            .into_iter()
            .try_for_each(|(name, x)| self.number(rule, name, x, x.is_finite(), "be finite"))
    }

    fn positive(
        &self,
        rule: &'static str,
        values: [(&'static str, f64); 2],
    ) -> Result<(), SolveError> {
        values.into_iter().try_for_each(|(name, x)| {
            self.number(rule, name, x, x > 0.0 && x.is_finite(), "be positive and finite")
        })
    }

    fn ordered(&self, rule: &'static str, low: f64, high: f64) -> Result<(), SolveError> {
        let &Place { system, kind, name } = self;
        match low <= high {
            true => Ok(()),
            false => Err(SolveError::RuleOrder { system, kind, name, rule, low, high }),
        }
    }
}

/// Computes the logarithm with the arithmetic of lanes.
///
/// Its bits are the same on all machines.
fn logarithm(x: f64) -> f64 {
    Real::ln(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lane::dispatch::{self, InstructionSet};
    use crate::problem::samples::{LogNormal, Normal};

    /// The sources of all designs, for parameter 0 of `n` trajectories.
    fn sources(n: usize) -> [(&'static str, Source); 4] {
        let stream = |purpose| super::stream(1, Quantity::Parameter, 0, purpose);
        let designs = [
            ("Random", Design::Random),
            ("LatinHypercube", Design::LatinHypercube),
            ("Sobol, Shift", Design::Sobol(Scrambling::Shift)),
            ("Sobol, Owen", Design::Sobol(Scrambling::Owen)),
        ];
        designs.map(|(name, design)| (name, source(design, n, 1, &stream).unwrap()))
    }

    fn column(source: Source, marginal: Marginal) -> Draw {
        let values = Column::Each(Values::Random(source, marginal));
        let columns = vec![Drawn { quantity: Quantity::Parameter, index: 0, values }];
        Draw { columns, group: 1, order: PathOrder::default() }
    }

    /// The values depend neither on the ends of their range nor on the instruction set.
    #[test]
    fn values_do_not_depend_on_lanes() {
        for (name, source) in sources(1000) {
            let draw = column(source, Marginal::LogNormal(LogNormal { mu: 1.0, sigma: 0.5 }));
            let whole = draw.values(0..1000);
            for from in [0, 1, 7, 15, 16, 17, 500] {
                for len in [0, 1, 2, 8, 15, 16, 33, 400] {
                    let range = from..from + len;
                    assert_eq!(draw.values(range.clone()), whole[range], "{name}, {from} + {len}");
                }
            }
            for isa in InstructionSet::available() {
                let mut out = vec![0.0; 1000];
                let Column::Each(values) = &draw.columns[0].values else { unreachable!() };
                dispatch::run(isa, values::Evaluate { values, first: 0, out: &mut out });
                assert_eq!(out, whole, "{name}, {isa:?}");
            }
        }
    }

    /// A dimension without direction numbers is an error.
    #[test]
    fn designs_have_so_many_quantities() {
        let stream = |purpose| super::stream(1, Quantity::Parameter, 0, purpose);
        let sobol = Design::Sobol(Scrambling::Owen);
        assert!(source(sobol, 8, sobol::DIMENSIONS - 1, &stream).is_ok());
        let error = source(sobol, 8, sobol::DIMENSIONS, &stream).unwrap_err();
        let text =
            "Sobol supports at most 256 random quantities, and there are 257; use `Design::Random`";
        assert_eq!(error.to_string(), text);
    }

    /// Prints the time per value on one thread, with 1024 values per call.
    ///
    /// ```text
    /// cargo test -p ode-core --lib -- --ignored --nocapture time_of_a_value
    /// ```
    #[test]
    #[ignore = "measures time"]
    fn time_of_a_value() {
        let marginals = [
            ("Uniform", Marginal::Uniform([0.0, 1.0])),
            ("Normal", Marginal::Normal(Normal { mean: 0.0, sd: 1.0 })),
            ("LogNormal", Marginal::LogNormal(LogNormal { mu: 0.0, sigma: 1.0 })),
            ("Choice", Marginal::Choice(vec![1.0, 2.0, 4.0])),
        ];
        let n = 1 << 18;
        println!("{:?}", InstructionSet::best());
        for (design, source) in sources(n) {
            for (name, marginal) in &marginals {
                let draw = column(source.clone(), marginal.clone());
                let runs = (0..20).map(|_| {
                    let begin = std::time::Instant::now();
                    for from in (0..n).step_by(1024) {
                        std::hint::black_box(draw.values(from..from + 1024));
                    }
                    begin.elapsed().as_secs_f64()
                });
                let best = runs.fold(f64::INFINITY, f64::min);
                println!("{design}, {name}: {:.2} ns for a value", 1e9 * best / n as f64);
            }
        }
    }
}
