//! The breaks of expressions that are built node by node.

mod middles;

use quote::quote;

use super::formula::Formula;
use super::*;
use crate::check::evaluate;
use crate::functions::{Composed, Function};

/// The values of three parameters, and their names.
const P: [f64; 3] = [5.0, 3.0, 0.5];
const NAMES: [&str; 3] = ["a", "b", "c"];

/// Returns the breaks of the node from `make`: constants, and functions of parameters.
///
/// The latter are formulas with their values at [`P`].
fn found(make: impl FnOnce(&mut Graph, Id) -> Node) -> (Vec<f64>, Vec<(String, f64)>) {
    let (times, of_parameters, _) = all_of(make);
    (times, of_parameters)
}

/// Returns the same, and whether there are other breaks.
fn all_of(make: impl FnOnce(&mut Graph, Id) -> Node) -> (Vec<f64>, Vec<(String, f64)>, bool) {
    let mut graph = Graph::new();
    let time = graph.input(InputNode::Time);
    let node = make(&mut graph, time);
    let root = graph.insert(node);
    let Breaks { times, of_parameters, more, .. } =
        breaks(&mut graph, &[root], &(0..0), &[], [&HashSet::new(); 2]);
    let needed = graph.reachable(&of_parameters);
    let values = evaluate(&graph, &[], &needed, 0, &|input| match input {
        InputNode::Parameter(index) => P[index as usize],
        other => panic!("{other:?}"),
    });
    let names = NAMES.map(str::to_owned);
    let formula =
        Formula { graph: &graph, states: &[], parameters: &names, constants: &[], tables: &[] };
    (
        times.iter().map(|time| graph.literal_value(*time).unwrap()).collect(),
        of_parameters.iter().map(|id| (formula.text(*id), values[id.index()])).collect(),
        more,
    )
}

/// Returns the breaks if all of them depend on parameters.
fn of_parameters(make: impl FnOnce(&mut Graph, Id, [Id; 3]) -> Node) -> Vec<(String, f64)> {
    let (times, of_parameters) = found(|graph, time| {
        let parameters = [0, 1, 2].map(|index| graph.input(InputNode::Parameter(index)));
        make(graph, time, parameters)
    });
    assert!(times.is_empty(), "{times:?}");
    of_parameters
}

fn times<const K: usize>(times: [(&str, f64); K]) -> Vec<(String, f64)> {
    times.map(|(formula, time)| (formula.to_owned(), time)).into()
}

fn less(a: Id, b: Id) -> Node {
    Node::Compare(Comparison::Lt, a, b)
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
fn times_are_any_functions_of_parameters() {
    // 2 t < b + 1
    let scaled = of_parameters(|graph, time, [_, b, _]| {
        let (one, two) = (graph.literal(1.0), graph.literal(2.0));
        let left = graph.mul(two, time);
        less(left, graph.add(b, one))
    });
    assert_eq!(scaled, times([("0.5 * (b + 1)", 2.0)]));
    let sum = of_parameters(|graph, time, [a, b, _]| less(time, graph.add(a, b)));
    assert_eq!(sum, times([("a + b", 8.0)]));
    let product = of_parameters(|graph, time, [a, b, _]| less(time, graph.mul(a, b)));
    assert_eq!(product, times([("a * b", 15.0)]));
    // c (t - a) > b
    let quotient = of_parameters(|graph, time, [a, b, c]| {
        let since = graph.sub(time, a);
        less(b, graph.mul(c, since))
    });
    assert_eq!(quotient, times([("(b + a * c) / c", 11.0)]));
    // 4 - t < sqrt(b) + t c
    let root = of_parameters(|graph, time, [_, b, c]| {
        let four = graph.literal(4.0);
        let left = graph.sub(four, time);
        let root = graph.unary(Unary::Sqrt, b);
        less(left, graph.mul_add(time, c, root))
    });
    assert_eq!(root.len(), 1);
    assert!((root[0].1 - (4.0 - 3.0_f64.sqrt()) / 1.5).abs() < 1e-15, "{root:?}");
    // t < if a < b { a } else { c }
    let chosen = of_parameters(|graph, time, [a, b, c]| {
        let mask = graph.insert(less(a, b));
        less(time, graph.select(mask, a, c))
    });
    assert_eq!(chosen, times([("if a < b { a } else { c }", 0.5)]));
}

#[test]
fn signs_and_sizes_change_at_zero() {
    let since = |graph: &mut Graph, time, a| graph.sub(time, a);
    for function in [Unary::Abs, Unary::Neg] {
        let found = of_parameters(|graph, time, [a, ..]| {
            let since = since(graph, time, a);
            Node::Unary(Unary::Exp, graph.unary(function, since))
        });
        let expected = if function == Unary::Abs { times([("a", 5.0)]) } else { vec![] };
        assert_eq!(found, expected);
    }
    let signum = of_parameters(|graph, time, [a, ..]| {
        let since = since(graph, time, a);
        let sign = graph.compose(Composed::Signum, &[since]).unwrap();
        Node::Unary(Unary::Exp, sign)
    });
    assert_eq!(signum, times([("a", 5.0)]));
    // The result has the sign of the second argument, which depends on the time.
    let copysign = of_parameters(|graph, time, [a, ..]| {
        let u = graph.input(InputNode::State(0));
        Node::Binary(Binary::Copysign, u, since(graph, time, a))
    });
    assert_eq!(copysign, times([("a", 5.0)]));
    let both = of_parameters(|graph, time, [a, b, _]| {
        let since = since(graph, time, a);
        Node::Binary(Binary::Copysign, since, graph.sub(b, time))
    });
    assert_eq!(both, times([("a", 5.0), ("b", 3.0)]));
}

#[test]
fn each_piece_has_a_time() {
    // |t - a| < b
    let window = of_parameters(|graph, time, [a, b, _]| {
        let since = graph.sub(time, a);
        let distance = graph.unary(Unary::Abs, since);
        less(distance, b)
    });
    assert_eq!(window, times([("a", 5.0), ("b + a", 8.0), ("a - b", 2.0)]));
    // b < max(t - a, 0), and the change of the maximum.
    let ramp = of_parameters(|graph, time, [a, b, _]| {
        let zero = graph.literal(0.0);
        let since = graph.sub(time, a);
        less(b, graph.binary(Binary::Max, since, zero))
    });
    assert_eq!(ramp, times([("a", 5.0), ("b + a", 8.0)]));
    // signum(t - a) t < b: b and -b, though -b belongs to the piece before a.
    let signed = of_parameters(|graph, time, [a, b, _]| {
        let since = graph.sub(time, a);
        let sign = graph.compose(Composed::Signum, &[since]).unwrap();
        less(graph.mul(sign, time), b)
    });
    assert_eq!(signed, times([("a", 5.0), ("b", 3.0), ("-b", -3.0)]));
    // t < if u < a { b } else { c }, for both branches.
    let either = of_parameters(|graph, time, [a, b, c]| {
        let u = graph.input(InputNode::State(0));
        let mask = graph.insert(less(u, a));
        less(time, graph.select(mask, b, c))
    });
    assert_eq!(either, times([("b", 3.0), ("c", 0.5)]));
    // A sum of magnitudes with too many pieces: the magnitudes still have times.
    let many = |graph: &mut Graph, time| {
        let sum = (0..10).fold(time, |sum, k| {
            let bound = graph.literal(f64::from(k));
            let since = graph.sub(time, bound);
            let size = graph.unary(Unary::Abs, since);
            graph.add(sum, size)
        });
        less(sum, graph.literal(1e6))
    };
    let (all, _) = found(many);
    assert_eq!(all, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
}

#[test]
fn functions_that_round_are_not_looked_into() {
    let name = |function| Function::Composed(function).name();
    let remainder = |graph: &mut Graph, time, by| {
        let since = graph.sub(time, by);
        graph.remainder(since, by)
    };
    for function in
        [Composed::Trunc, Composed::Round, Composed::Fract, Composed::Ceil, Composed::Signum]
    {
        let found = of_parameters(|graph, time, [a, b, _]| {
            let since = graph.sub(time, a);
            less(graph.compose(function, &[since]).unwrap(), b)
        });
        assert_eq!(found.len(), usize::from(function == Composed::Signum), "{}", name(function));
    }
    for function in [Composed::RemEuclid, Composed::DivEuclid] {
        let found = of_parameters(|graph, time, [a, b, _]| {
            less(graph.compose(function, &[time, a]).unwrap(), b)
        });
        assert_eq!(found, [], "{}", name(function));
    }
    assert_eq!(of_parameters(|graph, time, [a, b, _]| less(remainder(graph, time, a), b)), []);
    // The arguments of these functions are searched.
    let inside = of_parameters(|graph, time, [a, b, _]| {
        let since = graph.sub(time, a);
        let size = graph.unary(Unary::Abs, since);
        less(graph.remainder(size, b), b)
    });
    assert_eq!(inside, times([("a", 5.0)]));
    // Functions of parameters that round are ordinary numbers.
    let rounded = of_parameters(|graph, time, [_, _, c]| {
        less(time, graph.compose(Composed::Round, &[c]).unwrap())
    });
    assert_eq!(rounded.len(), 1);
    assert_eq!(rounded[0].1, 1.0);
}

/// The solver evaluates a time that is not a sum, product or quotient.
#[test]
fn functions_of_constants_are_evaluated_by_the_solver() {
    let make = |graph: &mut Graph, time| {
        let three = graph.literal(3.0);
        less(time, graph.unary(Unary::Exp, three))
    };
    assert_eq!(found(make), (vec![], times([("3.exp()", 3.0_f64.exp())])));
    // The solver also evaluates a time with so many operations that its text would be long.
    let mut graph = Graph::new();
    let (time, constant) = (graph.input(InputNode::Time), graph.insert(Node::Constant(0)));
    let long = (0..60).fold(constant, |sum, _| graph.add(sum, sum));
    let root = graph.insert(less(time, long));
    let breaks = breaks(&mut graph, &[root], &(0..0), &[], [&HashSet::new(); 2]);
    assert_eq!((breaks.times.len(), breaks.of_parameters.len()), (0, 1));
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
        let u = graph.input(InputNode::State(0));
        Node::Compare(Comparison::Lt, time, u)
    };
    assert_eq!(found(state), (vec![], vec![]));
    // Both sides have the same slope: t + 1 < t + 2.
    let same = |graph: &mut Graph, time| {
        let (one, two) = (graph.literal(1.0), graph.literal(2.0));
        let (a, b) = (graph.add(time, one), graph.add(time, two));
        Node::Compare(Comparison::Lt, a, b)
    };
    assert_eq!(found(same), (vec![], vec![]));
    // A comparison that no root needs.
    let mut graph = Graph::new();
    let (time, five) = (graph.input(InputNode::Time), graph.literal(5.0));
    graph.compare(Comparison::Lt, time, five);
    assert!(breaks(&mut graph, &[time], &(0..0), &[], [&HashSet::new(); 2]).times.is_empty());
}

/// Returns the parameter times of a comparison of two numbers, and whether there are others.
fn compared(
    make: impl FnOnce(&mut Graph, Id, [Id; 3], Id) -> [Id; 2],
) -> (Vec<(String, f64)>, bool) {
    let (times, of_parameters, more) = all_of(|graph, time| {
        let parameters = [0, 1, 2].map(|index| graph.input(InputNode::Parameter(index)));
        let state = graph.input(InputNode::State(0));
        let [a, b] = make(graph, time, parameters, state);
        less(a, b)
    });
    assert!(times.is_empty(), "{times:?}");
    (of_parameters, more)
}

#[test]
fn products_and_quotients_change_their_sign_where_their_parts_do() {
    let product = compared(|graph, time, [a, b, _], _| {
        let since = graph.sub(time, a);
        let until = graph.sub(since, b);
        [graph.mul(since, until), graph.literal(0.0)]
    });
    assert_eq!(product, (times([("a", 5.0), ("b + a", 8.0)]), false));
    let quotient = compared(|graph, time, [a, b, _], u| {
        let (since, until) = (graph.sub(time, a), graph.sub(b, time));
        let quotient = graph.div(until, since);
        [graph.literal(0.0), graph.mul(u, quotient)]
    });
    assert_eq!(quotient, (times([("b", 3.0), ("a", 5.0)]), false));
    // The sign of a cube and of magnitudes, and a maximum with zero.
    let cube = compared(|graph, time, [a, b, _], _| {
        let (since, until) = (graph.sub(time, a), graph.sub(b, time));
        let product = graph.mul(since, until);
        let minus = graph.neg(product);
        let positive = graph.powi(minus, 3);
        let size = graph.unary(Unary::Abs, positive);
        let zero = graph.literal(0.0);
        [graph.binary(Binary::Max, positive, zero), size]
    });
    assert_eq!(cube.0, times([("a", 5.0), ("b", 3.0)]));
    // A product with itself, repeated many times.
    let tall = compared(|graph, time, [a, ..], _| {
        let since = graph.sub(time, a);
        let power = (0..200).fold(since, |product, _| graph.mul(product, product));
        [power, graph.literal(0.0)]
    });
    assert_eq!(tall, (times([("a", 5.0)]), false));
}

#[test]
fn quotients_are_compared_at_poles_and_where_they_are_equal() {
    for swap in [false, true] {
        // c / (t - a) > b
        let pole = compared(|graph, time, [a, b, c], _| {
            let since = graph.sub(time, a);
            let quotient = graph.div(c, since);
            if swap { [quotient, b] } else { [b, quotient] }
        });
        let (mut found, more) = pole;
        found.sort_by(|x, y| x.1.total_cmp(&y.1));
        assert!(!more);
        assert_eq!(found[0], ("a".to_owned(), 5.0));
        let &[_, (_, equal)] = &found[..] else { panic!("{found:?}") };
        assert!((equal - (5.0 + 0.5 / 3.0)).abs() < 1e-15, "{found:?}");
    }
    // The pole does not depend on the state.
    let state = compared(|graph, time, [a, _, c], u| {
        let since = graph.sub(time, a);
        [graph.div(c, since), u]
    });
    assert_eq!(state, (times([("a", 5.0)]), true));
}

#[test]
fn squares_are_compared_at_both_roots() {
    let both = times([("c + a", 5.5), ("a - c", 4.5)]);
    // (t - a)² < c c, by products and powers.
    for kind in 0..4 {
        let square = compared(|graph, time, [a, _, c], _| {
            let since = graph.sub(time, a);
            let mut square = |x, product: bool| match product {
                true => graph.mul(x, x),
                false => graph.powi(x, 2),
            };
            [square(since, kind & 1 == 0), square(c, kind & 2 == 0)]
        });
        assert_eq!(square, (both.clone(), false));
    }
    // (t - a)² - c c > 0
    let difference = compared(|graph, time, [a, _, c], _| {
        let since = graph.sub(time, a);
        let (square, bound) = (graph.powi(since, 2), graph.mul(c, c));
        [graph.literal(0.0), graph.sub(square, bound)]
    });
    assert_eq!(difference, (both, false));
    // b > t²
    let root = compared(|graph, time, [_, b, _], _| [b, graph.mul(time, time)]);
    let expected = 3.0_f64.sqrt();
    assert_eq!(root, (times([("b.sqrt()", expected), ("-b.sqrt()", -expected)]), false));
    // t³ < c³, with one root.
    let cube = compared(|graph, time, [_, _, c], _| [graph.powi(time, 3), graph.powi(c, 3)]);
    assert_eq!(cube, (times([("c", 0.5)]), false));
    let four = |graph: &mut Graph, time| {
        let (four, seven) = (graph.literal(4.0), graph.literal(7.0));
        let since = graph.sub(time, seven);
        less(graph.mul(since, since), four)
    };
    assert_eq!(all_of(four), (vec![9.0, 5.0], vec![], false));
}

/// `more` records whether there are times that are not found.
#[test]
fn what_is_not_found_is_told() {
    type Make = fn(&mut Graph, Id, [Id; 3], Id) -> [Id; 2];
    let pulse = |graph: &mut Graph, time, from| {
        let mask = graph.insert(less(time, from));
        let (one, zero) = (graph.literal(1.0), graph.literal(0.0));
        graph.select(mask, zero, one)
    };
    let cases: [(&str, bool, Make); 17] = [
        ("t < a", false, |_, t, [a, ..], _| [t, a]),
        ("t < u", true, |_, t, _, u| [t, u]),
        ("u < a", false, |_, _, [a, ..], u| [u, a]),
        ("sin(u) < a", false, |g, _, [a, ..], u| [g.unary(Unary::Sin, u), a]),
        ("floor(u) < a", false, |g, _, [a, ..], u| [g.unary(Unary::Floor, u), a]),
        ("u % a < b", false, |g, _, [a, b, _], u| [g.remainder(u, a), b]),
        ("a % b < c", false, |g, _, [a, b, c], _| [g.remainder(a, b), c]),
        ("t + u < a", true, |g, t, [a, ..], u| [g.add(t, u), a]),
        ("sin(t) < a", true, |g, t, [a, ..], _| [g.unary(Unary::Sin, t), a]),
        ("|sin(t)| < u", true, |g, t, _, u| {
            let wave = g.unary(Unary::Sin, t);
            [g.unary(Unary::Abs, wave), u]
        }),
        ("floor(t) < a", true, |g, t, [a, ..], _| [g.unary(Unary::Floor, t), a]),
        ("t % a < b", true, |g, t, [a, b, _], _| [g.remainder(t, a), b]),
        ("t rem_euclid a < b", true, |g, t, [a, b, _], _| {
            [g.compose(Composed::RemEuclid, &[t, a]).unwrap(), b]
        }),
        ("(t - a) (t - b) < c", true, |g, t, [a, b, c], _| {
            let (since, until) = (g.sub(t, a), g.sub(t, b));
            [g.mul(since, until), c]
        }),
        ("t³ < a", true, |g, t, [a, ..], _| [g.powi(t, 3), a]),
        ("u (t - a) < 0", false, |g, t, [a, ..], u| {
            let since = g.sub(t, a);
            [g.mul(u, since), g.literal(0.0)]
        }),
        ("table[t] < a", true, |g, t, [a, ..], _| [g.insert(Node::Lookup(0, t)), a]),
    ];
    for (name, expected, make) in cases {
        assert_eq!(compared(make).1, expected, "{name}");
    }
    // Pulses of the time, weighted by the state, jump where the time alone is compared; this also
    // holds for many pulses.
    for count in [1, 12] {
        let sum = |graph: &mut Graph, time| {
            let u = graph.input(InputNode::State(0));
            let sum = (0..count).fold(u, |sum, k| {
                let from = graph.literal(f64::from(k * k));
                let pulse = pulse(graph, time, from);
                let weighted = graph.mul(u, pulse);
                graph.add(sum, weighted)
            });
            let zero = graph.literal(0.0);
            Node::Binary(Binary::Max, sum, zero)
        };
        let (times, _, more) = all_of(sum);
        assert_eq!((times.len(), more), (count as usize, false));
        let alone = |graph: &mut Graph, time| {
            let zero = graph.literal(0.0);
            let sum = (0..count).fold(zero, |sum, k| {
                let from = graph.literal(f64::from(k * k));
                let pulse = pulse(graph, time, from);
                let weighted = graph.mul(from, pulse);
                graph.add(sum, weighted)
            });
            less(sum, graph.literal(30.5))
        };
        let (times, _, more) = all_of(alone);
        assert_eq!((times.len(), more), (count as usize, false));
    }
    // A function of the time that is not compared.
    assert!(!all_of(|_, time| Node::Unary(Unary::Sin, time)).2);
}

#[test]
fn constants_from_outside_stay_expressions() {
    let mut graph = Graph::new();
    let (time, two) = (graph.input(InputNode::Time), graph.literal(2.0));
    let dose = graph.insert(Node::Constant(0));
    let twice = graph.mul(two, time);
    let later = graph.insert(Node::Compare(Comparison::Ge, twice, dose));
    let early = graph.insert(Node::Compare(Comparison::Ge, time, two));
    let breaks = breaks(&mut graph, &[later, early], &(0..0), &[], [&HashSet::new(); 2]);
    let constants = [quote!(DOSE as f64)];
    let times = breaks.constant_times(&graph, &constants, &syn::parse_quote!(::odes));
    let expected = quote!({
        const ALL: &([f64; 2], usize) = &::odes::__private::in_order([((DOSE as f64) * 0.5), 2.0]);
        ALL.0.split_at(ALL.1).0
    });
    assert_eq!(times.to_string(), expected.to_string());
}
