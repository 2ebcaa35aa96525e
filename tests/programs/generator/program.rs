//! A whole program.

use super::expr::{Expr, Level};
use super::types::{Parameter, Role, Type, View};
use super::{ELEMENTARY, Generator, Random};

/// A random right-hand side.
pub(crate) struct Program {
    pub(crate) name: String,
    /// The `fn`, with [`ELEMENTARY`] before the names of elementary functions.
    text: String,
    /// Whether the program is a module, with its items beside the function `rhs`.
    module: bool,
    /// Whether the function assigns to an array of derivatives; otherwise it returns them.
    pub(crate) in_place: bool,
    pub(crate) states: usize,
    pub(crate) parameters: usize,
}

/// The items outside of programs that they use.
pub(crate) const OUTSIDE: &str = "\
use odes::{interp_cubic, interp_linear, interp_linear_at};
const GAIN: f64 = 0.625;
const TABLE: [f64; 5] = [0.5, -1.0, 0.25, 2.0, 1.5];
pub mod rates {
    pub const SLOW: f64 = 0.125;
    const HALF: f64 = 0.5;
    #[odes::ode_fn]
    pub fn saturation(x: f64, rate: f64) -> f64 {
        let size = if x < 0.0 { -x } else { x };
        rate * x / (HALF + size)
    }
    #[odes::ode_fn]
    pub fn weighted<const N: usize>(v: &[f64; N], n: usize) -> (f64, f64) {
        use self::saturation;
        let mut sum = 0.0;
        for i in 0..N {
            sum += saturation(v[i], (i + n) as f64);
        }
        (sum, sum / N as f64)
    }
}
";

impl Program {
    /// Returns program `number` of `seed`, which does not depend on other programs.
    pub(crate) fn new(seed: u64, number: u64) -> Program {
        let mut random = Random(seed);
        let stream = random.uniform(0.0, 1.0).to_bits();
        let mut generator = Generator::new(Random(stream.wrapping_add(number << 32)));
        let states = generator.between(1, 4) as usize;
        let parameters = generator.between(0, 3) as usize;
        let in_place = !generator.once_in(4);
        let name = format!("program_{number}");
        let module = generator.once_in(4);
        generator.program(&name, module, states, parameters, in_place);
        let text = generator.lines.join("\n") + "\n";
        Program { name, text, module, in_place, states, parameters }
    }

    /// Returns a program with a given text.
    pub(crate) fn written(name: &str, text: String) -> Program {
        let length = |argument: &str| {
            let (_, rest) = text.split_once(argument).expect("an argument");
            let (length, _) = rest.split_once(']').expect("an array");
            length.parse().expect("a number")
        };
        let (states, parameters) = (length("u: &[f64; "), length("p: &[f64; "));
        let in_place = text.contains("du: &mut");
        Program { name: name.to_owned(), text, module: false, in_place, states, parameters }
    }

    /// Returns the type of the system.
    pub(crate) fn system(&self) -> String {
        format!("{}{}", self.name, if self.module { "::Model" } else { "" })
    }

    /// Returns the plain function: as it was written, and as the attribute leaves it.
    pub(crate) fn functions(&self) -> [String; 2] {
        let (written, left) = if self.module { ("::rhs", "::rhs") } else { ("", "::call") };
        [written, left].map(|function| format!("{}{function}", self.name))
    }

    /// Returns the function as the compiler receives it.
    pub(crate) fn text(&self) -> String {
        self.text.replace(ELEMENTARY, "")
    }

    /// Returns the function with each elementary function `f` replaced by `own_f`, if it calls any.
    pub(crate) fn with_own_functions(&self) -> Option<String> {
        self.text.contains(ELEMENTARY).then(|| self.text.replace(ELEMENTARY, "own_"))
    }
}

impl Generator {
    fn program(
        &mut self,
        name: &str,
        module: bool,
        states: usize,
        parameters: usize,
        in_place: bool,
    ) {
        self.budget = self.between(80, 400) as u64;
        self.elementary = !self.once_in(4);
        if !module {
            return self.right_hand_side(name, true, states, parameters, in_place);
        }
        self.braces(format!("pub mod {name}"), "", |this| {
            this.line("use crate::written::{GAIN, Own as _, TABLE, interp_cubic, interp_linear, interp_linear_at};");
            this.line("use crate::written::rates;");
            this.items();
            this.right_hand_side("rhs", false, states, parameters, in_place);
        });
    }

    /// Writes items at the head of a function, or in a module.
    fn items(&mut self) {
        self.line("use std::f64::consts;");
        let (constants, functions) = (self.below(4), self.below(4));
        self.constants(constants);
        for _ in 0..self.below(3) {
            self.structure();
        }
        self.outside_functions();
        for _ in 0..functions {
            self.function_item();
        }
    }

    /// The right-hand side.
    fn right_hand_side(
        &mut self,
        name: &str,
        items: bool,
        states: usize,
        parameters: usize,
        in_place: bool,
    ) {
        let arguments = format!("u: &[f64; {states}], p: &[f64; {parameters}], t: f64");
        let head = match in_place {
            true => format!("pub fn {name}(du: &mut [f64; {states}], {arguments})"),
            false => format!("pub fn {name}({arguments}) -> [f64; {states}]"),
        };
        self.braces(head, "", |this| {
            if items {
                this.items();
            }
            for (name, length) in [("u", states), ("p", parameters)] {
                if length > 0 {
                    this.declare(name, Type::floats(length)).reference(true);
                }
            }
            this.declare("t", Type::Float);
            this.view = View::All;
            if this.once_in(2) {
                this.names(states);
            }
            this.accumulators();
            let count = this.between(4, 12) as usize;
            this.statements(count);
            // The derivatives have a minimum budget.
            this.budget = this.budget.max(this.spent + 20);
            if in_place {
                this.derivatives(states);
                let count = this.between(0, 3) as usize;
                this.statements(count);
                return;
            }
            this.depth = 3;
            let value = match this.once_in(4) {
                true => {
                    let index = this.fresh("i");
                    this.declare(&index, Type::index(states));
                    this.view = View::Copies;
                    let value = this.repeated(states as u64, Generator::outcome);
                    format!("std::array::from_fn(|{index}| {})", value.text)
                }
                false => {
                    let values: Vec<String> = (0..states).map(|_| this.outcome().text).collect();
                    format!("[{}]", values.join(", "))
                }
            };
            this.line(value);
        });
    }

    /// Imports functions from outside.
    fn outside_functions(&mut self) {
        if self.once_in(2) {
            self.line("use crate::written::rates::saturation;");
            let number = Parameter { ty: Type::Float, reference: false };
            self.declare_function("saturation", vec![number.clone(), number], Type::Float, 6);
        }
        if self.once_in(3) {
            let length = self.between(1, 4) as usize;
            self.line("use crate::written::rates::weighted as sums;");
            let values = Parameter { ty: Type::floats(length), reference: true };
            let index = Parameter { ty: Type::index(4), reference: false };
            let result = Type::Tuple(vec![Type::Float, Type::Float]);
            self.declare_function("sums", vec![values, index], result, 8 * length as u64);
        }
    }

    /// `let [x, y] = *u;`
    fn names(&mut self, states: usize) {
        let names: Vec<String> = (0..states).map(|_| self.fresh("y")).collect();
        self.line(format!("let [{}] = *u;", names.join(", ")));
        for name in names {
            self.declare(&name, Type::Float);
        }
    }

    /// Declares variables to accumulate in.
    pub(super) fn accumulators(&mut self) {
        for _ in 0..self.between(1, 3) {
            self.depth = 1;
            let ty = match self.below(5) {
                4 => Type::Mask,
                0 => Type::floats(self.between(2, 3) as usize),
                1 => Type::Tuple(vec![Type::Float, Type::Float]),
                _ => Type::Float,
            };
            let (name, value) = (self.fresh("sum"), self.value(&ty));
            self.line(format!("let mut {name} = {};", value.text));
            self.declare(&name, ty).mutable();
        }
    }

    /// Returns a float that depends on earlier values.
    pub(super) fn outcome(&mut self) -> Expr {
        let mut text = self.deep_float().at(Level::Sum);
        for _ in 0..self.between(2, 4) {
            let view = self.view;
            self.view = View::Computed;
            if let Some((value, _)) = self.existing(&|ty| *ty == Type::Float) {
                let operator = *self.choose(&["+", "-"]);
                text = format!("{text} {operator} {}", value.at(Level::Product));
                self.spend(1);
            }
            self.view = view;
        }
        if self.once_in(2)
            && let Some((mask, _)) = self.existing(&|ty| *ty == Type::Mask)
        {
            text = format!("{text} + (if {} {{ 1.5 }} else {{ 0.25 }})", mask.text);
        }
        Expr::new(text, Level::Sum, true)
    }

    /// Writes the first value of all derivatives.
    pub(super) fn derivatives(&mut self, states: usize) {
        self.depth = 3;
        match self.below(5) {
            0 => {
                let index = self.fresh("i");
                self.repeated(states as u64, |this| {
                    this.braces(format!("for {index} in 0..{states}"), "", |this| {
                        this.declare(&index, Type::index(states)).typed = false;
                        let value = this.outcome();
                        this.line(format!("du[{index}] = {};", value.text));
                    });
                });
            }
            1 => {
                let values: Vec<Expr> = (0..states).map(|_| self.outcome()).collect();
                let values: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
                let places: Vec<String> = (0..states).map(|i| format!("du[{i}]")).collect();
                self.line(format!("[{}] = [{}];", places.join(", "), values.join(", ")));
            }
            2 => {
                let values: Vec<String> = (0..states).map(|_| self.outcome().text).collect();
                self.line(format!("*du = [{}];", values.join(", ")));
            }
            _ => {
                let first = self.below(states);
                for i in (first..states).chain(0..first) {
                    let value = self.outcome();
                    self.line(format!("du[{i}] = {};", value.text));
                }
            }
        }
        let variable = self.declare("du", Type::floats(states));
        variable.role = Role::Derivatives;
        variable.reference(true);
        variable.mutable();
    }
}
