//! A generator of random right-hand sides of the accepted subset.
//!
//! What it writes rustc accepts and cannot panic in: variables have types, integers have ranges,
//! and what a function may assign to is known. Each construct is one function in a list of its
//! kind, with a weight: [`float::FORMS`] are expressions of floats, [`known::INTEGERS`] and
//! [`known::CONDITIONS`] those that are known at compile time, [`statement::FORMS`] statements,
//! [`sequence::ITERATORS`] what loops and sums run over, [`function::FORMS`] functions. A new
//! construct is a new function there.
//!
//! Values are kept tame: divisors are mostly away from zero, arguments mostly where a function is
//! defined. Mostly, not always: special values are a part of the language.

mod events;
mod expr;
mod float;
mod function;
mod item;
mod known;
mod program;
mod sequence;
mod statement;
mod types;

#[path = "../../support/random.rs"]
mod random;

pub(crate) use events::EventProgram;
pub(crate) use program::{OUTSIDE, Program};

use std::rc::Rc;

use random::Random;
use types::{Struct, Type, Variable, View};

/// Stands before the name of each elementary function, whose last bits are a library's choice: a
/// program can so be written with the functions of the platform, or with ours.
pub(crate) const ELEMENTARY: char = '§';

/// One of several ways to write something.
pub(crate) struct Form<T> {
    /// How often, compared with the others.
    weight: u32,
    /// `None` where it is not possible: no variable of the kind, too deep.
    write: fn(&mut Generator) -> Option<T>,
}

const fn form<T>(weight: u32, write: fn(&mut Generator) -> Option<T>) -> Form<T> {
    Form { weight, write }
}

/// A loop that is being written.
struct Loop {
    label: Option<String>,
    /// Branches on the state around it.
    branches: usize,
}

/// Where the generator is in a program.
pub(crate) struct Generator {
    random: Random,
    lines: Vec<String>,
    indent: usize,
    variables: Vec<Variable>,
    structs: Vec<Rc<Struct>>,
    /// The fields whose names have been those of variables.
    fields_bound: Vec<String>,
    view: View,
    loops: Vec<Loop>,
    /// Branches on the state around, where integers must not change.
    branches: usize,
    /// Blocks and loops around.
    nesting: usize,
    /// How deep the expression being written may still become.
    depth: usize,
    /// Rounds of the loops around, multiplied.
    rounds: u64,
    /// Operations that the program unrolls to.
    spent: u64,
    budget: u64,
    /// Whether it may call elementary functions.
    elementary: bool,
    count: usize,
}

impl Generator {
    fn new(random: Random) -> Self {
        Generator {
            random,
            lines: Vec::new(),
            indent: 0,
            variables: Vec::new(),
            structs: Vec::new(),
            fields_bound: Vec::new(),
            view: View::All,
            loops: Vec::new(),
            branches: 0,
            nesting: 0,
            depth: 0,
            rounds: 1,
            spent: 0,
            budget: 0,
            elementary: true,
            count: 0,
        }
    }

    /// One of `0..count`.
    fn below(&mut self, count: usize) -> usize {
        self.random.uniform(0.0, count as f64) as usize
    }

    /// One of `low..=high`.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// Once in `count` times.
    fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn choose<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }

    /// Writes something in one of the forms that are possible.
    fn any<T>(&mut self, forms: &[Form<T>]) -> T {
        let total: u32 = forms.iter().map(|form| form.weight).sum();
        loop {
            let mut ticket = self.below(total as usize) as u32;
            let chosen = forms.iter().find(|form| match ticket.checked_sub(form.weight) {
                Some(rest) => {
                    ticket = rest;
                    false
                }
                None => true,
            });
            let written = chosen.and_then(|form| (form.write)(self));
            if let Some(written) = written {
                return written;
            }
        }
    }

    /// Counts operations, once for each round of the loops around.
    fn spend(&mut self, operations: u64) {
        self.spent += operations * self.rounds;
    }

    fn exhausted(&self) -> bool {
        self.spent > self.budget
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "    ".repeat(self.indent), text.as_ref()));
    }

    /// Writes `head {`, what `body` writes, and `}` with `tail` after it. What is declared inside
    /// is gone afterwards.
    fn braces<T>(
        &mut self,
        head: impl AsRef<str>,
        tail: impl AsRef<str>,
        body: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.line(format!("{} {{", head.as_ref()).trim_start());
        let outside = self.variables.len();
        self.indent += 1;
        self.nesting += 1;
        let result = body(self);
        self.nesting -= 1;
        self.indent -= 1;
        self.variables.truncate(outside);
        self.line(format!("}}{}", tail.as_ref()));
        result
    }

    /// Writes `head {`, what `first` writes, `} else {`, what `second` writes, and `}`.
    fn alternatives(
        &mut self,
        head: String,
        first: impl FnOnce(&mut Self),
        second: impl FnOnce(&mut Self),
    ) {
        self.braces(head, "", first);
        self.lines.pop();
        self.braces("} else", "", second);
    }

    /// The same with each operation done `rounds` times.
    fn repeated<T>(&mut self, rounds: u64, body: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.rounds;
        self.rounds *= rounds.max(1);
        let result = body(self);
        self.rounds = before;
        result
    }

    /// A name that nothing has yet.
    fn fresh(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    /// A name for a new variable, which may shadow another one.
    fn name(&mut self, stem: &str) -> String {
        let shadowed: Vec<String> = (self.variables.iter())
            .filter(|variable| variable.can_be_shadowed())
            .map(|variable| variable.name.clone())
            .collect();
        match shadowed.is_empty() || !self.once_in(6) {
            true => self.fresh(stem),
            false => self.choose(&shadowed).clone(),
        }
    }

    fn declare(&mut self, name: &str, ty: Type) -> &mut Variable {
        let branches = self.branches;
        self.variables.push(Variable::new(name, ty, branches));
        self.variables.last_mut().expect("just pushed")
    }

    /// Makes what is named in `text` unchangeable: it is borrowed. Those that were not before.
    fn freeze(&mut self, text: &str) -> Vec<usize> {
        let names: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        let mut frozen = Vec::new();
        for (index, variable) in self.variables.iter_mut().enumerate() {
            if variable.mutable && names.contains(&variable.name.as_str()) {
                variable.mutable = false;
                frozen.push(index);
            }
        }
        frozen
    }

    /// The variables that can be used here: of each name the innermost.
    fn visible(&self) -> Vec<&Variable> {
        let mut visible: Vec<&Variable> = Vec::new();
        for variable in self.variables.iter().rev() {
            if !visible.iter().any(|inner| inner.name == variable.name) {
                visible.push(variable);
            }
        }
        visible.retain(|variable| self.view.shows(variable));
        visible
    }
}
