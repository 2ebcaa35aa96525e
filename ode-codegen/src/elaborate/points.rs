//! Interpolation between points at uneven abscissae.
//!
//! The abscissae are constants or parameters, so they are known before a solve. Comparisons of the
//! position with the abscissae select the points on both sides. If the position is affine in the
//! time, [`crate::breaks`] finds the times of these comparisons, and steps end there.

use proc_macro2::Ident;

use super::Elaborator;
use super::part::Inputs;
use super::value::Value;
use crate::ast::Expr;
use crate::graph::{Binary, Comparison, Graph, Id, InputNode, Node};
use crate::simplify::Truth;

/// The maximal number of points.
///
/// The size of the selections and their derivatives is quadratic in this number.
const MOST_POINTS: usize = 64;

/// The abscissae of an interpolation.
#[derive(Clone)]
pub(crate) struct Points<'a> {
    pub abscissae: Vec<Id>,
    /// The comparisons with the position, and the nodes that clamp it.
    pub comparisons: Vec<Id>,
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
        if count > MOST_POINTS {
            let message = format!(
                "`{name}` supports at most {MOST_POINTS} points, found {count}: each is selected \
                 by comparisons; use fewer points, or a table at equal distances, \
                 `interp_linear(&TABLE, x)`, which can have any length"
            );
            return self.poison(abscissae.0.id, abscissae.0.syntax, message);
        }
        let (id, syntax) = (abscissae.0.id, abscissae.0.syntax);
        let (at, entries) = (self.floats(abscissae, count, name), self.floats(values, count, name));
        let (Some(at), Some(entries)) = (at, entries) else { return Value::Poison };
        let known: Option<Vec<f64>> = at.iter().map(|at| self.graph.literal_value(*at)).collect();
        if let Some(message) = known.and_then(|known| unordered(&known)) {
            return self.poison(id, syntax, message);
        }
        // Each of the four selections takes one operation per point.
        self.operations += 10 + 5 * count as u64;
        let mut comparisons = Vec::new();
        let value = self.real(|graph| {
            let (value, compared) = graph.between(&at, &entries, x);
            comparisons = compared;
            value
        });
        self.points.push(Points { abscissae: at, comparisons, id, syntax });
        value
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

    /// Reports abscissae that are not known before a solve.
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
    let k = abscissae.windows(2).position(|pair| pair[0] > pair[1])?;
    Some(format!(
        "abscissae must be in ascending order: abscissa {} is {:?}, and follows {:?}; sort the \
         points (two points at one abscissa are a jump)",
        k + 1,
        abscissae[k + 1],
        abscissae[k]
    ))
}

/// The arithmetic of `ode_core::system::table::interp_linear_at`, operation by operation.
impl Graph {
    /// Returns the value at `x`, and the nodes that compare `x` with abscissae.
    fn between(&mut self, abscissae: &[Id], values: &[Id], x: Id) -> (Id, Vec<Id>) {
        let (first, last) = (abscissae[0], abscissae[abscissae.len() - 1]);
        let reached: Vec<Truth> =
            abscissae[1..].iter().map(|at| self.compare(Comparison::Ge, x, *at)).collect();
        let [a, b] = [0, 1].map(|offset| self.last_reached(&reached, abscissae, offset));
        let [p, q] = [0, 1].map(|offset| self.last_reached(&reached, values, offset));
        let (zero, one) = (self.literal(0.0), self.literal(1.0));
        let width = self.sub(b, a);
        let is_wide = self.compare(Comparison::Gt, width, zero);
        let width = self.choose(is_wide, width, one);
        let above = self.binary(Binary::Max, first, x);
        let x = self.binary(Binary::Min, last, above);
        let distance = self.sub(x, a);
        let f = self.div(distance, width);
        let chord = self.sub(q, p);
        let value = self.mul_add(f, chord, p);
        let masks = reached.into_iter().filter_map(|truth| match truth {
            Truth::Mask(mask) => Some(mask),
            Truth::Known(_) => None,
        });
        (value, masks.chain([above, x]).collect())
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
