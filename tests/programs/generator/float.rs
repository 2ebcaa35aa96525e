//! Expressions of floats, and conditions on them.

use super::expr::{Expr, Level};
use super::types::{Type, View};
use super::{ELEMENTARY, Form, Generator, form};

/// The forms of a float.
const FORMS: &[Form<Expr>] = &[
    form(6, leaf),
    form(26, sum),
    form(20, product),
    form(7, quotient),
    form(4, negation),
    form(16, elementary),
    form(9, exact),
    form(4, power),
    form(6, conditional),
    form(3, known_conditional),
    form(2, matched),
    form(2, block),
    form(5, integer_as_float),
    form(16, Generator::call),
    form(6, Generator::accumulated),
    form(3, remainder),
    form(3, interpolated),
];

/// Conditions on floats.
const MASKS: &[Form<Expr>] = &[
    form(30, comparison),
    form(5, connective),
    form(4, not),
    form(14, |generator| Some(generator.existing(&|ty| *ty == Type::Mask)?.0)),
    form(4, conditional_mask),
    form(3, guarded_comparison),
    form(3, |generator| generator.call_of(&Type::Mask)),
    form(3, predicate),
];

/// The domain of a function.
#[derive(Clone, Copy)]
enum Domain {
    All,
    /// All numbers, with fast growth.
    Growing,
    Positive,
    /// Numbers between -1 and 1.
    Unit,
    /// Numbers above 1.
    AboveOne,
}

/// The elementary functions of one number.
const ELEMENTARY_FUNCTIONS: &[(&str, Domain)] = &[
    ("exp", Domain::Growing),
    ("exp2", Domain::Growing),
    ("exp_m1", Domain::Growing),
    ("ln", Domain::Positive),
    ("log2", Domain::Positive),
    ("log10", Domain::Positive),
    ("ln_1p", Domain::Positive),
    ("sin", Domain::All),
    ("cos", Domain::All),
    ("tan", Domain::Unit),
    ("asin", Domain::Unit),
    ("acos", Domain::Unit),
    ("atan", Domain::All),
    ("sinh", Domain::Growing),
    ("cosh", Domain::Growing),
    ("tanh", Domain::All),
    ("asinh", Domain::All),
    ("acosh", Domain::AboveOne),
    ("atanh", Domain::Unit),
    ("cbrt", Domain::All),
];

/// The functions of one number that are rounded correctly, or not at all.
const EXACT_FUNCTIONS: &[(&str, Domain)] = &[
    ("sqrt", Domain::Positive),
    ("abs", Domain::All),
    ("signum", Domain::All),
    ("floor", Domain::All),
    ("ceil", Domain::All),
    ("trunc", Domain::All),
    ("round", Domain::All),
    ("round_ties_even", Domain::All),
    ("fract", Domain::All),
    ("recip", Domain::Positive),
    ("to_radians", Domain::All),
    ("to_degrees", Domain::All),
];

impl Generator {
    /// Returns a float.
    pub(super) fn float(&mut self) -> Expr {
        if self.depth == 0 || self.exhausted() {
            return self.leaf();
        }
        self.deeper(|this| this.any(FORMS))
    }

    /// Returns the result of `write` as a part of another expression.
    pub(super) fn deeper<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let depth = self.depth;
        self.depth = depth.saturating_sub(1);
        let written = write(self);
        self.depth = depth;
        written
    }

    /// Returns a float whose type is known without the context.
    pub(super) fn typed_float(&mut self) -> Expr {
        let expr = self.float();
        self.typed(expr)
    }

    /// Only literals, possibly negative, lack a type.
    fn typed(&mut self, expr: Expr) -> Expr {
        match expr.typed {
            true => expr,
            false => Expr::new(format!("{}_f64", expr.text), expr.level, true),
        }
    }

    /// Returns a float of some depth, for a statement.
    pub(super) fn deep_float(&mut self) -> Expr {
        self.depth = self.between(1, 4) as usize;
        self.typed_float()
    }

    pub(super) fn leaf(&mut self) -> Expr {
        if !self.once_in(8)
            && let Some((expr, _)) = self.existing(&|ty| *ty == Type::Float)
        {
            return expr;
        }
        if self.once_in(6) && self.view != View::Items {
            const CONSTANTS: [&str; 6] = [
                "std::f64::consts::PI",
                "consts::FRAC_1_PI",
                "consts::LN_2",
                "core::f64::consts::E",
                "GAIN",
                "rates::SLOW",
            ];
            return Expr::whole(*self.choose(&CONSTANTS));
        }
        self.literal()
    }

    pub(super) fn literal(&mut self) -> Expr {
        const NUMBERS: [&str; 14] = [
            "0.5", "2.0", "1.5", "0.25", "3.0", "1.0", "0.1", "1e-3", "0.75", "2.5", "12.5e-1",
            "0.0", "1_0.0", "4.0",
        ];
        let text = match self.once_in(3) {
            true => format!("{:.3}", self.random.uniform(0.0, 3.0)),
            false => (*self.choose(&NUMBERS)).to_owned(),
        };
        match self.once_in(6) {
            true => Expr::whole(format!("{text}_f64")),
            false => Expr::new(text, Level::Whole, false),
        }
    }

    /// Returns a call of a function of floats, in one of the two notations.
    fn function(&mut self, name: &str, arguments: &[Expr]) -> Expr {
        self.spend(1);
        let name = match std_decides(name) {
            true => format!("{ELEMENTARY}{name}"),
            false => name.to_owned(),
        };
        let texts: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        if self.once_in(5) {
            return Expr::whole(format!("f64::{name}({})", texts.join(", ")));
        }
        let receiver = match arguments[0].typed {
            true => arguments[0].receiver(),
            false => {
                let typed = format!("{}_f64", arguments[0].text);
                Expr::new(typed, arguments[0].level, true).receiver()
            }
        };
        Expr::whole(format!("{receiver}.{name}({})", texts[1..].join(", ")))
    }

    fn binary(&mut self, a: Expr, operator: &str, b: Expr) -> Expr {
        self.spend(1);
        let level = if "+-".contains(operator) { Level::Sum } else { Level::Product };
        let tighter = if level == Level::Sum { Level::Product } else { Level::Sign };
        // One of the two determines the float type.
        let a = if b.typed { a } else { self.typed(a) };
        Expr::new(format!("{} {operator} {}", a.at(level), b.at(tighter)), level, true)
    }

    /// Returns a number that is mostly in the domain of a function.
    fn argument(&mut self, domain: Domain) -> Expr {
        if self.once_in(12) {
            return self.float();
        }
        let x = self.float();
        let literal = |text: &str| Expr::new(text, Level::Whole, false);
        let clamp = |this: &mut Self, x: Expr, bound: &str| {
            let low = Expr::new(format!("-{bound}"), Level::Sign, false);
            this.function("clamp", &[x, low, literal(bound)])
        };
        let fraction = |this: &mut Self, x: Expr| {
            let copy = Expr::new(x.text.clone(), x.level, x.typed);
            let magnitude = this.function("abs", &[copy]);
            let divisor = this.binary(literal("1.0"), "+", magnitude);
            this.binary(x, "/", divisor)
        };
        match (domain, self.below(3)) {
            (Domain::All, _) => x,
            (Domain::Growing, 0) => self.binary(literal("0.25"), "*", x),
            (Domain::Growing, _) => clamp(self, x, "2.5"),
            (Domain::Positive, 0) => {
                let magnitude = self.function("abs", &[x]);
                self.binary(magnitude, "+", literal("0.25"))
            }
            (Domain::Positive | Domain::AboveOne, 1) if self.elementary => {
                let square = self.function("powi", &[x, Expr::whole("2")]);
                self.binary(literal("1.5"), "+", square)
            }
            (Domain::Positive | Domain::AboveOne, _) => {
                let magnitude = self.function("abs", &[x]);
                self.binary(literal("1.125"), "+", magnitude)
            }
            (Domain::Unit, 0) if x.text.len() < 12 => fraction(self, x),
            (Domain::Unit, 1) if self.elementary => {
                let sine = self.function("sin", &[x]);
                self.binary(literal("0.875"), "*", sine)
            }
            (Domain::Unit, _) => clamp(self, x, "0.95"),
        }
    }

    /// Returns a condition on floats.
    pub(super) fn mask(&mut self) -> Expr {
        self.deeper(|this| match this.depth == 0 || this.exhausted() {
            true => comparison(this).expect("always possible"),
            false => this.any(MASKS),
        })
    }
}

/// Returns whether the last bits, or the treatment of a NaN, depend on the library.
fn std_decides(name: &str) -> bool {
    let two = ["atan2", "hypot", "log", "powf", "powi", "min", "max", "sin_cos"];
    two.contains(&name) || ELEMENTARY_FUNCTIONS.iter().any(|(other, _)| *other == name)
}

fn leaf(generator: &mut Generator) -> Option<Expr> {
    Some(generator.leaf())
}

fn sum(generator: &mut Generator) -> Option<Expr> {
    let (a, b) = (generator.float(), generator.float());
    let operator = if generator.once_in(2) { "+" } else { "-" };
    Some(generator.binary(a, operator, b))
}

fn product(generator: &mut Generator) -> Option<Expr> {
    let (a, b) = (generator.float(), generator.float());
    Some(generator.binary(a, "*", b))
}

fn quotient(generator: &mut Generator) -> Option<Expr> {
    let a = generator.float();
    let b = match generator.once_in(3) {
        true => generator.literal(),
        false => generator.argument(Domain::Positive),
    };
    Some(generator.binary(a, "/", b))
}

fn negation(generator: &mut Generator) -> Option<Expr> {
    let operand = generator.float();
    let typed = operand.typed && !operand.text.starts_with('-');
    typed.then(|| Expr::new(format!("-{}", operand.at(Level::Sign)), Level::Sign, true))
}

fn elementary(generator: &mut Generator) -> Option<Expr> {
    if !generator.elementary {
        return None;
    }
    generator.spend(3);
    let two = match generator.below(12) {
        0 => Some(("atan2", Domain::All, Domain::All)),
        1 => Some(("hypot", Domain::All, Domain::All)),
        2 => Some(("log", Domain::Positive, Domain::AboveOne)),
        3 | 4 => {
            let name = if generator.once_in(2) { "min" } else { "max" };
            Some((name, Domain::All, Domain::All))
        }
        _ => None,
    };
    if let Some((name, first, second)) = two {
        let arguments = [generator.argument(first), generator.argument(second)];
        return Some(generator.function(name, &arguments));
    }
    let (name, domain) = *generator.choose(ELEMENTARY_FUNCTIONS);
    let argument = generator.argument(domain);
    Some(generator.function(name, &[argument]))
}

fn exact(generator: &mut Generator) -> Option<Expr> {
    match generator.below(8) {
        0 => {
            let arguments = [generator.float(), generator.float(), generator.float()];
            Some(generator.function("mul_add", &arguments))
        }
        1 => {
            let arguments = [generator.float(), generator.float()];
            Some(generator.function("copysign", &arguments))
        }
        2 => {
            let bounds = *generator.choose(&[("-1.0", "1.5"), ("0.0", "0.75"), ("-0.5", "-0.25")]);
            let bound = |text: &str| Expr::new(text, Level::Sign, false);
            let arguments = [generator.float(), bound(bounds.0), bound(bounds.1)];
            Some(generator.function("clamp", &arguments))
        }
        _ => {
            let (name, domain) = *generator.choose(EXACT_FUNCTIONS);
            let argument = generator.argument(domain);
            Some(generator.function(name, &[argument]))
        }
    }
}

fn power(generator: &mut Generator) -> Option<Expr> {
    if !generator.elementary {
        return None;
    }
    generator.spend(3);
    match generator.below(3) {
        0 => {
            let base = generator.argument(Domain::Positive);
            let exponents = ["0.5", "1.5", "2.0", "-1.0", "2.5", "1.0", "0.0", "-0.5", "3.0"];
            let exponent = Expr::new(*generator.choose(&exponents), Level::Sign, false);
            Some(generator.function("powf", &[base, exponent]))
        }
        1 => {
            // Exponents with operations of their own are excluded, because their last bits differ.
            let base = generator.argument(Domain::Positive);
            let exponent = generator.argument(Domain::Growing);
            let exponent = format!("0.37 * {} + 0.23", exponent.at(Level::Sign));
            Some(generator.function("powf", &[base, Expr::new(exponent, Level::Sum, true)]))
        }
        _ => {
            let base = generator.float();
            let exponent = match generator.once_in(4) {
                true => generator.integer("i32", -2, 4),
                false => Expr::whole(generator.between(-2, 5).to_string()),
            };
            Some(generator.function("powi", &[base, exponent]))
        }
    }
}

fn remainder(generator: &mut Generator) -> Option<Expr> {
    generator.spend(6);
    let a = generator.float();
    let b = match generator.once_in(2) {
        true => generator.literal(),
        false => generator.argument(Domain::Positive),
    };
    Some(match generator.below(3) {
        0 => generator.function("rem_euclid", &[a, b]),
        1 => generator.function("div_euclid", &[a, b]),
        _ => generator.binary(a, "%", b),
    })
}

/// A lookup in a table, which is an array of any kind.
fn interpolated(generator: &mut Generator) -> Option<Expr> {
    let floats = |ty: &Type| matches!(ty, Type::Array(element, _) if **element == Type::Float);
    let (table, length) = match generator.once_in(3) {
        true => ("TABLE".to_owned(), 5),
        false => match generator.existing(&floats)? {
            (table, Type::Array(_, length)) => (table.at(Level::Whole), length),
            _ => return None,
        },
    };
    if generator.view == View::Items {
        return None;
    }
    generator.spend(12);
    let position = generator.float();
    if generator.once_in(4) {
        // Ascending, and sometimes with a jump.
        let mut at = -1.5;
        let abscissae = (0..length).map(|_| {
            at += if generator.once_in(4) { 0.0 } else { generator.random.uniform(0.1, 1.5) };
            at = (at * 100.0).round() / 100.0;
            format!("{at:?}")
        });
        let abscissae: Vec<String> = abscissae.collect();
        let abscissae = abscissae.join(", ");
        let text = format!("interp_linear_at(&[{abscissae}], &{table}, {})", position.text);
        return Some(Expr::whole(text));
    }
    let function = *generator.choose(&["interp_linear", "interp_cubic", "odes::interp_linear"]);
    Some(Expr::whole(format!("{function}(&{table}, {})", position.text)))
}

fn conditional(generator: &mut Generator) -> Option<Expr> {
    generator.spend(1);
    let mask = generator.mask();
    let (a, b) = (generator.typed_float(), generator.float());
    Some(Expr::whole(match generator.once_in(4) {
        true => {
            let (other, c) = (generator.mask(), generator.float());
            format!(
                "(if {} {{ {} }} else if {} {{ {} }} else {{ {} }})",
                mask.text, a.text, other.text, b.text, c.text
            )
        }
        false => format!("(if {} {{ {} }} else {{ {} }})", mask.text, a.text, b.text),
    }))
}

fn known_conditional(generator: &mut Generator) -> Option<Expr> {
    let condition = generator.condition();
    let (a, b) = (generator.typed_float(), generator.float());
    Some(Expr::whole(format!("(if {} {{ {} }} else {{ {} }})", condition.text, a.text, b.text)))
}

fn matched(generator: &mut Generator) -> Option<Expr> {
    let (scrutinee, arms) = generator.arms();
    let mut text = format!("(match {scrutinee} {{ ");
    for arm in arms {
        let value = generator.in_arm(&arm, Generator::typed_float);
        text += &format!("{} => {}, ", arm.pattern, value.text);
    }
    Some(Expr::whole(text + "})"))
}

fn block(generator: &mut Generator) -> Option<Expr> {
    let value = generator.typed_float();
    let outside = generator.variables.len();
    let name = generator.name("w");
    generator.declare(&name, Type::Float);
    let result = generator.typed_float();
    generator.variables.truncate(outside);
    Some(Expr::whole(format!("({{ let {name} = {}; {} }})", value.text, result.text)))
}

fn integer_as_float(generator: &mut Generator) -> Option<Expr> {
    Some(Expr::whole(match generator.below(4) {
        0 => {
            let integer = generator.integer("i32", -9, 9);
            format!("f64::from({})", integer.text)
        }
        1 => {
            let integer = generator.integer("i32", -9, 9);
            format!("({} as f64)", integer.at(Level::Whole))
        }
        _ => {
            let integer = generator.integer("usize", 0, 9);
            format!("({} as f64)", integer.at(Level::Whole))
        }
    }))
}

fn comparison(generator: &mut Generator) -> Option<Expr> {
    generator.spend(1);
    let (a, b) = (generator.typed_float(), generator.float());
    // Equal numbers are rare.
    let operator = match generator.below(10) {
        0 => "==",
        1 => "!=",
        rest => ["<", "<=", ">", ">="][rest % 4],
    };
    let text = format!("{} {operator} {}", a.at(Level::Sum), b.at(Level::Sum));
    Some(Expr::new(text, Level::Comparison, true))
}

fn conditional_mask(generator: &mut Generator) -> Option<Expr> {
    generator.spend(3);
    let (mask, a, b) = (generator.mask(), generator.mask(), generator.mask());
    let text = format!("(if {} {{ {} }} else {{ {} }})", mask.text, a.text, b.text);
    Some(Expr::whole(text))
}

fn predicate(generator: &mut Generator) -> Option<Expr> {
    generator.spend(1);
    let x = generator.float();
    // The compiler need not preserve the sign of a zero.
    let predicate = *generator.choose(&["is_nan", "is_finite", "is_infinite"]);
    Some(generator.function(predicate, &[x]))
}

fn connective(generator: &mut Generator) -> Option<Expr> {
    generator.spend(1);
    let a = generator.mask();
    let b = if generator.once_in(4) { generator.condition() } else { generator.mask() };
    let (a, b) = if generator.once_in(4) { (b, a) } else { (a, b) };
    Some(a.joined(generator.once_in(2), &b))
}

fn not(generator: &mut Generator) -> Option<Expr> {
    let mask = generator.mask();
    Some(Expr::new(format!("!{}", mask.at(Level::Whole)), Level::Sign, true))
}

/// `i > 0 && v[i - 1] > x`
fn guarded_comparison(generator: &mut Generator) -> Option<Expr> {
    let array = |ty: &Type| matches!(ty, Type::Array(element, _) if **element == Type::Float);
    let (values, ty) = generator.existing(&array)?;
    let Type::Array(_, length) = ty else { return None };
    let last = length as i64;
    let index = |ty: &Type| matches!(ty, Type::Integer("usize", 0, high) if *high <= last);
    let (index, _) = generator.existing(&index)?;
    let (index, bound) = (index.at(Level::Sum), generator.float());
    generator.spend(1);
    let values = values.receiver();
    let text = format!("{index} > 0 && {values}[{index} - 1] > {}", bound.at(Level::Sum));
    Some(Expr::new(text, Level::And, true))
}
