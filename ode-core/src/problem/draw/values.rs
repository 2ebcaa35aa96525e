//! Values of sampled quantities in lanes, some trajectories at a time.

use crate::lane::dispatch::{self, InstructionSet, Program};
use crate::lane::{Bits, Real};
use crate::problem::samples::{LogNormal, Normal};
use crate::random::{self, Network};
use ode_macros::inlined;

/// What the value of a trajectory is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Values {
    /// The same for all.
    Constant(f64),
    /// By its number; `last` is that of the last one.
    Linspace { last: f64, from: f64, to: f64, step: f64 },
    /// By its number; `log` is the logarithm of the first one.
    Logspace { last: f64, ends: [f64; 2], log: f64, step: f64 },
    /// A quantile.
    Random(Source, Marginal),
}

/// Where numbers between 0 and 1 come from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// Random words.
    Words(Stream),
    /// An interval by a permutation, and a place in it by random words.
    Latin(Network, Stream),
    /// Sobol' points, whose bits are turned by one word for all, or by hashes with keys.
    Sobol(Box<[u64; 32]>, Scrambled),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scrambled {
    Shift(u64),
    Owen(Box<[u64; 32]>),
}

/// The random words of a quantity: the key, and what of the counter is not the trajectory's number.
///
/// The counter is the quantity's index among those of its kind, what the words are for, and the two
/// words of the number. The second word is below 8, so that others are free for other purposes.
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

/// Longer tables of choices are drawn by the host: a device would get them with each batch.
const MOST_CHOICES: usize = 4096;

const WORD: u64 = 0xffff_ffff;

impl Values {
    /// Whether a device draws them, if it can. What is the same for all is one number anyway.
    pub(crate) fn is_for_devices(&self) -> bool {
        match self {
            Values::Constant(_) => false,
            Values::Random(_, Marginal::Choice(values)) => values.len() <= MOST_CHOICES,
            Values::Linspace { .. } | Values::Logspace { .. } | Values::Random(..) => true,
        }
    }
}

impl Stream {
    /// What lanes take of it.
    pub(crate) fn numbers(self) -> [u64; 4] {
        [self.seed & WORD, self.seed >> 32, self.index, self.purpose]
    }

    /// The first words of all numbers from 0 on.
    pub(crate) fn keys<const N: usize>(self) -> [u64; N] {
        let stream = self.numbers();
        core::array::from_fn(|k| random::words::<f64>(k as u64 / 4, &stream)[k % 4])
    }
}

/// Writes the values of trajectories from `first` on.
pub(crate) fn write(values: &Values, first: u64, out: &mut [f64]) {
    dispatch::run(InstructionSet::best(), Evaluate { values, first, out });
}

/// The value of a trajectory.
pub(crate) fn value(values: &Values, number: u64) -> f64 {
    let mut out = [0.0];
    dispatch::run_scalar(Evaluate { values, first: number, out: &mut out });
    out[0]
}

/// The values of trajectories from `first` on, as many as `out` has room for.
pub(crate) struct Evaluate<'a> {
    pub(crate) values: &'a Values,
    pub(crate) first: u64,
    pub(crate) out: &'a mut [f64],
}

impl Program<f64> for Evaluate<'_> {
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

/// Words in every lane. (A function of the standard library that took lanes would be compiled for any
/// machine.)
#[inlined]
fn words<R: Real, const N: usize>(words: &[u64; N]) -> [R::Bits; N] {
    let mut lanes = [<R::Bits as Bits>::lit(0); N];
    for i in 0..N {
        lanes[i] = <R::Bits as Bits>::lit(words[i]);
    }
    lanes
}

/// Numbers in every lane.
#[inlined]
fn numbers<R: Real, const N: usize>(numbers: [f64; N]) -> [R; N] {
    let mut lanes = [R::lit(0.0); N];
    for i in 0..N {
        lanes[i] = R::lit(numbers[i]);
    }
    lanes
}

/// Writes `f` of the numbers from `first` on.
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

/// Replaces numbers by `f` of them.
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
            &Source::Latin(Network { n, powers, keys }, stream) => {
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
