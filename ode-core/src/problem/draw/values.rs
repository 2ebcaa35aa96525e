//! Values of sampled quantities in lanes, some trajectories at a time.

use crate::lane::dispatch::{self, InstructionSet, LaneProgram};
use crate::lane::{Bits, Real};
use crate::problem::samples::{LogNormal, Normal};
use crate::random::{self, PermutationKeys};
use ode_macros::inlined;

/// The rule of the value of a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    /// The same for all trajectories.
    Constant(f64),
    /// Evenly spaced by index; `last` is the last index.
    Linspace { last: f64, from: f64, to: f64, step: f64 },
    /// Evenly spaced logarithms by index; `log` is the logarithm of the first value.
    Logspace { last: f64, ends: [f64; 2], log: f64, step: f64 },
    /// A quantile.
    Random(Source, Marginal),
}

/// The source of numbers between 0 and 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// Random words.
    Words(Stream),
    /// An interval by a permutation, and an offset in the interval by random words.
    Latin(PermutationKeys, Stream),
    /// Sobol' points. One word for all points, or hashes with keys, flip their bits.
    Sobol(Box<[u64; 32]>, Scrambled),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scrambled {
    Shift(u64),
    Owen(Box<[u64; 32]>),
}

/// The random words of a quantity: the key, and the counter without the trajectory's index.
///
/// The counter consists of the quantity's index among its kind, the purpose of the words, and the
/// two words of the trajectory's index. The second word is below 8, so larger ones are free for
/// other uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stream {
    pub(crate) seed: u64,
    pub(crate) index: u64,
    pub(crate) purpose: u64,
}

/// The quantile functions, with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Marginal {
    Uniform([f64; 2]),
    LogUniform([f64; 2], [f64; 2]),
    Normal(Normal),
    LogNormal(LogNormal),
    Choice(Vec<f64>),
}

/// The host draws from longer tables of choices, because a device would receive them with each
/// launch.
const MOST_CHOICES: usize = 4096;

const WORD: u64 = 0xffff_ffff;

impl Values {
    /// Returns whether a device that draws values should draw these.
    ///
    /// Values that all trajectories share are one number and are not drawn.
    pub(crate) fn is_for_devices(&self) -> bool {
        match self {
            Values::Constant(_) => false,
            Values::Random(_, Marginal::Choice(values)) => values.len() <= MOST_CHOICES,
            Values::Linspace { .. } | Values::Logspace { .. } | Values::Random(..) => true,
        }
    }
}

impl Stream {
    /// Returns the words that lanes read.
    pub(crate) fn numbers(self) -> [u64; 4] {
        [self.seed & WORD, self.seed >> 32, self.index, self.purpose]
    }

    /// Returns the first `N` words: four for each index, from index 0 on.
    pub(crate) fn keys<const N: usize>(self) -> [u64; N] {
        let stream = self.numbers();
        core::array::from_fn(|k| random::words::<f64>(k as u64 / 4, &stream)[k % 4])
    }
}

/// Writes the values of trajectories from `first` on.
pub(crate) fn write(values: &Values, first: u64, out: &mut [f64]) {
    dispatch::run(InstructionSet::best(), Evaluate { values, first, out });
}

/// Returns the values at the middle of `n` equally likely intervals.
pub(crate) fn levels(marginal: &Marginal, n: usize) -> Vec<f64> {
    let mut out: Vec<f64> = (0..n).map(|k| (k as f64 + 0.5) / n as f64).collect();
    dispatch::run_scalar(Quantiles { marginal, out: &mut out });
    out
}

/// Replaces numbers between 0 and 1 by quantiles.
struct Quantiles<'a> {
    marginal: &'a Marginal,
    out: &'a mut [f64],
}

impl LaneProgram<f64> for Quantiles<'_> {
    type Output = ();
    const VECTORS: usize = 1;

    #[inlined]
    fn run<R: Real<Scalar = f64>>(self) {
        self.marginal.apply::<R>(self.out);
    }
}

/// Returns the value of the trajectory with this index.
pub(crate) fn value(values: &Values, number: u64) -> f64 {
    let mut out = [0.0];
    dispatch::run_scalar(Evaluate { values, first: number, out: &mut out });
    out[0]
}

/// The values of trajectories from `first` on, one for each element of `out`.
pub(crate) struct Evaluate<'a> {
    pub(crate) values: &'a Values,
    pub(crate) first: u64,
    pub(crate) out: &'a mut [f64],
}

impl LaneProgram<f64> for Evaluate<'_> {
    type Output = ();
    const VECTORS: usize = 2;

    #[inlined]
    fn run<R: Real<Scalar = f64>>(self) {
        let Evaluate { values, first, out } = self;
        match values {
            &Values::Constant(value) => out.fill(value),
            &Values::Linspace { last, from, to, step } => {
                let [last, from, to, step] = numbers::<R, _>([last, from, to, step]);
                each::<R>(
                    first,
                    out,
                    #[inline(always)]
                    |i| random::linspace(random::integer::<R>(i), last, from, to, step),
                );
            }
            &Values::Logspace { last, ends, log, step } => {
                let [last, log, step] = numbers::<R, _>([last, log, step]);
                let ends = numbers::<R, _>(ends);
                each::<R>(
                    first,
                    out,
                    #[inline(always)]
                    |i| random::logspace(random::integer::<R>(i), last, ends, log, step),
                );
            }
            Values::Random(source, marginal) => {
                source.write::<R>(first, out);
                marginal.apply::<R>(out);
            }
        }
    }
}

/// Copies words to every lane.
///
/// (A function of the standard library with lanes as arguments would be compiled without the
/// instruction set.)
#[inlined]
fn words<R: Real, const N: usize>(words: &[u64; N]) -> [R::Bits; N] {
    let mut lanes = [<R::Bits as Bits>::lit(0); N];
    for i in 0..N {
        lanes[i] = <R::Bits as Bits>::lit(words[i]);
    }
    lanes
}

/// Copies numbers to every lane.
#[inlined]
fn numbers<R: Real, const N: usize>(numbers: [f64; N]) -> [R; N] {
    let mut lanes = [R::lit(0.0); N];
    for i in 0..N {
        lanes[i] = R::lit(numbers[i]);
    }
    lanes
}

/// Writes `f` of the indices from `first` on.
#[inlined]
fn each<R: Real<Scalar = f64>>(first: u64, out: &mut [f64], f: impl Fn(R::Bits) -> R) {
    let mut lanes = R::lit(0.0);
    for i in 0..R::LANES {
        lanes.set_lane(i, f64::from_bits(i as u64));
    }
    let mut number = <R::Bits as Bits>::lit(first).wrapping_add(lanes.to_bits());
    for group in out.chunks_mut(R::LANES) {
        let values = f(number);
        for (i, value) in group.iter_mut().enumerate() {
            *value = values.lane(i);
        }
        number = number.wrapping_add(<R::Bits as Bits>::lit(R::LANES as u64));
    }
}

/// Replaces each number by `f` of it.
#[inlined]
fn map<R: Real<Scalar = f64>>(out: &mut [f64], f: impl Fn(R) -> R) {
    for group in out.chunks_mut(R::LANES) {
        let mut values = R::lit(0.5);
        for (i, value) in group.iter().enumerate() {
            values.set_lane(i, *value);
        }
        let values = f(values);
        for (i, value) in group.iter_mut().enumerate() {
            *value = values.lane(i);
        }
    }
}

impl Source {
    #[inlined]
    fn write<R: Real<Scalar = f64>>(&self, first: u64, out: &mut [f64]) {
        match self {
            &Source::Words(stream) => {
                let stream = words::<R, 4>(&stream.numbers());
                each::<R>(
                    first,
                    out,
                    #[inline(always)]
                    |number| random::independent::<R>(number, &stream),
                );
            }
            &Source::Latin(PermutationKeys { n, powers, keys }, stream) => {
                let n = <R::Bits as Bits>::lit(n);
                let (powers, keys) = (words::<R, 3>(&powers), words::<R, 8>(&keys));
                let stream = words::<R, 4>(&stream.numbers());
                each::<R>(
                    first,
                    out,
                    #[inline(always)]
                    |number| random::latin::<R>(number, n, &powers, &keys, &stream),
                );
            }
            Source::Sobol(directions, Scrambled::Shift(shift)) => {
                let directions = words::<R, 32>(directions);
                let shift = <R::Bits as Bits>::lit(*shift);
                each::<R>(
                    first,
                    out,
                    #[inline(always)]
                    |number| random::shifted::<R>(number, &directions, shift),
                );
            }
            Source::Sobol(directions, Scrambled::Owen(keys)) => {
                let (directions, keys) = (words::<R, 32>(directions), words::<R, 32>(keys));
                each::<R>(
                    first,
                    out,
                    #[inline(always)]
                    |number| random::scrambled::<R>(number, &directions, &keys),
                );
            }
        }
    }
}

impl Marginal {
    #[inlined]
    fn apply<R: Real<Scalar = f64>>(&self, out: &mut [f64]) {
        match self {
            &Marginal::Uniform(ends) => {
                let [low, high] = numbers::<R, _>(ends);
                map::<R>(
                    out,
                    #[inline(always)]
                    |u| random::between(u, low, high),
                );
            }
            &Marginal::LogUniform(ends, logs) => {
                let ([low, high], logs) = (numbers::<R, _>(ends), numbers::<R, _>(logs));
                map::<R>(
                    out,
                    #[inline(always)]
                    |u| random::log_between(u, low, high, logs),
                );
            }
            &Marginal::Normal(Normal { mean, sd }) => {
                let [mean, sd] = numbers::<R, _>([mean, sd]);
                map::<R>(
                    out,
                    #[inline(always)]
                    |u| random::gaussian(u, mean, sd),
                );
            }
            &Marginal::LogNormal(LogNormal { mu, sigma }) => {
                let [mu, sigma] = numbers::<R, _>([mu, sigma]);
                map::<R>(
                    out,
                    #[inline(always)]
                    |u| random::log_normal(u, mu, sigma),
                );
            }
            Marginal::Choice(values) => {
                let last = R::lit((values.len() - 1) as f64);
                map::<R>(
                    out,
                    #[inline(always)]
                    |u| R::lookup(values, random::position(u, last)),
                );
            }
        }
    }
}
