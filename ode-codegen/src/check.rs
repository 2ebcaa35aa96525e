//! Derivatives by hand against those that were derived: both are evaluated, here and now, at some
//! points.

use crate::elaborate::table::Table;
use crate::graph::{Binary, Comparison, Graph, Id, Input, Node, Unary};

/// Points to compare at.
const POINTS: u64 = 16;

/// Differences up to this, relative to the values, are rounding.
const TOLERANCE: f64 = 1e-6;

/// Compares two matrices, the first by hand. An error tells of the entry where they differ most.
pub(crate) fn agree(
    graph: &Graph,
    tables: &[Table],
    by_hand: &[Vec<Option<Id>>],
    derived: &[Vec<Option<Id>>],
    place: &dyn Fn(usize, usize) -> String,
) -> Result<(), String> {
    let roots: Vec<Id> = by_hand.iter().chain(derived).flatten().flatten().copied().collect();
    let needed = graph.reachable(&roots);
    let mut worst: Option<(f64, String)> = None;
    for point in 0..POINTS {
        let values = evaluate(graph, tables, &needed, point, &|input| match input {
            Input::State(index) => random(point, 0, index),
            Input::Parameter(index) => random(point, 1, index),
            _ => random(point, 2, 0),
        });
        let value = |entry: &Option<Id>| entry.map_or(0.0, |id| values[id.index()]);
        for (row, (a, b)) in by_hand.iter().zip(derived).enumerate() {
            for (column, (a, b)) in a.iter().zip(b).enumerate() {
                let (a, b) = (value(a), value(b));
                let error = (a - b).abs() / (1.0 + a.abs().max(b.abs()));
                // Where one of them has no value there is nothing to compare.
                let worse = worst.as_ref().is_none_or(|(most, _)| error > *most);
                if error.is_finite() && error > TOLERANCE && worse {
                    let message = format!(
                        "{} is {a:.6e} here, and {b:.6e} by differentiation, at a point of the \
                         check: correct it, or leave this function out: derivatives are derived \
                         exactly anyway; `#[ode_system(check = \"off\")]` takes it as it is",
                        place(row, column)
                    );
                    worst = Some((error, message));
                }
            }
        }
    }
    worst.map_or(Ok(()), |(_, message)| Err(message))
}

/// The values of all nodes that are needed at a point; truth values are 0 and 1.
pub(crate) fn evaluate(
    graph: &Graph,
    tables: &[Table],
    needed: &[bool],
    point: u64,
    input: &dyn Fn(Input) -> f64,
) -> Vec<f64> {
    let mut values = vec![0.0; graph.len()];
    for id in graph.ids().filter(|id| needed[id.index()]) {
        let of = |operand: Id| values[operand.index()];
        values[id.index()] = match graph.node(id) {
            Node::Literal(literal) => literal.value(),
            Node::Constant(index) => random(point, 3, index),
            Node::Input(which) => input(which),
            Node::Unary(function, a) => unary(function, of(a)),
            Node::Binary(function, a, b) => binary(function, of(a), of(b)),
            Node::MulAdd(a, b, c) => of(a).mul_add(of(b), of(c)),
            Node::Powi(a, exponent) => of(a).powf(exponent as f64),
            Node::Compare(comparison, a, b) => {
                let (a, b) = (of(a), of(b));
                f64::from(match comparison {
                    Comparison::Lt => a < b,
                    Comparison::Le => a <= b,
                    Comparison::Gt => a > b,
                    Comparison::Ge => a >= b,
                    Comparison::Equals => a == b,
                })
            }
            Node::And(a, b) => of(a).min(of(b)),
            Node::Or(a, b) => of(a).max(of(b)),
            Node::Not(a) => 1.0 - of(a),
            Node::Select(mask, a, b) => of(if of(mask) == 1.0 { a } else { b }),
            Node::Lookup(table, index) => match &tables[table as usize] {
                // The cast saturates.
                Table::Known(values) => values[(of(index) as usize).min(values.len() - 1)],
                Table::Outside { .. } => random(point, 4 + u64::from(table), of(index) as u32),
            },
        };
    }
    values
}

fn unary(function: Unary, a: f64) -> f64 {
    match function {
        Unary::Neg => -a,
        Unary::Abs => a.abs(),
        Unary::Sqrt => a.sqrt(),
        Unary::Reciprocal => a.mul_add(0.0, a.recip()),
        Unary::Exp => a.exp(),
        Unary::Ln => a.ln(),
        Unary::Sin => a.sin(),
        Unary::Cos => a.cos(),
        Unary::Tan => a.tan(),
        Unary::Tanh => a.tanh(),
        Unary::Exp2 => a.exp2(),
        Unary::ExpM1 => a.exp_m1(),
        Unary::Ln1p => a.ln_1p(),
        Unary::Log2 => a.log2(),
        Unary::Log10 => a.log10(),
        Unary::Cbrt => a.cbrt(),
        Unary::Asin => a.asin(),
        Unary::Acos => a.acos(),
        Unary::Atan => a.atan(),
        Unary::Sinh => a.sinh(),
        Unary::Cosh => a.cosh(),
        Unary::Asinh => a.asinh(),
        Unary::Acosh => a.acosh(),
        Unary::Atanh => a.atanh(),
        Unary::Floor => a.floor(),
        Unary::RoundEven => a.round_ties_even(),
    }
}

fn binary(function: Binary, a: f64, b: f64) -> f64 {
    match function {
        Binary::Add => a + b,
        Binary::Sub => a - b,
        Binary::Mul => a * b,
        Binary::Div => a / b,
        Binary::Min => a.min(b),
        Binary::Max => a.max(b),
        Binary::Powf => a.powf(b),
        Binary::Atan2 => a.atan2(b),
        Binary::Hypot => a.hypot(b),
        Binary::Copysign => a.copysign(b),
    }
}

/// A number from 0.1 to 2, on most points; some negative ones, for what has another branch there.
pub(crate) fn random(point: u64, kind: u64, index: u32) -> f64 {
    // SplitMix64 (Steele, Lea and Flood 2014).
    let mut z = (point << 40 | kind << 32 | u64::from(index)).wrapping_add(1);
    z = z.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
    let size = 0.1 + 1.9 * unit;
    if point % 4 == 3 { -size } else { size }
}
