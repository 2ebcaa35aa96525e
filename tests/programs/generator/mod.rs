//! A generator of random right-hand sides of the accepted subset.
//!
//! rustc accepts its programs, and they cannot panic: variables have types, integers have ranges,
//! and the places that a function may assign to are known. Each construct is one function with a
//! weight, in a list of its kind. [`float::FORMS`] has expressions of floats, and
//! [`known::INTEGERS`] and [`known::CONDITIONS`] have expressions that are known at compile time.
//! [`statement::FORMS`] has statements, [`sequence::ITERATORS`] has sources of loops and sums, and
//! [`function::FORMS`] has functions. A new construct is a new function there.
//!
//! Values are mostly tame: divisors are away from zero, and arguments are in the function's domain.
//! Special values also occur, because they are a part of the language.

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

/// The mark before the name of each elementary function.
///
/// The last bits of such a function depend on the library. With the mark, a program can be written
/// with the functions of the platform, or with ours.
pub(crate) const ELEMENTARY: char = '§';

/// One of several forms of a text.
pub(crate) struct Form<T> {
    /// Frequency relative to the other forms.
    weight: u32,
    /// Writes the form; `None` if it is impossible: no variable of the kind, or too deep.
    write: fn(&mut Generator) -> Option<T>,
}

const fn form<T>(weight: u32, write: fn(&mut Generator) -> Option<T>) -> Form<T> {
    Form { weight, write }
}

/// A loop during its generation.
struct Loop {
    label: Option<String>,
    /// The number of branches on the state around the loop.
    branches: usize,
}

/// The state of the generator within a program.
pub(crate) struct Generator {
    random: Random,
    lines: Vec<String>,
    indent: usize,
    variables: Vec<Variable>,
    structs: Vec<Rc<Struct>>,
    /// The fields whose names variables have had.
    fields_bound: Vec<String>,
    view: View,
    loops: Vec<Loop>,
    /// The number of branches on the state around; integers must not change inside them.
    branches: usize,
    /// The number of blocks and loops around.
    nesting: usize,
    /// The remaining depth of the current expression.
    depth: usize,
    /// The product of the iteration counts of the loops around.
    rounds: u64,
    /// The number of operations after unrolling.
    spent: u64,
    budget: u64,
    /// Whether the program may call elementary functions.
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

    /// Returns one of `0..count`.
    fn below(&mut self, count: usize) -> usize {
        self.random.uniform(0.0, count as f64) as usize
    }

    /// Returns one of `low..=high`.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// Returns true once in `count` times.
    fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn choose<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        &choices[self.below(choices.len())]
    }

    /// Writes one of the possible forms.
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

    /// Counts operations, once for each iteration of the loops around.
    fn spend(&mut self, operations: u64) {
        self.spent += operations * self.rounds;
    }

    fn exhausted(&self) -> bool {
        self.spent > self.budget
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", "    ".repeat(self.indent), text.as_ref()));
    }

    /// Writes `head {`, the output of `body`, and `}` with `tail` after it.
    ///
    /// Declarations inside end with the braces.
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

    /// Writes `head {`, the output of `first`, `} else {`, the output of `second`, and `}`.
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

    /// Runs `body`, with each operation counted `rounds` times.
    fn repeated<T>(&mut self, rounds: u64, body: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.rounds;
        self.rounds *= rounds.max(1);
        let result = body(self);
        self.rounds = before;
        result
    }

    /// Returns an unused name.
    fn fresh(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }

    /// Returns a name for a new variable, which may shadow another one.
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

    /// Makes the variables in `text` immutable, because they are borrowed; returns those that were
    /// mutable.
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

    /// Returns the usable variables: for each name the innermost one.
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
