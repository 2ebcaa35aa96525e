//! Interpolation between points at uneven abscissae.
//!
//! The abscissae are constants or parameters, which the host can check before a solve. Comparisons
//! of the position with the abscissae select the points on both sides. If the position is affine in
//! the time, [`crate::breaks`] finds the times of these comparisons, and steps end there.
//!
//! Many points are constants, and a binary search in a table finds the points on both sides. Then
//! [bounds](crate::compile) of steps replace the times of comparisons.

use proc_macro2::Ident;

use super::Elaborator;
use super::part::Inputs;
use super::table::{self, Knots, Position, Table};
use super::value::Value;
use crate::ast::Expr;
use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Node};
use crate::simplify::Truth;

/// The maximal number of points that comparisons select.
///
/// The size of the selections and their derivatives is quadratic in this number.
const MOST_SELECTED: usize = 64;

/// The abscissae of an interpolation.
#[derive(Clone)]
pub(crate) struct Points<'a> {
    pub abscissae: Vec<Id>,
    /// The comparisons that select points, and the nodes that clamp the position.
    pub comparisons: Vec<Id>,
    /// The comparisons of a binary search.
    pub searched: Vec<Id>,
    /// The expression of the abscissae, for errors.
    id: u32,
    syntax: &'a syn::Expr,
}

impl<'a> Elaborator<'a, '_> {
    /// Evaluates `interp_linear_at(abscissae, values, position)`.
    pub(super) fn interpolate_at(
        &mut self,
        [abscissae, values, position]: [(&Expr<'a>, Value<'a>); 3],
        name: &'a Ident,
    ) -> Value<'a> {
        if [&abscissae, &values, &position].iter().any(|(_, value)| *value == Value::Poison) {
            return Value::Poison;
        }
        let (expr, x) = position;
        let Value::Real(x) = x else {
            let message = format!(
                "the position must be a float, found {}: it is compared with the abscissae",
                x.describe()
            );
            return self.poison(expr.id, expr.syntax, message);
        };
        let count = match [&abscissae.1, &values.1] {
            [Value::Array(all), _] | [_, Value::Array(all)] => all.len(),
            _ => {
                let message = format!(
                    "`{name}` needs two arrays of floats, and at least one that is declared here, \
                     which shows the number of points: write \
                     `{name}(&ABSCISSAE, &VALUES, x)`"
                );
                return self.poison(abscissae.0.id, abscissae.0.syntax, message);
            }
        };
        let (id, syntax) = (abscissae.0.id, abscissae.0.syntax);
        let (at, entries) = (self.floats(abscissae, count, name), self.floats(values, count, name));
        let (Some(at), Some(entries)) = (at, entries) else { return Value::Poison };
        let [known, known_values] = [&at, &entries].map(|all| self.literals(all));
        if let Some(message) = known.as_ref().and_then(|known| unordered(known)) {
            return self.poison(id, syntax, message);
        }
        let (mut comparisons, mut searched) = (Vec::new(), Vec::new());
        let value = match (known, known_values) {
            _ if count <= MOST_SELECTED => {
                // Each of the four selections takes one operation per point.
                self.operations += 10 + 5 * count as u64;
                self.real(|graph| {
                    let value;
                    (value, comparisons) = graph.between(&at, &entries, x);
                    value
                })
            }
            (Some(at), Some(values)) => {
                let search = Search::new(&mut self.tables, &at, &values);
                self.operations += 16 + 4 * u64::from(search.bits);
                let mut found = None;
                let value = self.real(|graph| {
                    let (value, count) = graph.found(&search, x, &mut comparisons, &mut searched);
                    found = Some(count);
                    value
                });
                if let Some(whole) = found {
                    let knots = Knots::Abscissae(search.bends);
                    self.positions.push(Position { at: x, whole, knots });
                }
                value
            }
            _ => {
                let message = format!(
                    "`{name}` supports at most {MOST_SELECTED} points with parameters, states or \
                     constants from outside, found {count}: each is selected by comparisons; use \
                     fewer points, or declare both arrays here as constants, which can have any \
                     length"
                );
                return self.poison(id, syntax, message);
            }
        };
        self.points.push(Points { abscissae: at, comparisons, searched, id, syntax });
        value
    }

    /// Returns the values of numbers, if all are literals.
    fn literals(&self, all: &[Id]) -> Option<Vec<f64>> {
        all.iter().map(|one| self.graph.literal_value(*one)).collect()
    }

    /// Returns the `count` floats of an array.
    ///
    /// Reports an array of other values or of another length.
    fn floats(
        &mut self,
        (expr, array): (&Expr<'a>, Value<'a>),
        count: usize,
        name: &'a Ident,
    ) -> Option<Vec<Id>> {
        if let Some(outside) = self.outside(&array) {
            let element = |index| self.constant_element(expr, &outside, index);
            return Some((0..count).map(element).collect());
        }
        let floats = match &array {
            Value::Array(elements) => {
                let real = |element: &Value<'a>| match element {
                    Value::Real(id) => Some(*id),
                    _ => None,
                };
                elements.iter().map(real).collect::<Option<Vec<Id>>>()
            }
            _ => None,
        };
        let message = match floats {
            Some(floats) if floats.is_empty() => {
                format!("`{name}` needs at least one point: the array is empty")
            }
            Some(floats) if floats.len() == count => return Some(floats),
            Some(floats) => format!(
                "there are {count} abscissae and {} values: each point needs one of both",
                floats.len()
            ),
            None => format!(
                "`{name}` needs two arrays of floats, found {}: write \
                 `{name}(&ABSCISSAE, &VALUES, x)`",
                array.describe()
            ),
        };
        self.error(expr.id, expr.syntax, message);
        None
    }

    /// Reports abscissae that the host cannot compute before a solve.
    pub(super) fn check_points(&mut self, inputs: &Inputs<'a>) {
        let modes = inputs.modes();
        for Points { abscissae, id, syntax, .. } in self.points.clone() {
            let reachable = self.graph.reachable(&abscissae);
            let is_late = |id: Id| match self.graph.node(id) {
                Node::Input(InputNode::State(_) | InputNode::Time) => true,
                Node::Input(InputNode::Parameter(index)) => modes.contains(&(index as usize)),
                _ => false,
            };
            if self.graph.ids().any(|id| reachable[id.index()] && is_late(id)) {
                let message = "abscissae cannot depend on the state, the time or modes: they are \
                               computed from constants and parameters before the solve; transform \
                               the position instead";
                self.error(id, syntax, message);
            }
        }
    }
}

/// Returns a message if abscissae are not in order.
fn unordered(abscissae: &[f64]) -> Option<String> {
    let finite = |(_, at): &(usize, &f64)| !at.is_finite();
    if let Some((k, at)) = abscissae.iter().enumerate().find(finite) {
        return Some(format!("abscissa {k} is {at}: abscissae must be finite"));
    }
    let is_long = abscissae.len() > MOST_SELECTED;
    let is_wrong = |pair: &[f64]| pair[0] > pair[1] || is_long && pair[0] == pair[1];
    let k = abscissae.windows(2).position(is_wrong)?;
    if abscissae[k] == abscissae[k + 1] {
        return Some(format!(
            "abscissae {k} and {} are both {:?}: more than {MOST_SELECTED} points have no jumps; \
             compare the position where the values jump",
            k + 1,
            abscissae[k]
        ));
    }
    Some(format!(
        "abscissae must be in ascending order: abscissa {} is {:?}, and follows {:?}; sort the \
         points (two points at one abscissa are a jump)",
        k + 1,
        abscissae[k + 1],
        abscissae[k]
    ))
}

/// The tables of a binary search.
struct Search {
    /// The number of comparisons.
    bits: u32,
    /// The abscissae, after one entry; further entries are the largest `f32`.
    padded: (u32, Vec<f64>),
    abscissae: (u32, Vec<f64>),
    values: (u32, Vec<f64>),
    /// The abscissae at which the values bend.
    bends: Vec<(f64, bool)>,
}

impl Search {
    fn new(tables: &mut Vec<Table>, abscissae: &[f64], values: &[f64]) -> Self {
        let bits = abscissae.len().ilog2() + 1;
        let mut padded = vec![abscissae[0]];
        padded.extend(abscissae);
        padded.resize(1 << bits, f64::from(f32::MAX));
        let mut known = |all: Vec<f64>| (table::number_of(tables, Table::Known(all.clone())), all);
        Search {
            bits,
            padded: known(padded),
            abscissae: known(abscissae.to_vec()),
            values: known(values.to_vec()),
            bends: abscissae.iter().copied().zip(bends(abscissae, values)).collect(),
        }
    }
}

/// Greatest deviation of values from the chords between two bends, relative to their range.
const BEND: f64 = 1.0 / 65_536.0;

/// Returns for each point whether the values bend there; they do at both ends.
///
/// Values bend at a point if no line from the last bend meets all points since then and the next
/// one.
fn bends(abscissae: &[f64], values: &[f64]) -> Vec<bool> {
    let high = values.iter().fold(f64::NEG_INFINITY, |high, value| high.max(*value));
    let low = values.iter().fold(f64::INFINITY, |low, value| low.min(*value));
    let most = (high - low) * BEND;
    let last = abscissae.len() - 1;
    let mut bends = vec![false; abscissae.len()];
    (bends[0], bends[last]) = (true, true);
    let (mut from, mut slopes) = (0, f64::NEG_INFINITY..=f64::INFINITY);
    for next in 1..=last {
        let of = |from: usize| (values[next] - values[from]) / (abscissae[next] - abscissae[from]);
        if !slopes.contains(&of(from)) {
            from = next - 1;
            bends[from] = true;
            slopes = f64::NEG_INFINITY..=f64::INFINITY;
        }
        let (slope, width) = (of(from), most / (abscissae[next] - abscissae[from]));
        slopes = slopes.start().max(slope - width)..=slopes.end().min(slope + width);
    }
    bends
}

/// The arithmetic of `ode_core::system::table::interp_linear_at`, operation by operation.
impl Graph {
    /// Returns the value at `x`, and the number of abscissae up to `x`.
    ///
    /// Adds the comparisons of the search to `searched`, and the nodes that clamp `x` to `clamps`.
    fn found(
        &mut self,
        search: &Search,
        x: Id,
        clamps: &mut Vec<Id>,
        searched: &mut Vec<Id>,
    ) -> (Id, Id) {
        let of = |graph: &mut Graph, (table, all): &(u32, Vec<f64>), index| {
            graph.lookup(*table, Some(all), index)
        };
        let (zero, one) = (self.literal(0.0), self.literal(1.0));
        let mut count = zero;
        for bit in (0..search.bits).rev() {
            let step = self.literal(f64::from(1 << bit));
            let candidate = self.add(count, step);
            let entry = of(self, &search.padded, candidate);
            let reached = self.compare(Comparison::Ge, x, entry);
            if let Truth::Mask(mask) = reached {
                searched.push(mask);
            }
            count = self.choose(reached, candidate, count);
        }
        let length = self.literal(search.abscissae.1.len() as f64);
        let count = self.binary(Binary::Min, length, count);
        let whole = self.sub(count, one);
        let whole = self.binary(Binary::Max, zero, whole);
        let next = self.add(whole, one);
        let [a, b] = [whole, next].map(|index| of(self, &search.abscissae, index));
        let [p, q] = [whole, next].map(|index| of(self, &search.values, index));
        let ends = [0, search.abscissae.1.len() - 1].map(|k| self.literal(search.abscissae.1[k]));
        (self.chord([a, b], [p, q], ends, x, clamps), count)
    }

    /// Returns the value at `x`, and the nodes that compare `x` with abscissae.
    fn between(&mut self, abscissae: &[Id], values: &[Id], x: Id) -> (Id, Vec<Id>) {
        let ends = [abscissae[0], abscissae[abscissae.len() - 1]];
        let reached: Vec<Truth> =
            abscissae[1..].iter().map(|at| self.compare(Comparison::Ge, x, *at)).collect();
        let [a, b] = [0, 1].map(|offset| self.last_reached(&reached, abscissae, offset));
        let [p, q] = [0, 1].map(|offset| self.last_reached(&reached, values, offset));
        let mut comparisons: Vec<Id> = Vec::new();
        let value = self.chord([a, b], [p, q], ends, x, &mut comparisons);
        comparisons.extend(reached.into_iter().filter_map(|truth| match truth {
            Truth::Mask(mask) => Some(mask),
            Truth::Known(_) => None,
        }));
        (value, comparisons)
    }

    /// Returns the value at `x` between two points, or at one of the `ends` of all points.
    ///
    /// Adds the nodes that clamp `x` to `clamps`.
    fn chord(
        &mut self,
        [a, b]: [Id; 2],
        [p, q]: [Id; 2],
        [first, last]: [Id; 2],
        x: Id,
        clamps: &mut Vec<Id>,
    ) -> Id {
        let (zero, one) = (self.literal(0.0), self.literal(1.0));
        let width = self.sub(b, a);
        let is_wide = self.compare(Comparison::Gt, width, zero);
        let width = self.choose(is_wide, width, one);
        let above = self.binary(Binary::Max, first, x);
        let x = self.binary(Binary::Min, last, above);
        clamps.extend([above, x]);
        let distance = self.sub(x, a);
        let f = self.div(distance, width);
        let chord = self.sub(q, p);
        self.mul_add(f, chord, p)
    }

    /// Returns the entry `offset` after that of the last abscissa that is reached.
    fn last_reached(&mut self, reached: &[Truth], all: &[Id], offset: usize) -> Id {
        let last = all.len() - 1;
        let mut entry = all[offset.min(last)];
        for k in 1..=last.saturating_sub(offset) {
            entry = self.choose(reached[k - 1], all[k + offset], entry);
        }
        entry
    }
}
