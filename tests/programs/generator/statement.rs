//! Statements.

use super::expr::{Expr, Level};
use super::types::Type;
use super::{ELEMENTARY, Form, Generator, Loop, form};

const FORMS: &[Form<()>] = &[
    form(16, let_float),
    form(8, let_array),
    form(5, let_tuple),
    form(5, let_struct),
    form(6, let_pattern),
    form(6, let_made),
    form(6, let_later),
    form(6, let_integer),
    form(3, let_condition),
    form(4, let_mask),
    form(3, let_sine_and_cosine),
    form(3, let_found),
    form(5, |generator| {
        generator.closure();
        Some(())
    }),
    form(14, assignment),
    form(8, destructuring),
    form(4, integer_assignment),
    form(6, mask_assignment),
    form(10, for_loop),
    form(4, while_loop),
    form(4, endless_loop),
    form(10, branch),
    form(5, known_branch),
    form(5, match_statement),
    form(3, inner_block),
    form(4, leave),
];

impl Generator {
    /// Writes some statements.
    pub(super) fn statements(&mut self, count: usize) {
        for _ in 0..count {
            if self.exhausted() {
                break;
            }
            self.any(FORMS);
        }
    }

    /// Writes the statements of a loop or a branch; at least one changes a variable.
    fn body(&mut self) {
        let count = self.between(0, 2) as usize;
        self.statements(count);
        if assignment(self).is_none() {
            let_float(self);
        }
    }

    /// Writes the body of a loop.
    fn loop_body(&mut self) {
        self.body();
        self.loops.pop();
    }

    /// Enters a loop; returns its label, if it has one.
    pub(super) fn label(&mut self) -> String {
        let label = self.once_in(4).then(|| self.fresh("'l"));
        let text = label.as_ref().map(|label| format!("{label}: ")).unwrap_or_default();
        self.loops.push(Loop { label, branches: self.branches });
        text
    }

    /// Writes `let name = value;`, with a variable that may be mutable.
    fn let_value(&mut self, stem: &str, ty: Type, text: &str, typed: bool) {
        let (name, mutable) = (self.name(stem), self.once_in(2));
        let ascription = match typed && self.once_in(2) {
            true => String::new(),
            false => format!(": {}", ty.text()),
        };
        self.line(format!("let {}{name}{ascription} = {text};", if mutable { "mut " } else { "" }));
        let variable = self.declare(&name, ty);
        if mutable {
            variable.mutable();
        }
    }

    /// Writes `if condition { … }`, perhaps with an `else`.
    fn one_or_two_sides(&mut self, condition: &Expr) {
        let head = format!("if {}", condition.text);
        match self.below(4) {
            0 | 1 => self.braces(head, "", Self::body),
            2 => self.alternatives(head, Self::body, Self::body),
            _ => {
                self.depth = 2;
                let other = self.mask();
                let state = usize::from(self.branches == 0);
                self.braces(head, "", Self::body);
                self.lines.pop();
                self.branches += state;
                self.alternatives(format!("}} else if {}", other.text), Self::body, Self::body);
                self.branches -= state;
            }
        }
    }

    fn can_nest(&self) -> bool {
        self.nesting < 4 && self.rounds <= 12 && !self.exhausted()
    }
}

fn let_float(generator: &mut Generator) -> Option<()> {
    let value = generator.deep_float();
    generator.let_value("x", Type::Float, &value.text, true);
    Some(())
}

fn let_array(generator: &mut Generator) -> Option<()> {
    generator.depth = 2;
    let length = generator.between(1, 4) as usize;
    let ty = match generator.below(4) {
        0 => Type::Array(Box::new(Type::floats(2)), length),
        1 => {
            let pair = Type::Tuple(vec![Type::Float, Type::index(3)]);
            Type::Array(Box::new(pair), length.min(2))
        }
        _ => Type::floats(length),
    };
    let value = generator.value(&ty);
    generator.let_value("v", ty, &value.text, false);
    Some(())
}

fn let_tuple(generator: &mut Generator) -> Option<()> {
    generator.depth = 2;
    let elements = (0..generator.between(2, 3)).map(|_| generator.simple_type()).collect();
    let ty = Type::Tuple(elements);
    let value = generator.value(&ty);
    generator.let_value("pair", ty, &value.text, false);
    Some(())
}

fn let_struct(generator: &mut Generator) -> Option<()> {
    generator.depth = 2;
    let structs = generator.structs.clone();
    if structs.is_empty() {
        return None;
    }
    let ty = Type::Struct(generator.choose(&structs).clone());
    let value = generator.value(&ty);
    generator.let_value("s", ty, &value.text, true);
    Some(())
}

/// Destructures a value.
fn let_pattern(generator: &mut Generator) -> Option<()> {
    let (value, ty) = generator.existing(&|ty| {
        matches!(ty, Type::Array(..) | Type::Tuple(_) | Type::Struct(_)) && ty.size() > 0
    })?;
    let reference = generator.once_in(4);
    let text = match reference {
        true => {
            generator.freeze(&value.text);
            format!("&{}", value.at(Level::Sign))
        }
        false => value.text,
    };
    let (pattern, bindings) = generator.pattern_of(&ty, reference);
    generator.line(format!("let {pattern} = {text};"));
    for (name, ty, reference) in bindings {
        generator.declare(&name, ty).reference(reference);
    }
    Some(())
}

fn let_made(generator: &mut Generator) -> Option<()> {
    generator.depth = 2;
    let (text, ty) = generator.made_array();
    generator.let_value("made", ty, &text, false);
    Some(())
}

/// `let x;`, assigned on both sides of a branch.
fn let_later(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    generator.depth = 2;
    let name = generator.fresh("late");
    let ty = match generator.once_in(4) {
        true => Type::Tuple(vec![Type::Float, Type::Float]),
        false => Type::Float,
    };
    generator.line(format!("let {name};"));
    let (condition, state) = match generator.once_in(3) {
        true => (generator.condition(), 0),
        false => (generator.mask(), 1),
    };
    let assign = |generator: &mut Generator| {
        generator.branches += state;
        let count = generator.between(0, 1) as usize;
        generator.statements(count);
        generator.depth = 2;
        let value = generator.value(&ty);
        generator.line(format!("{name} = {};", value.text));
        generator.branches -= state;
    };
    generator.alternatives(format!("if {}", condition.text), assign, assign);
    generator.declare(&name, ty);
    Some(())
}

fn let_integer(generator: &mut Generator) -> Option<()> {
    generator.depth = 3;
    let ty = match generator.once_in(3) {
        true => Type::Integer("i32", -5, 9),
        false => Type::index(generator.between(2, 5) as usize),
    };
    let value = generator.value(&ty);
    generator.let_value("k", ty, &value.text, false);
    Some(())
}

fn let_condition(generator: &mut Generator) -> Option<()> {
    generator.depth = 3;
    let value = generator.condition();
    generator.let_value("known", Type::Known, &value.text, true);
    Some(())
}

fn let_mask(generator: &mut Generator) -> Option<()> {
    generator.depth = 3;
    let value = generator.mask();
    generator.let_value("high", Type::Mask, &value.text, true);
    Some(())
}

fn let_sine_and_cosine(generator: &mut Generator) -> Option<()> {
    if !generator.elementary {
        return None;
    }
    generator.depth = 2;
    generator.spend(6);
    let angle = generator.typed_float();
    let (sine, cosine) = (generator.fresh("s"), generator.fresh("c"));
    let angle = angle.receiver();
    generator.line(format!("let ({sine}, {cosine}) = {angle}.{ELEMENTARY}sin_cos();"));
    generator.declare(&sine, Type::Float);
    generator.declare(&cosine, Type::Float);
    Some(())
}

/// The value of a loop.
fn let_found(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    let (name, counter, last) =
        (generator.fresh("found"), generator.fresh("k"), generator.between(1, 4));
    generator.line(format!("let mut {counter} = 0;"));
    generator.repeated(last as u64 + 1, |this| {
        // A `break` without a value would have another type.
        this.loops.push(Loop { label: None, branches: usize::MAX });
        this.braces(format!("let {name} = loop"), ";", |this| {
            this.declare(&counter, Type::Integer("usize", 0, last)).typed = false;
            this.depth = 2;
            let value = this.typed_float();
            this.line(format!("if {counter} >= {last} {{ break {}; }}", value.text));
            this.line(format!("{counter} += 1;"));
            this.loop_body();
        });
    });
    generator.declare(&counter, Type::Integer("usize", last, last)).typed = false;
    generator.declare(&name, Type::Float);
    Some(())
}

fn assignment(generator: &mut Generator) -> Option<()> {
    let whole = generator.once_in(12);
    let (place, ty) = generator.place(&|ty| *ty == Type::Float || whole && ty.size() > 0)?;
    generator.depth = 3;
    if ty != Type::Float {
        let value = generator.value(&ty);
        generator.line(format!("{place} = {};", value.text));
        return Some(());
    }
    let value = generator.typed_float();
    generator.spend(1);
    let operator = match generator.below(10) {
        0 => "=",
        1..=4 => "+=",
        5..=7 => "-=",
        8 => "*=",
        _ => "/=",
    };
    // Values that grow in a loop are damped, and divisors are not small.
    let text = match operator {
        "*=" => format!("0.5 * {}", value.at(Level::Sign)),
        "/=" => format!("(1.5 + {}.abs())", value.receiver()),
        _ => value.text,
    };
    generator.line(format!("{place} {operator} {text};"));
    Some(())
}

/// Assigns several places at once, perhaps swapped.
fn destructuring(generator: &mut Generator) -> Option<()> {
    generator.depth = 2;
    let whole = generator.once_in(4);
    let wanted = |ty: &Type| *ty == Type::Float || whole && ty.size() > 0;
    let (a, ty) = generator.place(&wanted)?;
    let (b, other) = generator.place(&wanted)?;
    // No place is a part of the other one, because the order of assignments would matter.
    let root = |place: &str| place.split(['[', '.']).next().map(str::to_owned);
    if root(&a) == root(&b) && (ty != other || a == b) {
        return None;
    }
    let (open, close) = match ty.same(&other) && generator.once_in(2) {
        true => ("[", "]"),
        false => ("(", ")"),
    };
    let ignore = generator.once_in(5);
    let target = if ignore { "_".to_owned() } else { b.clone() };
    let value = match ty == other && generator.once_in(2) {
        true => format!("{open}{b}, {a}{close}"),
        false => {
            let (a, b) = (generator.value(&ty), generator.value(&other));
            format!("{open}{}, {}{close}", a.text, b.text)
        }
    };
    match open == "[" && generator.once_in(4) {
        true => generator.line(format!("[{a}, ..] = {value};")),
        false => generator.line(format!("{open}{a}, {target}{close} = {value};")),
    }
    Some(())
}

fn integer_assignment(generator: &mut Generator) -> Option<()> {
    generator.depth = 3;
    let (place, ty) = generator.place(&|ty| matches!(ty, Type::Integer(..) | Type::Known))?;
    let value = generator.value(&ty);
    generator.line(format!("{place} = {};", value.text));
    Some(())
}

fn mask_assignment(generator: &mut Generator) -> Option<()> {
    generator.depth = 2;
    let (place, _) = generator.place(&|ty| *ty == Type::Mask)?;
    let value = generator.mask();
    generator.line(format!("{place} = {};", value.text));
    Some(())
}

fn for_loop(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    generator.for_loop(Generator::loop_body);
    Some(())
}

fn while_loop(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    let (counter, last) = (generator.fresh("k"), generator.between(1, 4));
    generator.line(format!("let mut {counter} = 0;"));
    let label = generator.label();
    let condition = match generator.once_in(3) {
        true => format!("{counter} * {counter} < {}", last * last),
        false => format!("{counter} < {last}"),
    };
    generator.repeated(last as u64, |this| {
        this.braces(format!("{label}while {condition}"), "", |this| {
            this.line(format!("{counter} += 1;"));
            this.declare(&counter, Type::Integer("usize", 1, last)).typed = false;
            this.loop_body();
        });
    });
    // The loop may have ended earlier.
    generator.declare(&counter, Type::Integer("usize", 1, last)).typed = false;
    Some(())
}

fn endless_loop(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    let (counter, first) = (generator.fresh("k"), generator.between(1, 4));
    generator.line(format!("let mut {counter}: i32 = {first};"));
    let label = generator.label();
    generator.repeated(first as u64, |this| {
        this.braces(format!("{label}loop"), "", |this| {
            this.line(format!("if {counter} <= 0 {{ break; }}"));
            this.line(format!("{counter} -= 1;"));
            this.declare(&counter, Type::Integer("i32", 0, first - 1));
            this.loop_body();
        });
    });
    generator.declare(&counter, Type::Integer("i32", 0, first - 1));
    Some(())
}

fn branch(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    generator.depth = 3;
    let mask = generator.mask();
    generator.branches += 1;
    generator.one_or_two_sides(&mask);
    generator.branches -= 1;
    Some(())
}

fn known_branch(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    generator.depth = 3;
    let condition = generator.condition();
    generator.one_or_two_sides(&condition);
    Some(())
}

fn match_statement(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    generator.depth = 3;
    let (scrutinee, arms) = generator.arms();
    generator.braces(format!("match {scrutinee}"), "", |this| {
        for arm in &arms {
            this.in_arm(arm, |this| {
                this.braces(format!("{} =>", arm.pattern), "", Generator::body);
            });
        }
    });
    Some(())
}

/// A block with its own items.
fn inner_block(generator: &mut Generator) -> Option<()> {
    if !generator.can_nest() {
        return None;
    }
    generator.braces("", "", |this| {
        if this.once_in(2) {
            this.constants(1);
            this.function_item();
        }
        this.body();
    });
    Some(())
}

/// `break` or `continue`, under a known condition.
fn leave(generator: &mut Generator) -> Option<()> {
    let branches = generator.branches;
    let last = generator.loops.last()?;
    if last.branches != branches {
        return None;
    }
    let labels: Vec<String> = (generator.loops.iter())
        .filter(|around| around.branches == branches)
        .filter_map(|around| around.label.clone())
        .collect();
    let label = match labels.is_empty() || generator.once_in(2) {
        true => String::new(),
        false => format!(" {}", generator.choose(&labels)),
    };
    generator.depth = 2;
    let condition = generator.condition();
    let word = if generator.once_in(2) { "break" } else { "continue" };
    generator.line(format!("if {} {{ {word}{label}; }}", condition.text));
    Some(())
}
