//! Kernels that draw sampled inputs: the functions of a rule and its numbers.
//!
//! The called functions are text, so a kernel contains only those that it needs. The numbers are
//! words in memory, so that other numbers need no other kernel.

use crate::lane::Scalar;
use crate::problem::draw::values::{Marginal, Scrambled, Source, Values};
use crate::problem::inputs::Inputs;
use crate::problem::samples::{LogNormal, Normal};
use crate::random::{LANE_PROGRAMS, PermutationKeys};

/// The functions of a rule, which `drawn.hpp` defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    /// The function of the trajectory's index.
    of_number: &'static str,
    /// The function of the first result, if that is a number between 0 and 1.
    quantile: Option<&'static str>,
}

/// Returns the words of numbers.
fn bits<const N: usize>(numbers: [f64; N]) -> Vec<u64> {
    numbers.map(f64::to_bits).to_vec()
}

impl Recipe {
    /// Returns the recipe of a rule, and the words that its functions read.
    pub(super) fn of(values: &Values) -> (Self, Vec<u64>) {
        let direct = |of_number, words| (Recipe { of_number, quantile: None }, words);
        match values {
            // A range in which the first number equals the last.
            &Values::Constant(value) => direct("linspace", bits([0.0, value, value, 0.0])),
            &Values::Linspace { last, from, to, step } => {
                direct("linspace", bits([last, from, to, step]))
            }
            &Values::Logspace { last, ends: [from, to], log, step } => {
                direct("logspace", bits([last, from, to, log, step]))
            }
            Values::Random(source, marginal) => {
                let (of_number, words) = source_of(source);
                let (quantile, more) = quantile_of(marginal);
                let recipe = Recipe { of_number, quantile: Some(quantile) };
                (recipe, [words, more].concat())
            }
        }
    }

    /// Returns the call for the trajectory with index `number` and the words `words`.
    fn call(self) -> String {
        let Recipe { of_number, quantile } = self;
        let of_number = format!("rule::{of_number}(number, words)");
        match quantile {
            None => of_number,
            Some(quantile) => format!("rule::{quantile}({of_number}, words)"),
        }
    }
}

fn source_of(source: &Source) -> (&'static str, Vec<u64>) {
    match source {
        Source::Words(stream) => ("independent", stream.numbers().to_vec()),
        Source::Latin(PermutationKeys { n, powers, keys }, stream) => {
            ("latin", [&[*n], &powers[..], keys, &stream.numbers()].concat())
        }
        Source::Sobol(directions, Scrambled::Shift(shift)) => {
            ("shifted", [&directions[..], &[*shift]].concat())
        }
        Source::Sobol(directions, Scrambled::Owen(keys)) => {
            ("scrambled", [&directions[..], &keys[..]].concat())
        }
    }
}

fn quantile_of(marginal: &Marginal) -> (&'static str, Vec<u64>) {
    match marginal {
        &Marginal::Uniform(ends) => ("between", bits(ends)),
        &Marginal::LogUniform([low, high], [log, end]) => {
            ("log_between", bits([low, high, log, end]))
        }
        &Marginal::Normal(Normal { mean, sd }) => ("gaussian", bits([mean, sd])),
        &Marginal::LogNormal(LogNormal { mu, sigma }) => ("log_normal", bits([mu, sigma])),
        Marginal::Choice(values) => {
            let last = (values.len() - 1) as f64;
            ("choice", [&[last], &values[..]].concat().into_iter().map(f64::to_bits).collect())
        }
    }
}

/// Returns the words of all rules, in the order of their inputs.
///
/// The offset of each rule comes first, then the words of all rules. If nothing is drawn, there are
/// no words.
#[must_use]
pub fn rules<T: Scalar>(columns: &Inputs<T>) -> Vec<u64> {
    let rules = columns.quantities().filter_map(|column| column.rule());
    let rules: Vec<Vec<u64>> = rules.map(|rule| Recipe::of(rule).1).collect();
    let (mut at, mut begins) = (rules.len() as u64, Vec::new());
    for rule in &rules {
        begins.push(at);
        at += rule.len() as u64;
    }
    [begins, rules.concat()].concat()
}

/// Returns the text by which a kernel draws the inputs with a recipe.
///
/// The text contains the programs `present` already.
pub(super) fn text(recipes: &[(usize, Recipe)], present: &[&str]) -> String {
    if recipes.is_empty() {
        return "DEVICE double drawn(int, u64, const GLOBAL u64*) { return 0.0; }".to_owned();
    }
    let cases = recipes.iter().enumerate().map(|(k, (column, recipe))| {
        let call = recipe.call();
        format!("    if (c == {column}) {{ rule::Words words = {{rules + rules[{k}]}}; return {call}; }}\n")
    });
    let cases: String = cases.collect();
    let is_new = |program: &&str| !present.contains(program);
    let programs: Vec<&str> = LANE_PROGRAMS.into_iter().filter(is_new).collect();
    let (programs, rules) = (programs.join("\n"), include_str!("drawn.hpp"));
    format!(
        "{programs}\n{rules}
// The value of trajectory `number` by the rule of a column.
COLD double drawn(int c, u64 number, const GLOBAL u64* rules) {{
{cases}    return 0.0;
}}"
    )
}
