//! Integers and truth values that are known at compile time.

use super::expr::{Expr, Level};
use super::types::{Type, View};
use super::{Form, Generator, form};

/// An expression of integers and the range of its values.
pub(super) struct Integer {
    expr: Expr,
    low: i64,
    high: i64,
}

/// The limit of computed integers.
const MOST: i64 = 60;

/// The forms of a `usize`.
const COUNTS: &[Form<Integer>] = &[
    form(20, |generator| Some(literal(generator, "usize"))),
    form(40, |generator| variable(generator, "usize")),
    form(8, |generator| sum(generator, "usize")),
    form(6, |generator| product(generator, "usize")),
    form(6, |generator| quotient(generator, "usize")),
    form(6, |generator| remainder(generator, "usize")),
    form(4, |generator| method(generator, "usize")),
    form(4, length),
    form(4, difference_from_bound),
    form(4, truth_as_integer),
    form(4, signed_as_count),
    form(2, constant_as_count),
    form(2, sum_of_range),
];

/// The forms of an `i32`.
const SIGNED: &[Form<Integer>] = &[
    form(20, |generator| Some(literal(generator, "i32"))),
    form(30, |generator| variable(generator, "i32")),
    form(8, |generator| sum(generator, "i32")),
    form(8, difference),
    form(6, |generator| product(generator, "i32")),
    form(6, |generator| quotient(generator, "i32")),
    form(6, |generator| remainder(generator, "i32")),
    form(6, |generator| method(generator, "i32")),
    form(10, count_as_signed),
    form(3, wrapped),
    form(4, negation),
];

/// The forms of a known truth value.
const CONDITIONS: &[Form<Expr>] = &[
    form(2, |generator| Some(Expr::whole(if generator.once_in(2) { "true" } else { "false" }))),
    form(12, |generator| Some(generator.existing(&|ty| *ty == Type::Known)?.0)),
    form(30, comparison),
    form(6, connective),
    form(5, not),
    form(3, equality),
];

/// An arm of a `match` on integers.
pub(super) struct Arm {
    pub pattern: String,
    binding: Option<(String, Type)>,
}

impl Expr {
    /// `a && b`, `a || b`
    pub(super) fn joined(&self, or: bool, other: &Expr) -> Expr {
        let (operator, level, tighter) = match or {
            true => ("||", Level::Or, Level::And),
            false => ("&&", Level::And, Level::Comparison),
        };
        let text = format!("{} {operator} {}", self.at(level), other.at(tighter));
        Expr::new(text, level, true)
    }
}

impl Integer {
    fn new(expr: Expr, low: i64, high: i64) -> Integer {
        Integer { expr, low, high }
    }

    /// Returns the text as the operand of a method.
    fn receiver(&self) -> Option<String> {
        self.expr.typed.then(|| self.expr.at(Level::Whole))
    }
}

impl Generator {
    /// Returns an integer of a type, between two numbers.
    pub(super) fn integer(&mut self, ty: &str, low: i64, high: i64) -> Expr {
        let Integer { expr, low: least, high: most } = self.any_integer(ty);
        if low <= least && most <= high {
            return expr;
        }
        let count = high - low + 1;
        // A constant cannot call such a function.
        let callable = ty == "usize" && expr.typed && self.view != View::Items;
        if callable && low == 0 && self.once_in(2) {
            return Expr::whole(format!("{}.min({high})", expr.at(Level::Whole)));
        }
        let remainder = match ty {
            "usize" => format!("{} % {count}", expr.at(Level::Product)),
            _ if expr.typed => format!("{}.rem_euclid({count})", expr.at(Level::Whole)),
            _ => return Expr::whole(format!("{}_{ty}", self.between(low.max(0), high))),
        };
        let level = if ty == "usize" { Level::Product } else { Level::Whole };
        match low {
            0 => Expr::new(remainder, level, expr.typed),
            ..0 => Expr::new(format!("{remainder} - {}", -low), Level::Sum, expr.typed),
            _ => Expr::new(format!("{remainder} + {low}"), Level::Sum, expr.typed),
        }
    }

    /// Returns an index into an array of a length.
    pub(super) fn index(&mut self, length: usize) -> String {
        match self.once_in(3) {
            true => self.below(length).to_string(),
            false => self.deeper(|this| this.integer("usize", 0, length as i64 - 1)).text,
        }
    }

    fn any_integer(&mut self, ty: &str) -> Integer {
        let leaf = if ty == "usize" { &COUNTS[..2] } else { &SIGNED[..2] };
        self.deeper(|this| match (this.depth, ty) {
            (0, _) => this.any(leaf),
            (_, "usize") => this.any(COUNTS),
            _ => this.any(SIGNED),
        })
    }

    /// Returns a small integer as an operand.
    fn operand(&mut self, ty: &str) -> Integer {
        let integer = self.any_integer(ty);
        match integer.low.abs().max(integer.high.abs()) <= MOST {
            true => integer,
            false => literal(self, ty),
        }
    }

    /// Returns a known truth value.
    pub(super) fn condition(&mut self) -> Expr {
        self.deeper(|this| match this.depth {
            0 => comparison(this).expect("always possible"),
            _ => this.any(CONDITIONS),
        })
    }

    /// Returns the value of a `match` and its arms; the last arm matches everything.
    pub(super) fn arms(&mut self) -> (String, Vec<Arm>) {
        let Integer { expr, low, high } = self.deeper(|this| this.any_integer("usize"));
        let condition = self.once_in(4).then(|| self.condition());
        let scrutinee = match &condition {
            Some(condition) => format!("({}, {})", expr.text, condition.text),
            None => expr.text,
        };
        let mut arms = Vec::new();
        for _ in 0..self.between(1, 3) {
            let first = self.between(low, high.min(low + 6));
            let (mut pattern, mut binding) = match self.below(6) {
                4 => (format!("..={first}"), None),
                5 => (format!("{}..", first + 1), None),
                0 => (format!("{first}"), None),
                1 => (format!("{first} | {}", first + 2), None),
                2 => (format!("{first}..={}", first + 1), None),
                _ => {
                    let name = self.fresh("n");
                    let ty = Type::Integer("usize", first, first + 2);
                    (format!("{name} @ {first}..={}", first + 2), Some((name, ty)))
                }
            };
            if condition.is_some() {
                let other = *self.choose(&["true", "false", "_"]);
                pattern = match pattern.contains('|') {
                    true => format!("({first}, {other}) | ({}, _)", first + 2),
                    false => format!("({pattern}, {other})"),
                };
            } else if binding.is_none() && self.once_in(5) {
                let name = self.fresh("n");
                pattern = format!("{name} if {name} % 2 == {}", self.below(2));
                binding = Some((name, Type::Integer("usize", low, high)));
            }
            arms.push(Arm { pattern, binding });
        }
        arms.push(Arm { pattern: "_".to_owned(), binding: None });
        (scrutinee, arms)
    }

    /// Returns the result of `write` with the name of an arm bound.
    pub(super) fn in_arm<T>(&mut self, arm: &Arm, write: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.variables.len();
        if let Some((name, ty)) = &arm.binding {
            self.declare(name, ty.clone()).typed = false;
        }
        let written = write(self);
        self.variables.truncate(outside);
        written
    }
}

fn literal(generator: &mut Generator, ty: &str) -> Integer {
    let value = generator.between(0, 6);
    let negative = ty == "i32" && generator.once_in(3);
    let (sign, value) = if negative { ("-", -value) } else { ("", value) };
    let level = if negative { Level::Sign } else { Level::Whole };
    let expr = match generator.once_in(3) {
        true => Expr::new(format!("{sign}{}_{ty}", value.abs()), level, true),
        false => Expr::new(format!("{sign}{}", value.abs()), level, false),
    };
    Integer::new(expr, value, value)
}

fn variable(generator: &mut Generator, wanted: &str) -> Option<Integer> {
    let of = |ty: &Type| matches!(ty, Type::Integer(name, ..) if *name == wanted);
    let (expr, ty) = generator.existing(&of)?;
    let Type::Integer(_, low, high) = ty else { return None };
    Some(Integer::new(expr, low, high))
}

fn sum(generator: &mut Generator, ty: &str) -> Option<Integer> {
    let (a, b) = (generator.operand(ty), generator.operand(ty));
    let text = format!("{} + {}", a.expr.at(Level::Sum), b.expr.at(Level::Product));
    let expr = Expr::new(text, Level::Sum, a.expr.typed || b.expr.typed);
    Some(Integer::new(expr, a.low + b.low, a.high + b.high))
}

fn difference(generator: &mut Generator) -> Option<Integer> {
    let (a, b) = (generator.operand("i32"), generator.operand("i32"));
    let text = format!("{} - {}", a.expr.at(Level::Sum), b.expr.at(Level::Product));
    let expr = Expr::new(text, Level::Sum, a.expr.typed || b.expr.typed);
    Some(Integer::new(expr, a.low - b.high, a.high - b.low))
}

/// `3 - i` if it is not negative.
fn difference_from_bound(generator: &mut Generator) -> Option<Integer> {
    let b = generator.operand("usize");
    let expr = format!("{} - {}", b.high, b.expr.at(Level::Product));
    Some(Integer::new(Expr::new(expr, Level::Sum, b.expr.typed), 0, b.high - b.low))
}

fn product(generator: &mut Generator, ty: &str) -> Option<Integer> {
    let (a, factor) = (generator.operand(ty), generator.between(0, 4));
    let text = format!("{} * {factor}", a.expr.at(Level::Product));
    let expr = Expr::new(text, Level::Product, a.expr.typed);
    Some(Integer::new(expr, a.low * factor, a.high * factor))
}

fn quotient(generator: &mut Generator, ty: &str) -> Option<Integer> {
    let (a, divisor) = (generator.operand(ty), generator.between(1, 4));
    let text = format!("{} / {divisor}", a.expr.at(Level::Product));
    let expr = Expr::new(text, Level::Product, a.expr.typed);
    Some(Integer::new(expr, a.low / divisor, a.high / divisor))
}

fn remainder(generator: &mut Generator, ty: &str) -> Option<Integer> {
    let (a, divisor) = (generator.operand(ty), generator.between(1, 5));
    let text = format!("{} % {divisor}", a.expr.at(Level::Product));
    let expr = Expr::new(text, Level::Product, a.expr.typed);
    let low = if a.low < 0 { 1 - divisor } else { 0 };
    Some(Integer::new(expr, low, divisor - 1))
}

fn method(generator: &mut Generator, ty: &str) -> Option<Integer> {
    let (a, b) = (generator.operand(ty), generator.operand(ty));
    let receiver = a.receiver()?;
    let divisor = generator.between(1, 5);
    let (text, low, high) = match generator.below(if ty == "i32" { 6 } else { 3 }) {
        0 => (format!("{receiver}.min({})", b.expr.text), a.low.min(b.low), a.high.min(b.high)),
        1 => (format!("{receiver}.max({})", b.expr.text), a.low.max(b.low), a.high.max(b.high)),
        2 => {
            let most = a.low.abs().max(a.high.abs());
            (format!("{receiver}.pow(2)"), 0, most * most)
        }
        3 => (format!("{receiver}.abs()"), 0, a.low.abs().max(a.high.abs())),
        4 => {
            let (low, high) = (a.low.div_euclid(divisor), a.high.div_euclid(divisor));
            (format!("{receiver}.div_euclid({divisor})"), low, high)
        }
        _ => (format!("{receiver}.rem_euclid({divisor})"), 0, divisor - 1),
    };
    Some(Integer::new(Expr::whole(text), low, high))
}

fn length(generator: &mut Generator) -> Option<Integer> {
    let (array, ty) = generator.existing(&|ty| matches!(ty, Type::Array(..)))?;
    let Type::Array(_, length) = ty else { return None };
    let expr = Expr::whole(format!("{}.len()", array.receiver()));
    Some(Integer::new(expr, length as i64, length as i64))
}

fn truth_as_integer(generator: &mut Generator) -> Option<Integer> {
    let condition = generator.condition();
    Some(Integer::new(Expr::whole(format!("({} as usize)", condition.at(Level::Whole))), 0, 1))
}

fn signed_as_count(generator: &mut Generator) -> Option<Integer> {
    let (a, divisor) = (generator.operand("i32"), generator.between(1, 5));
    let receiver = a.receiver()?;
    let text = format!("({receiver}.rem_euclid({divisor}) as usize)");
    Some(Integer::new(Expr::whole(text), 0, divisor - 1))
}

/// A constant float, truncated.
fn constant_as_count(generator: &mut Generator) -> Option<Integer> {
    let (a, b) = (generator.between(1, 12), generator.between(1, 9));
    let (a, b) = (a as f64 / 4.0, b as f64 / 4.0);
    let value = (a * b) as i64;
    Some(Integer::new(Expr::whole(format!("(({a:?} * {b:?}) as usize)")), value, value))
}

fn sum_of_range(generator: &mut Generator) -> Option<Integer> {
    if generator.view == View::Items {
        return None;
    }
    let (end, name) = (generator.between(1, 4), generator.fresh("i"));
    let factor = generator.between(1, 3);
    let text = format!("(0..{end}).map(|{name}| {name} * {factor}).sum::<usize>()");
    let sum = factor * end * (end - 1) / 2;
    Some(Integer::new(Expr::whole(text), sum, sum))
}

fn count_as_signed(generator: &mut Generator) -> Option<Integer> {
    let a = generator.operand("usize");
    let text = format!("({} as i32)", a.expr.at(Level::Whole));
    Some(Integer::new(Expr::whole(text), a.low, a.high))
}

/// A cast that keeps only the low bits.
fn wrapped(generator: &mut Generator) -> Option<Integer> {
    let value = generator.between(-300, 300) as i32;
    let (text, value) = match generator.once_in(2) {
        true => (format!("({value}_i32 as u8 as i32)"), i32::from(value as u8)),
        false => (format!("({value}_i64 as i8 as i32)"), i32::from(value as i8)),
    };
    Some(Integer::new(Expr::whole(text), value.into(), value.into()))
}

fn negation(generator: &mut Generator) -> Option<Integer> {
    let a = generator.operand("i32");
    if a.expr.text.starts_with('-') {
        return None;
    }
    let expr = Expr::new(format!("-{}", a.expr.at(Level::Sign)), Level::Sign, a.expr.typed);
    Some(Integer::new(expr, -a.high, -a.low))
}

fn comparison(generator: &mut Generator) -> Option<Expr> {
    let ty = if generator.once_in(3) { "i32" } else { "usize" };
    let (a, b) = (generator.operand(ty), generator.operand(ty));
    let operator = *generator.choose(&["==", "!=", "<", "<=", ">", ">="]);
    let text = format!("{} {operator} {}", a.expr.at(Level::Sum), b.expr.at(Level::Sum));
    Some(Expr::new(text, Level::Comparison, true))
}

fn connective(generator: &mut Generator) -> Option<Expr> {
    let (a, b) = (generator.condition(), generator.condition());
    Some(a.joined(generator.once_in(2), &b))
}

fn not(generator: &mut Generator) -> Option<Expr> {
    let condition = generator.condition();
    Some(Expr::new(format!("!{}", condition.at(Level::Whole)), Level::Sign, true))
}

fn equality(generator: &mut Generator) -> Option<Expr> {
    let (a, b) = (generator.condition(), generator.condition());
    let operator = if generator.once_in(2) { "==" } else { "!=" };
    let text = format!("{} {operator} {}", a.at(Level::Whole), b.at(Level::Whole));
    Some(Expr::new(text, Level::Comparison, true))
}
