//! The flanks of pulses that may be zero at their centres.
//!
//! `x * exp(-x²)` is zero at `x = 0`. A step that ends there sees as little of the pulse as a step
//! that ends far away, and may pass over one half of the pulse. Steps therefore also stop on both
//! sides of the centre, where the pulse is large.
//!
//! A single pulse is not zero at its centre. A sum of a pulse with other functions of the time, or
//! its product with a number that does not depend on the time, is not zero there either. Such
//! pulses keep one stop. [`Hidden`] finds the others:
//!
//! * factors of products and quotients of two functions of the time, unless both are exponentials
//!   of affine numbers or are made of them without a sign, such as logistic steps;
//! * arguments of functions other than powers;
//! * numbers that a sum can cancel against a function of themselves: `g - g²`;
//! * a few functions with the same centre: `exp(-x²) - exp(-x²/4)`.
//!
//! The search reads the form, not values: parameters determine whether `sin(k t)` is zero at a
//! centre.

use std::collections::HashMap;

use super::{Affine, Course, Finder, Rest};
use crate::graph::{Binary, Graph, Id, Node, Unary};

/// The distances of flanks from the centre, in widths.
///
/// At the first distance `exp(-x²)` is 0.6, and `x^4 exp(-x²)` a quarter of its maximum. Steps may
/// become longer only after the second distance, where the pulse is nearly over. An error estimate
/// has zeros, and long steps from the first distance sometimes hit them. Neither distance is 1,
/// where `sin(pi x)` is zero.
const DISTANCES: [f64; 2] = [0.7, 2.5];

/// The maximal number of functions with one centre. More count as unrelated, for example components
/// of a state.
const MOST_FUNCTIONS: usize = 4;

/// A pulse and its width.
pub(super) struct Pulse {
    /// The function that makes the pulse.
    pub function: Id,
    /// The number that is zero at the centre.
    pub zero: Affine,
    /// The value of `zero` at which the pulse has changed much, with either sign.
    pub reach: Id,
}

/// The nodes with pulses that may be invisible at their centres.
pub(super) struct Hidden(Vec<bool>);

impl Hidden {
    /// Searches the needed nodes among `ids`; `moves` returns whether a node depends on the time.
    pub(super) fn of(
        finder: &Finder<'_>,
        ids: &[Id],
        needed: &[bool],
        moves: &dyn Fn(Id) -> bool,
    ) -> Hidden {
        let graph = &*finder.graph;
        let steady = steady(finder, ids);
        let mut hidden = vec![false; ids.len()];
        // For each node, the number of its uses, and whether one use is nonlinear.
        let mut uses = vec![(0_u32, false); ids.len()];
        for &id in ids.iter().rev() {
            if !needed[id.index()] || !moves(id) || graph.rounded(id).is_some() {
                continue;
            }
            let (count, bent) = uses[id.index()];
            let own = hidden[id.index()] || (count > 1 && bent);
            hidden[id.index()] = own;
            let harmless = |a: Id, b: Id| {
                a == b || !moves(a) || !moves(b) || (steady[a.index()] && steady[b.index()])
            };
            // Whether this node hides its operands, and whether it is nonlinear in them.
            let (hides, bends) = match graph.node(id) {
                Node::Unary(Unary::Neg, _) | Node::Select(..) => (false, false),
                Node::Unary(Unary::Abs, _) | Node::Powi(..) => (false, true),
                Node::Binary(Binary::Add | Binary::Sub, ..) => (false, false),
                Node::Binary(Binary::Mul, a, b) | Node::MulAdd(a, b, _) => {
                    (!harmless(a, b), moves(a) && moves(b))
                }
                Node::Binary(Binary::Div, a, b) => (!harmless(a, b), moves(b)),
                _ => (true, true),
            };
            let operands: Vec<Id> = graph.node(id).operands().collect();
            for (i, operand) in operands.iter().enumerate() {
                if operands[..i].contains(operand) {
                    continue;
                }
                hidden[operand.index()] |= own || hides;
                let (count, bent) = uses[operand.index()];
                uses[operand.index()] = (count + 1, bent || bends);
            }
        }
        // The pulse of a quotient comes from its divisor.
        for &id in ids {
            if let Node::Binary(Binary::Div, a, b) = graph.node(id) {
                let hides = moves(a) && !(steady[a.index()] && steady[b.index()]);
                hidden[id.index()] |= needed[id.index()] && hides;
            }
        }
        Hidden(hidden)
    }

    pub(super) fn contains(&self, id: Id) -> bool {
        self.0[id.index()]
    }
}

/// Returns, for each node, whether it consists of exponentials and has no zero.
///
/// The arguments of the exponentials are affine numbers.
fn steady(finder: &Finder<'_>, ids: &[Id]) -> Vec<bool> {
    let graph = &*finder.graph;
    let mut steady: Vec<bool> = Vec::with_capacity(ids.len());
    for &id in ids {
        let of = |id: Id| steady[id.index()];
        let is = match graph.node(id) {
            Node::Literal(literal) => literal.value() > 0.0,
            Node::Unary(Unary::Exp | Unary::Exp2, a) => finder.of(a).rest != Rest::Moved,
            Node::Unary(Unary::Sqrt, a) | Node::Powi(a, _) => of(a),
            Node::Binary(Binary::Add | Binary::Mul | Binary::Div, a, b) => of(a) && of(b),
            _ => false,
        };
        steady.push(is);
    }
    steady
}

/// Adds the flanks of the hidden pulses.
pub(super) fn add(finder: &mut Finder<'_>, pulses: &[Pulse], hidden: &Hidden) {
    let zero = Affine { slope: None, offset: finder.graph.literal(0.0) };
    let mut functions: HashMap<Id, Vec<Id>> = HashMap::new();
    let mut centred = Vec::with_capacity(pulses.len());
    for pulse in pulses {
        let Some(centre) = finder.crossing(pulse.zero, zero) else { continue };
        let of_centre = functions.entry(centre).or_default();
        if !of_centre.contains(&pulse.function) && of_centre.len() <= MOST_FUNCTIONS {
            of_centre.push(pulse.function);
        }
        centred.push((centre, pulse));
    }
    for (centre, pulse) in centred {
        let several = (2..=MOST_FUNCTIONS).contains(&functions[&centre].len());
        if several || hidden.contains(pulse.function) {
            for distance in DISTANCES {
                let distance = finder.graph.literal(distance);
                let reach = finder.graph.mul(distance, pulse.reach);
                for reach in [finder.graph.neg(reach), reach] {
                    finder.cross(pulse.zero, Affine { slope: None, offset: reach });
                }
            }
        }
    }
}

/// A number as `scale (base / length)^degree`, without its sign and the scale.
#[derive(Clone, Copy)]
pub(super) struct Monomial {
    pub length: Id,
    pub degree: i64,
}

impl Monomial {
    /// Returns the distance from the zero of the base at which the monomial is `size`.
    pub(super) fn reach(self, graph: &mut Graph, size: Id) -> Id {
        let root = root(graph, size, self.degree);
        graph.mul(self.length, root)
    }

    /// Returns the monomial times `factor`, or divided by it.
    pub(super) fn scaled(self, graph: &mut Graph, function: Binary, factor: Id) -> Monomial {
        let root = root(graph, factor, self.degree);
        let length = match function {
            Binary::Div => graph.mul(self.length, root),
            _ => graph.div(self.length, root),
        };
        Monomial { length, ..self }
    }

    /// Returns the product of two monomials with the same base.
    pub(super) fn times(self, graph: &mut Graph, other: Monomial) -> Option<Monomial> {
        let degree = self.degree.checked_add(other.degree)?;
        if self.length == other.length {
            return Some(Monomial { degree, ..self });
        }
        let powers = [self, other].map(|Monomial { length, degree }| graph.powi(length, degree));
        let power = graph.mul(powers[0], powers[1]);
        Some(Monomial { length: root(graph, power, degree), degree })
    }
}

/// Returns the root of the magnitude of a number.
pub(super) fn root(graph: &mut Graph, a: Id, degree: i64) -> Id {
    if degree == 1 || graph.is(a, 1.0) || graph.is(a, -1.0) {
        return a;
    }
    let size = graph.unary(Unary::Abs, a);
    if degree == 2 {
        return graph.unary(Unary::Sqrt, size);
    }
    let exponent = graph.literal(1.0 / degree as f64);
    graph.binary(Binary::Powf, size, exponent)
}

/// Returns the pieces of a number that is piecewise affine.
pub(super) fn pieces(course: Course) -> Vec<Affine> {
    match course.rest {
        Rest::Nothing => course.pieces,
        _ => Vec::new(),
    }
}
