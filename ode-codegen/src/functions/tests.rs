//! The consistency of the rows of the table; new rows are tested automatically.

use std::collections::HashSet;

use super::*;
use crate::check;
use crate::derive::gradients;
use crate::graph::{InputNode, Node};

/// The points at which functions are compared.
///
/// Each function is defined at some of these points.
const POINTS: [f64; 10] = [-3.3, -1.35, -0.9, -0.4, -0.15, 0.2, 0.45, 0.85, 1.35, 3.1];

fn unary() -> impl Iterator<Item = Unary> {
    ROWS.iter().filter_map(|row| match row.function {
        Function::Unary(function) => Some(function),
        _ => None,
    })
}

fn binary() -> impl Iterator<Item = Binary> {
    ROWS.iter().filter_map(|row| match row.function {
        Function::Binary(function) => Some(function),
        _ => None,
    })
}

/// Returns the value of a node at the state `u`.
fn value(graph: &Graph, id: Id, u: &[f64]) -> f64 {
    let input = |input| match input {
        InputNode::State(index) => u[index as usize],
        other => panic!("{other:?} is no state"),
    };
    check::evaluate(graph, &[], &graph.reachable(&[id]), 0, &input)[id.index()]
}

/// Returns the derivatives of a function with respect to its arguments, by the rules.
fn derivatives(
    arguments: usize,
    make: impl FnOnce(&mut Graph, &[Id]) -> Id,
) -> (Graph, Vec<Option<Id>>) {
    let mut graph = Graph::new();
    let inputs: Vec<Id> =
        (0..arguments).map(|index| graph.input(InputNode::State(index as u32))).collect();
    let id = make(&mut graph, &inputs);
    let gradient = gradients(&mut graph, &[id], 1000).unwrap().remove(0);
    let by = |index| gradient.iter().find(|(input, _)| *input == InputNode::State(index));
    let all = (0..arguments as u32).map(|index| by(index).map(|(_, id)| *id)).collect();
    (graph, all)
}

/// Compares a derivative with a difference quotient of order 4, if the quotient is finite.
fn compare(name: &str, derivative: f64, point: f64, value: impl Fn(f64) -> f64) -> bool {
    let h = 1e-3;
    let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|steps| value(point + steps * h));
    let difference = (a - 8.0 * b + 8.0 * c - d) / (12.0 * h);
    if !difference.is_finite() {
        return false;
    }
    let error = (derivative - difference).abs() / (1.0 + difference.abs());
    assert!(error < 1e-7, "{name} at {point}: {derivative} by the rule, {difference} by values");
    true
}

#[test]
fn derivatives_are_those_of_the_values() {
    for function in unary() {
        let row = function.row();
        let (graph, by) = derivatives(1, |graph, ids| graph.insert(Node::Unary(function, ids[0])));
        let mut compared = 0;
        for point in POINTS {
            let derivative = by[0].map_or(0.0, |id| value(&graph, id, &[point]));
            compared += usize::from(compare(row.method, derivative, point, row.value));
        }
        assert!(compared >= 2, "{} has hardly any values", row.method);
    }
    for function in binary() {
        let row = function.row();
        let (graph, by) =
            derivatives(2, |graph, ids| graph.insert(Node::Binary(function, ids[0], ids[1])));
        let mut compared = 0;
        for (x, y) in POINTS.into_iter().flat_map(|x| POINTS.map(|y| (x, y))) {
            let by_x = by[0].map_or(0.0, |id| value(&graph, id, &[x, y]));
            let by_y = by[1].map_or(0.0, |id| value(&graph, id, &[x, y]));
            // `min` and `max` have no derivative if both arguments are equal.
            if x != y {
                compared += usize::from(compare(row.method, by_x, x, |x| (row.value)(x, y)));
                compared += usize::from(compare(row.method, by_y, y, |y| (row.value)(x, y)));
            }
        }
        assert!(compared >= 40, "{} has hardly any values", row.method);
    }
}

/// A relative derivative, and one split into factors, equal the derivative.
#[test]
fn growth_is_that_of_the_derivative() {
    for function in unary() {
        let (Some(growth), Some(slope)) = (function.row().growth, function.row().slope) else {
            continue;
        };
        let mut graph = Graph::new();
        let x = graph.input(InputNode::State(0));
        let y = graph.insert(Node::Unary(function, x));
        let one = graph.literal(1.0);
        let slope = slope(&mut graph, x, y);
        let relative = (growth.relative)(&mut graph, x, y).unwrap_or(one);
        let size = (growth.size)(&mut graph, y);
        let rate = (growth.rate)(&mut graph, x).unwrap_or(one);
        for point in POINTS {
            let [y, slope, relative, size, rate] =
                [y, slope, relative, size, rate].map(|id| value(&graph, id, &[point]));
            let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * (1.0 + b.abs());
            assert!(close(relative * y, slope), "{function:?} at {point}");
            assert!(close(size * rate, slope), "{function:?} at {point}");
        }
    }
}

#[test]
fn a_name_is_of_one_function() {
    let mut known = HashSet::new();
    for name in Function::names() {
        assert!(known.insert(name), "{name} is there twice");
        let function = Function::from_name(name).unwrap();
        assert_eq!(function.name(), name);
        assert!(function.arguments() > 0, "{name} has no arguments");
    }
    let mut elsewhere = HashSet::new();
    for row in ROWS {
        for name in row.elsewhere {
            assert!(elsewhere.insert(name), "{name} is of two functions");
            assert_eq!(Function::from_elsewhere(name), row.name);
        }
    }
    let operations = unary().map(|f| f.row().method).chain(binary().map(|f| f.row().method));
    let methods: Vec<_> = operations.collect();
    assert_eq!(methods.iter().collect::<HashSet<_>>().len(), methods.len(), "{methods:?}");
}

/// Every callable function is found by its name.
#[test]
fn the_guide_lists_all_functions() {
    let guide = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../ode-macros/language.md"),
    );
    let guide = guide.unwrap();
    for name in Function::names() {
        let forms = [format!("`{name}`"), format!(".{name}()")];
        assert!(forms.iter().any(|form| guide.contains(form)), "`{name}` is not in the guide");
    }
}
