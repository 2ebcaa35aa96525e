//! The times at which a right-hand side changes its form.
//!
//! A model with a dose at `t = 5` says `if t < 5.0`, and a step that goes over that time without
//! knowing of it either misses the dose or is refused until it is short. The comparison tells the
//! time, so it is found here and handed to the solver: `System::TIME_BREAKS`.
//!
//! Found are comparisons, minima and maxima of two numbers whose difference is affine in the time,
//! `a t + b`, where `a` and `b` are constants or, for `System::PARAMETER_BREAKS`, `b` is affine in
//! one parameter. Not found are those with other expressions of parameters, which are other times
//! in other trajectories, with the state, and of `t % period`, which are at all its multiples.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit;
use crate::graph::{Binary, Comparison, Graph, Id, Input, Node, Unary};

/// A number that is affine in the time and in one parameter; the coefficients depend on no input.
#[derive(Clone, Copy)]
struct Affine {
    /// `None` where the time does not appear.
    time: Option<Id>,
    parameter: Option<(u32, Id)>,
    offset: Id,
}

/// The breaks of a right-hand side.
#[derive(Default)]
pub(crate) struct Breaks {
    /// Times, as nodes that depend on no input.
    times: Vec<Id>,
    /// A parameter, with the nodes `a` and `b` of the time `a p + b`.
    parameters: Vec<(u32, Id, Id)>,
}

/// The breaks of `roots`.
pub(crate) fn breaks(graph: &mut Graph, roots: &[Id]) -> Breaks {
    let needed = graph.reachable(roots);
    let mut affine: Vec<Option<Affine>> = Vec::with_capacity(needed.len());
    let mut breaks = Breaks::default();
    let ids: Vec<Id> = graph.ids().collect();
    for (id, needed) in ids.into_iter().zip(needed) {
        let form = if needed { form(graph, &affine, id) } else { None };
        affine.push(form);
        let sides = match graph.node(id) {
            Node::Compare(comparison, a, b) if comparison != Comparison::Equals => (a, b),
            Node::Binary(Binary::Min | Binary::Max, a, b) => (a, b),
            _ => continue,
        };
        if needed
            && let (Some(a), Some(b)) = (affine[sides.0.index()], affine[sides.1.index()])
            && let Some(difference) = sum(graph, a, b, Graph::sub)
        {
            breaks.add(graph, difference);
        }
    }
    breaks
}

/// The affine form of a node, from those of its operands.
fn form(graph: &mut Graph, known: &[Option<Affine>], id: Id) -> Option<Affine> {
    let node = graph.node(id);
    let of = |id: Id| known[id.index()];
    let one = graph.literal(1.0);
    let zero = graph.literal(0.0);
    Some(match node {
        Node::Literal(_) | Node::Constant(_) => Affine { time: None, parameter: None, offset: id },
        Node::Input(Input::Time) => Affine { time: Some(one), parameter: None, offset: zero },
        Node::Input(Input::Parameter(index)) => {
            Affine { time: None, parameter: Some((index, one)), offset: zero }
        }
        Node::Unary(Unary::Neg, a) => {
            let minus = graph.literal(-1.0);
            scaled(of(a)?, |coefficient| graph.mul(minus, coefficient))
        }
        Node::Binary(Binary::Add, a, b) => sum(graph, of(a)?, of(b)?, Graph::add)?,
        Node::Binary(Binary::Sub, a, b) => sum(graph, of(a)?, of(b)?, Graph::sub)?,
        Node::Binary(Binary::Mul, a, b) => product(graph, of(a)?, of(b)?)?,
        Node::Binary(Binary::Div, a, b) => {
            let divisor = constant(of(b)?)?;
            scaled(of(a)?, |coefficient| graph.div(coefficient, divisor))
        }
        Node::MulAdd(a, b, c) => {
            let product = product(graph, of(a)?, of(b)?)?;
            sum(graph, product, of(c)?, Graph::add)?
        }
        // Where the bound does not hold it is the other: `t.clamp(2.0, 5.0)` changes at both.
        Node::Binary(Binary::Min | Binary::Max, a, b) => match (of(a)?, of(b)?) {
            (a, b) if constant(a).is_some() => b,
            (a, b) if constant(b).is_some() => a,
            _ => return None,
        },
        _ => return None,
    })
}

/// A number that depends on no input.
fn constant(affine: Affine) -> Option<Id> {
    (affine.time.is_none() && affine.parameter.is_none()).then_some(affine.offset)
}

fn product(graph: &mut Graph, a: Affine, b: Affine) -> Option<Affine> {
    let (factor, other) = match (constant(a), constant(b)) {
        (Some(factor), _) => (factor, b),
        (None, Some(factor)) => (factor, a),
        (None, None) => return None,
    };
    Some(scaled(other, |coefficient| graph.mul(factor, coefficient)))
}

fn scaled(affine: Affine, mut by: impl FnMut(Id) -> Id) -> Affine {
    Affine {
        time: affine.time.map(&mut by),
        parameter: affine.parameter.map(|(index, coefficient)| (index, by(coefficient))),
        offset: by(affine.offset),
    }
}

/// The sum or the difference; `None` of two different parameters.
fn sum(
    graph: &mut Graph,
    a: Affine,
    b: Affine,
    operation: fn(&mut Graph, Id, Id) -> Id,
) -> Option<Affine> {
    let zero = graph.literal(0.0);
    let mut of = |a: Option<Id>, b: Option<Id>| match (a, b) {
        (None, None) => None,
        (a, b) => {
            let both = operation(graph, a.unwrap_or(zero), b.unwrap_or(zero));
            (!graph.is(both, 0.0)).then_some(both)
        }
    };
    let index = match (a.parameter, b.parameter) {
        (Some((one, _)), Some((other, _))) if one != other => return None,
        (one, other) => one.or(other).map(|(index, _)| index),
    };
    let time = of(a.time, b.time);
    let parameter = of(a.parameter.map(|(_, a)| a), b.parameter.map(|(_, b)| b));
    Some(Affine {
        time,
        parameter: index.zip(parameter),
        offset: operation(graph, a.offset, b.offset),
    })
}

impl Breaks {
    /// Where `difference` is zero.
    fn add(&mut self, graph: &mut Graph, difference: Affine) {
        let Affine { time: Some(slope), parameter, offset } = difference else { return };
        let mut solved = |coefficient: Id| {
            let quotient = graph.div(coefficient, slope);
            graph.neg(quotient)
        };
        let time = solved(offset);
        match parameter {
            None if !self.times.contains(&time) => self.times.push(time),
            None => {}
            Some((index, coefficient)) => {
                let found = (index, solved(coefficient), time);
                if !self.parameters.contains(&found) {
                    self.parameters.push(found);
                }
            }
        }
    }

    /// The constants of the trait, where they are not the default. `constants` are the expressions
    /// of constants from outside, and `facade` has the function that puts unknown times in order.
    pub(crate) fn items(
        &self,
        graph: &Graph,
        constants: &[TokenStream],
        facade: &syn::Path,
    ) -> TokenStream {
        let mut items = TokenStream::new();
        let known: Option<Vec<f64>> =
            self.times.iter().map(|time| graph.literal_value(*time)).collect();
        match known {
            Some(times) if times.is_empty() => {}
            Some(mut times) => {
                times.sort_by(f64::total_cmp);
                // A zero may have either sign.
                times.dedup_by(|a, b| a == b);
                let times = times.iter().map(|time| emit::literal(time + 0.0));
                items.extend(quote!(const TIME_BREAKS: &'static [f64] = &[#(#times),*];));
            }
            None => {
                let times: Vec<TokenStream> = (self.times.iter())
                    .filter_map(|time| expression(graph, *time, constants))
                    .collect();
                let count = proc_macro2::Literal::usize_unsuffixed(times.len());
                items.extend(quote! {
                    const TIME_BREAKS: &'static [f64] = {
                        const ALL: &([f64; #count], usize) =
                            &#facade::__private::in_order([#(#times),*]);
                        ALL.0.split_at(ALL.1).0
                    };
                });
            }
        }
        let parameters: Vec<TokenStream> = (self.parameters.iter())
            .filter_map(|(index, factor, offset)| {
                let index = proc_macro2::Literal::u32_unsuffixed(*index);
                let factor = expression(graph, *factor, constants)?;
                let offset = expression(graph, *offset, constants)?;
                Some(quote!((#index, #factor, #offset)))
            })
            .collect();
        if !parameters.is_empty() {
            items.extend(quote! {
                const PARAMETER_BREAKS: &'static [(usize, f64, f64)] = &[#(#parameters),*];
            });
        }
        items
    }
}

/// A number that depends on no input as a constant expression of Rust's.
fn expression(graph: &Graph, id: Id, constants: &[TokenStream]) -> Option<TokenStream> {
    let of = |id| expression(graph, id, constants);
    Some(match graph.node(id) {
        Node::Literal(literal) => emit::literal(literal.value() + 0.0),
        Node::Constant(index) => {
            let constant = constants.get(index as usize)?;
            quote!((#constant))
        }
        Node::Unary(Unary::Neg, a) => {
            let a = of(a)?;
            quote!((-#a))
        }
        Node::Binary(operation, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            match operation {
                Binary::Add => quote!((#a + #b)),
                Binary::Sub => quote!((#a - #b)),
                Binary::Mul => quote!((#a * #b)),
                Binary::Div => quote!((#a / #b)),
                _ => return None,
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times, and the parameters with their coefficients, of what `make` compares.
    fn found(make: impl FnOnce(&mut Graph, Id) -> Node) -> (Vec<f64>, Vec<(u32, f64, f64)>) {
        let mut graph = Graph::new();
        let time = graph.input(Input::Time);
        let node = make(&mut graph, time);
        let root = graph.insert(node);
        let breaks = breaks(&mut graph, &[root]);
        let value = |id: &Id| graph.literal_value(*id).unwrap();
        let parameters = breaks.parameters.iter();
        (
            breaks.times.iter().map(value).collect(),
            parameters.map(|(index, a, b)| (*index, value(a), value(b))).collect(),
        )
    }

    #[test]
    fn comparisons_with_a_number() {
        for comparison in [Comparison::Lt, Comparison::Le, Comparison::Gt, Comparison::Ge] {
            let compare = |graph: &mut Graph, time| {
                let five = graph.literal(5.0);
                Node::Compare(comparison, time, five)
            };
            assert_eq!(found(compare), (vec![5.0], vec![]));
        }
        let equal = |graph: &mut Graph, time| {
            let five = graph.literal(5.0);
            Node::Compare(Comparison::Equals, five, time)
        };
        assert_eq!(found(equal), (vec![], vec![]), "at a single point nothing changes");
    }

    #[test]
    fn affine_forms_are_solved() {
        // 3 t - 2 < (t + 8) / 2
        let both = |graph: &mut Graph, time| {
            let [two, three, eight] = [2.0, 3.0, 8.0].map(|number| graph.literal(number));
            let left = graph.mul(time, three);
            let left = graph.sub(left, two);
            let right = graph.add(eight, time);
            let right = graph.div(right, two);
            Node::Compare(Comparison::Lt, left, right)
        };
        assert_eq!(found(both).0, [2.4]);
        // -t > -4
        let negated = |graph: &mut Graph, time| {
            let four = graph.literal(-4.0);
            let minus = graph.neg(time);
            Node::Compare(Comparison::Gt, minus, four)
        };
        assert_eq!(found(negated).0, [4.0]);
    }

    #[test]
    fn clamps_change_at_both_ends() {
        let clamp = |graph: &mut Graph, time| {
            let (low, high) = (graph.literal(2.0), graph.literal(5.0));
            let clamped = graph.clamped(time, low, high);
            Node::Unary(Unary::Exp, clamped)
        };
        assert_eq!(found(clamp).0, [2.0, 5.0]);
    }

    #[test]
    fn one_parameter_is_told_with_its_coefficients() {
        // 2 t < p + 1
        let with = |graph: &mut Graph, time| {
            let (one, two) = (graph.literal(1.0), graph.literal(2.0));
            let p = graph.input(Input::Parameter(3));
            let left = graph.mul(two, time);
            let right = graph.add(p, one);
            Node::Compare(Comparison::Lt, left, right)
        };
        assert_eq!(found(with), (vec![], vec![(3, 0.5, 0.5)]));
        // t < p + q, t < p q
        for operation in [Graph::add, Graph::mul] {
            let with = |graph: &mut Graph, time| {
                let [p, q] = [0, 1].map(|index| graph.input(Input::Parameter(index)));
                let right = operation(graph, p, q);
                Node::Compare(Comparison::Lt, time, right)
            };
            assert_eq!(found(with), (vec![], vec![]));
        }
    }

    #[test]
    fn what_repeats_or_depends_on_the_state_is_left_out() {
        let repeats = |graph: &mut Graph, time| {
            let (day, noon) = (graph.literal(24.0), graph.literal(12.0));
            let hour = graph.remainder(time, day);
            Node::Compare(Comparison::Lt, hour, noon)
        };
        assert_eq!(found(repeats), (vec![], vec![]));
        let state = |graph: &mut Graph, time| {
            let u = graph.input(Input::State(0));
            Node::Compare(Comparison::Lt, time, u)
        };
        assert_eq!(found(state), (vec![], vec![]));
        // Both sides move alike: t + 1 < t + 2.
        let same = |graph: &mut Graph, time| {
            let (one, two) = (graph.literal(1.0), graph.literal(2.0));
            let (a, b) = (graph.add(time, one), graph.add(time, two));
            Node::Compare(Comparison::Lt, a, b)
        };
        assert_eq!(found(same), (vec![], vec![]));
        // A comparison that nothing needs.
        let mut graph = Graph::new();
        let (time, five) = (graph.input(Input::Time), graph.literal(5.0));
        graph.compare(Comparison::Lt, time, five);
        assert!(breaks(&mut graph, &[time]).times.is_empty());
    }

    #[test]
    fn constants_from_outside_stay_expressions() {
        let mut graph = Graph::new();
        let (time, two) = (graph.input(Input::Time), graph.literal(2.0));
        let dose = graph.insert(Node::Constant(0));
        let twice = graph.mul(two, time);
        let later = graph.insert(Node::Compare(Comparison::Ge, twice, dose));
        let early = graph.insert(Node::Compare(Comparison::Ge, time, two));
        let breaks = breaks(&mut graph, &[later, early]);
        let items = breaks.items(&graph, &[quote!(DOSE as f64)], &syn::parse_quote!(::odes));
        let expected = quote! {
            const TIME_BREAKS: &'static [f64] = {
                const ALL: &([f64; 2], usize) =
                    &::odes::__private::in_order([((DOSE as f64) * 0.5), 2.0]);
                ALL.0.split_at(ALL.1).0
            };
        };
        assert_eq!(items.to_string(), expected.to_string());
    }
}
