//! The centres of pulses and steps in closed form.

use super::*;

/// Returns the centres of the forcing that `make` builds from the time and three parameters.
///
/// They are literals, and formulas with their values at [`P`].
fn middles(
    make: impl FnOnce(&mut Graph, Id, [Id; 3]) -> Id,
) -> (Vec<f64>, Vec<(String, f64)>, bool) {
    all_of(|graph, time| {
        let parameters = [0, 1, 2].map(|index| graph.input(InputNode::Parameter(index)));
        let forcing = make(graph, time, parameters);
        let u = graph.input(InputNode::State(0));
        Node::Binary(Binary::Sub, forcing, u)
    })
}

/// Returns the centres if all of them depend on parameters.
fn of(make: impl FnOnce(&mut Graph, Id, [Id; 3]) -> Id) -> Vec<(String, f64)> {
    let (times, of_parameters, more) = middles(make);
    assert!(times.is_empty() && !more, "{times:?}");
    of_parameters
}

/// `(t - a) / b`
fn scaled(graph: &mut Graph, t: Id, a: Id, b: Id) -> Id {
    let since = graph.sub(t, a);
    graph.div(since, b)
}

fn one_plus(graph: &mut Graph, x: Id) -> Id {
    let one = graph.literal(1.0);
    graph.add(one, x)
}

fn over(graph: &mut Graph, x: Id) -> Id {
    let one = graph.literal(1.0);
    graph.div(one, x)
}

/// The centre of functions of `(t - a) / b` and `c (t - a)` is `a`.
///
/// The result is `a` itself, and not a quotient that equals `a`.
#[test]
fn pulses_and_steps_have_their_middle() {
    type Make = fn(&mut Graph, Id) -> Id;
    let forms: [(&str, Make); 18] = [
        ("exp(-x²)", |g, x| {
            let square = g.mul(x, x);
            let square = g.neg(square);
            g.unary(Unary::Exp, square)
        }),
        ("exp(-0.5 x x)", |g, x| {
            let half = g.literal(-0.5);
            let half = g.mul(half, x);
            let square = g.mul(half, x);
            g.unary(Unary::Exp, square)
        }),
        ("exp2(-x⁴)", |g, x| {
            let power = g.powi(x, 4);
            let power = g.neg(power);
            g.unary(Unary::Exp2, power)
        }),
        ("exp(1 - (1 + x²))", |g, x| {
            let square = g.powi(x, 2);
            let more = one_plus(g, square);
            let one = g.literal(1.0);
            let less = g.sub(one, more);
            g.unary(Unary::Exp, less)
        }),
        ("2^(-x²)", |g, x| {
            let (square, two) = (g.powi(x, 2), g.literal(2.0));
            let square = g.neg(square);
            g.binary(Binary::Powf, two, square)
        }),
        ("tanh x", |g, x| g.unary(Unary::Tanh, x)),
        ("atan x", |g, x| g.unary(Unary::Atan, x)),
        ("1 - tanh² x", |g, x| {
            let (one, tanh) = (g.literal(1.0), g.unary(Unary::Tanh, x));
            let square = g.mul(tanh, tanh);
            g.sub(one, square)
        }),
        ("1 / cosh² x", |g, x| {
            let cosh = g.unary(Unary::Cosh, x);
            let square = g.powi(cosh, 2);
            over(g, square)
        }),
        ("1 / (1 + x²)", |g, x| {
            let square = g.mul(x, x);
            let more = one_plus(g, square);
            over(g, more)
        }),
        ("(1 + x²)^-2", |g, x| {
            let square = g.mul(x, x);
            let more = one_plus(g, square);
            g.powi(more, -2)
        }),
        ("(1 + x²)^-1.5", |g, x| {
            let (square, exponent) = (g.mul(x, x), g.literal(-1.5));
            let more = one_plus(g, square);
            g.binary(Binary::Powf, more, exponent)
        }),
        ("1 / sqrt(1 + x²)", |g, x| {
            let square = g.powi(x, 2);
            let more = one_plus(g, square);
            let root = g.unary(Unary::Sqrt, more);
            over(g, root)
        }),
        ("logistic", |g, x| {
            let minus = g.neg(x);
            let exp = g.unary(Unary::Exp, minus);
            let more = one_plus(g, exp);
            over(g, more)
        }),
        ("4 e / (1 + e)², e = exp(-2 x)", |g, x| {
            let (minus_2, four) = (g.literal(-2.0), g.literal(4.0));
            let exponent = g.mul(minus_2, x);
            let exp = g.unary(Unary::Exp, exponent);
            let more = one_plus(g, exp);
            let (above, below) = (g.mul(four, exp), g.mul(more, more));
            g.div(above, below)
        }),
        ("1 / (exp x + exp(-x))", |g, x| {
            let minus = g.neg(x);
            let (up, down) = (g.unary(Unary::Exp, x), g.unary(Unary::Exp, minus));
            let sum = g.add(up, down);
            over(g, sum)
        }),
        ("softplus", |g, x| {
            let exp = g.unary(Unary::Exp, x);
            g.unary(Unary::Ln1p, exp)
        }),
        ("sin x / x", |g, x| {
            let sin = g.unary(Unary::Sin, x);
            g.div(sin, x)
        }),
    ];
    for (name, form) in forms {
        let divided = of(|g, t, [a, b, _]| {
            let x = scaled(g, t, a, b);
            form(g, x)
        });
        assert_eq!(divided, times([("a", 5.0)]), "{name} of (t - a) / b");
        let multiplied = of(|g, t, [a, _, c]| {
            let since = g.sub(a, t);
            let x = g.mul(c, since);
            form(g, x)
        });
        assert_eq!(multiplied, times([("a", 5.0)]), "{name} of c (a - t)");
        // The same with literals, and shifted twice.
        let (literal, of_parameters, more) = middles(|g, t, _| {
            let [three, two, tenth] = [3.0, 2.0, 0.1].map(|number| g.literal(number));
            let since = g.sub(t, three);
            let since = g.add(since, two);
            let x = g.div(since, tenth);
            form(g, x)
        });
        assert_eq!((literal, of_parameters.len(), more), (vec![1.0], 0, false), "{name}");
    }
}

/// A centre is reported once.
///
/// It may be found several times: by a comparison, by a step, with any scale.
#[test]
fn the_same_middle_is_one_time() {
    let found = of(|g, t, [a, b, c]| {
        let terms = [b, c].map(|width| {
            let x = scaled(g, t, a, width);
            let (tanh, size) = (g.unary(Unary::Tanh, x), g.unary(Unary::Abs, x));
            let square = g.mul(tanh, tanh);
            g.add(square, size)
        });
        let product = g.div(terms[0], b);
        let since = g.sub(t, a);
        let size = g.unary(Unary::Abs, since);
        g.add(product, size)
    });
    assert_eq!(found, times([("a", 5.0)]));
}

/// Exponentials that are equal to constants, and to each other.
#[test]
fn exponentials_are_equal_where_their_sum_turns() {
    // 1 / (1 + b exp(-c (t - a)))
    let verhulst = of(|g, t, [a, b, c]| {
        let since = g.sub(a, t);
        let exponent = g.mul(c, since);
        let exp = g.unary(Unary::Exp, exponent);
        let scaled = g.mul(b, exp);
        let more = one_plus(g, scaled);
        over(g, more)
    });
    let [(_, time)] = verhulst[..] else { panic!("{verhulst:?}") };
    assert!((time - (5.0 + 3.0_f64.ln() / 0.5)).abs() < 1e-14, "{verhulst:?}");
    // 1 / (exp(b (t - a)) + exp(-c t)), with different rates.
    let two = of(|g, t, [a, b, c]| {
        let since = g.sub(t, a);
        let (rise, fall) = (g.mul(b, since), g.mul(c, t));
        let fall = g.neg(fall);
        let (rise, fall) = (g.unary(Unary::Exp, rise), g.unary(Unary::Exp, fall));
        let sum = g.add(rise, fall);
        over(g, sum)
    });
    let [(_, time)] = two[..] else { panic!("{two:?}") };
    assert!((time - 15.0 / 3.5).abs() < 1e-14, "{two:?}");
    // sqrt(2^(t - a) + b), equal at a + log2 b
    let binary = of(|g, t, [a, b, _]| {
        let since = g.sub(t, a);
        let exp = g.unary(Unary::Exp2, since);
        let sum = g.add(exp, b);
        g.unary(Unary::Sqrt, sum)
    });
    let [(_, time)] = binary[..] else { panic!("{binary:?}") };
    assert!((time - (5.0 + 3.0_f64.log2())).abs() < 1e-14, "{binary:?}");
    // A box of two steps, and ln(1 + exp(t - a)).
    let product = of(|g, t, [a, b, c]| {
        let steps = [(a, 1.0), (b, -1.0)].map(|(edge, sign)| {
            let sign = g.literal(sign);
            let x = scaled(g, t, edge, c);
            let x = g.mul(sign, x);
            let exp = g.unary(Unary::Exp, x);
            one_plus(g, exp)
        });
        let both = g.mul(steps[0], steps[1]);
        over(g, both)
    });
    assert_eq!(product, times([("a", 5.0), ("b", 3.0)]));
    let softplus = of(|g, t, [a, ..]| {
        let since = g.sub(t, a);
        let exp = g.unary(Unary::Exp, since);
        let more = one_plus(g, exp);
        g.unary(Unary::Ln, more)
    });
    assert_eq!(softplus, times([("a", 5.0)]));
}

/// Polynomials of degree 2 turn where their derivative is zero, in any form.
#[test]
fn parabolas_turn_at_their_vertex() {
    // exp(-(t t - 2 a t))
    let expanded = of(|g, t, [a, ..]| {
        let (square, two) = (g.mul(t, t), g.literal(2.0));
        let double = g.mul(two, a);
        let linear = g.mul(double, t);
        let difference = g.sub(linear, square);
        g.unary(Unary::Exp, difference)
    });
    assert_eq!(expanded, times([("a", 5.0)]));
    // exp(-c (t - a) (t - b)): between them.
    let between = of(|g, t, [a, b, c]| {
        let (one, other) = (g.sub(t, a), g.sub(t, b));
        let product = g.mul(one, other);
        let product = g.mul(c, product);
        let product = g.neg(product);
        g.unary(Unary::Exp, product)
    });
    let [(_, time)] = between[..] else { panic!("{between:?}") };
    assert_eq!(time, 4.0, "{between:?}");
    // 1 / (1 + ((t - a) / b)² + ((t - b) / c)²), with weights 1/9 and 4.
    let two = of(|g, t, [a, b, c]| {
        let squares = [(a, b), (b, c)].map(|(c, w)| {
            let x = scaled(g, t, c, w);
            g.powi(x, 2)
        });
        let sum = g.add(squares[0], squares[1]);
        let more = one_plus(g, sum);
        over(g, more)
    });
    let [(_, time)] = two[..] else { panic!("{two:?}") };
    assert!((time - (5.0 / 9.0 + 12.0) / (1.0 / 9.0 + 4.0)).abs() < 1e-14, "{two:?}");
    // exp(-(t - a)² - sin t): the first term determines the vertex.
    let with_wave = of(|g, t, [a, ..]| {
        let (since, wave) = (g.sub(t, a), g.unary(Unary::Sin, t));
        let square = g.powi(since, 2);
        let sum = g.add(square, wave);
        let sum = g.neg(sum);
        g.unary(Unary::Exp, sum)
    });
    assert_eq!(with_wave, times([("a", 5.0)]));
}

/// Factors and terms of the state do not move the centre.
#[test]
fn states_may_scale_what_turns() {
    let found = all_of(|graph, time| {
        let u = graph.input(InputNode::State(0));
        let a = graph.input(InputNode::Parameter(0));
        let since = graph.sub(time, a);
        let square = graph.powi(since, 2);
        let scaled = graph.mul(u, square);
        let sum = graph.add(scaled, u);
        let sum = graph.neg(sum);
        Node::Unary(Unary::Exp, sum)
    });
    assert_eq!(found, (vec![], times([("a", 5.0)]), false));
}

/// Smooth functions of the time without pulses, and functions with centres that are not affine.
#[test]
fn other_functions_have_no_middle() {
    type Make = fn(&mut Graph, Id, [Id; 3]) -> Id;
    let forms: [(&str, Make); 13] = [
        ("exp(-c t)", |g, t, [_, _, c]| {
            let exponent = g.mul(c, t);
            let exponent = g.neg(exponent);
            g.unary(Unary::Exp, exponent)
        }),
        ("exp(-(a - t))", |g, t, [a, ..]| {
            let since = g.sub(t, a);
            g.unary(Unary::Exp, since)
        }),
        ("exp((t - a) / b) exp(-(t - b) / c)", |g, t, [a, b, c]| {
            let (x, y) = (scaled(g, t, a, b), scaled(g, t, b, c));
            let y = g.neg(y);
            let (x, y) = (g.unary(Unary::Exp, x), g.unary(Unary::Exp, y));
            g.mul(x, y)
        }),
        ("1 / exp(c t)", |g, t, [_, _, c]| {
            let exponent = g.mul(c, t);
            let exp = g.unary(Unary::Exp, exponent);
            over(g, exp)
        }),
        ("t", |_, t, _| t),
        ("(t - a)²", |g, t, [a, ..]| {
            let since = g.sub(t, a);
            g.mul(since, since)
        }),
        ("t³", |g, t, _| g.powi(t, 3)),
        ("t^b", |g, t, [_, b, _]| g.binary(Binary::Powf, t, b)),
        ("sqrt(t - a)", |g, t, [a, ..]| {
            let since = g.sub(t, a);
            g.unary(Unary::Sqrt, since)
        }),
        ("ln t", |g, t, _| g.unary(Unary::Ln, t)),
        ("sin(t - a)", |g, t, [a, ..]| {
            let since = g.sub(t, a);
            g.unary(Unary::Sin, since)
        }),
        ("exp(a (cos t - 1))", |g, t, [a, ..]| {
            let (cos, one) = (g.unary(Unary::Cos, t), g.literal(1.0));
            let less = g.sub(cos, one);
            let exponent = g.mul(a, less);
            g.unary(Unary::Exp, exponent)
        }),
        ("1 / a", |g, _, [a, ..]| over(g, a)),
    ];
    for (name, form) in forms {
        assert_eq!(middles(form), (vec![], vec![], false), "{name}");
    }
    // A function of the state.
    let state = all_of(|graph, time| {
        let u = graph.input(InputNode::State(0));
        let since = graph.sub(time, u);
        Node::Unary(Unary::Tanh, since)
    });
    assert_eq!(state, (vec![], vec![], false));
}

/// A comparison stays in `more` even if the same number is searched for centres.
#[test]
fn middles_do_not_hide_comparisons() {
    let (_, _, more) = middles(|g, t, [_, b, c]| {
        let sin = g.unary(Unary::Sin, t);
        let tanh = g.unary(Unary::Tanh, sin);
        let size = g.unary(Unary::Abs, sin);
        let quotient = g.div(c, size);
        let sum = g.add(tanh, quotient);
        g.add(sum, b)
    });
    assert!(more);
}

/// Long chains of products and sums, as loops generate them, are searched quickly.
#[test]
fn towers_are_looked_at_once() {
    for sums in [false, true] {
        let tower = of(|g, t, [a, b, _]| {
            let x = scaled(g, t, a, b);
            let exp = g.unary(Unary::Exp, x);
            let tall = (0..200).fold(exp, |x, _| if sums { g.add(x, x) } else { g.mul(x, x) });
            let more = one_plus(g, tall);
            let more = g.mul(more, x);
            over(g, more)
        });
        assert!(tower.len() <= 2 && tower[0] == ("a".to_owned(), 5.0), "{tower:?}");
    }
}

/// As many centres as terms, in order.
#[test]
fn each_pulse_of_a_sum_has_its_middle() {
    let (found, _, _) = middles(|g, t, _| {
        let zero = g.literal(0.0);
        (0..100).fold(zero, |sum, k| {
            let (centre, width) = (g.literal(f64::from(k)), g.literal(0.01));
            let x = scaled(g, t, centre, width);
            let square = g.powi(x, 2);
            let square = g.neg(square);
            let exp = g.unary(Unary::Exp, square);
            g.add(sum, exp)
        })
    });
    assert_eq!(found, (0..100).map(f64::from).collect::<Vec<_>>());
}
