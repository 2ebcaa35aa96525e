//! Functions inside the right-hand side, closures, and calls of both.

use std::rc::Rc;

use super::expr::{Expr, Level};
use super::types::{Parameter, Role, Signature, Type, Variable, View};
use super::{Form, Generator, form};

/// The functions, except those of random parameters.
const FORMS: &[Form<()>] =
    &[form(10, ordinary), form(2, of_any_length), form(2, of_function), form(2, of_index)];

impl Generator {
    /// Returns a call that gives a float, or a value that contains one.
    pub(super) fn call(&mut self) -> Option<Expr> {
        let floats = |ty: &Type| ty.holds(&|ty| *ty == Type::Float);
        let (function, signature) = self.callable(&floats)?;
        let call = self.call_text(&function, &signature);
        let mut text = call;
        let mut ty = &signature.result;
        loop {
            ty = match ty {
                Type::Array(element, length) => {
                    text += &format!("[{}]", self.index(*length));
                    element
                }
                Type::Struct(_) => return None,
                Type::Tuple(elements) => {
                    let floats: Vec<usize> =
                        (0..elements.len()).filter(|&i| elements[i] == Type::Float).collect();
                    let field = *self.choose(&floats);
                    text += &format!(".{field}");
                    &elements[field]
                }
                _ => return Some(Expr::whole(text)),
            };
        }
    }

    /// Returns a call that gives a value of a type.
    pub(super) fn call_of(&mut self, ty: &Type) -> Option<Expr> {
        let (function, signature) = self.callable(&|result: &Type| result == ty)?;
        Some(Expr::whole(self.call_text(&function, &signature)))
    }

    fn callable(&mut self, wanted: &dyn Fn(&Type) -> bool) -> Option<(Variable, Rc<Signature>)> {
        let room = self.budget.saturating_sub(self.spent);
        let rounds = self.rounds;
        let functions: Vec<(Variable, Rc<Signature>)> = (self.visible().into_iter())
            .filter_map(|variable| match &variable.ty {
                Type::Function(signature)
                    if wanted(&signature.result) && signature.cost * rounds <= room =>
                {
                    Some((variable.clone(), signature.clone()))
                }
                _ => None,
            })
            .collect();
        (!functions.is_empty()).then(|| self.choose(&functions).clone())
    }

    fn call_text(&mut self, function: &Variable, signature: &Signature) -> String {
        self.spend(signature.cost);
        let arguments: Vec<String> = (signature.parameters.iter())
            .map(|parameter| self.deeper(|this| this.argument_of(parameter)))
            .collect();
        format!("{}({})", function.name, arguments.join(", "))
    }

    fn argument_of(&mut self, parameter: &Parameter) -> String {
        let value = self.value(&parameter.ty);
        match parameter.reference {
            // `&*v` is `v`.
            true if value.level == Level::Sign && value.text.starts_with('*') => value.receiver(),
            true => format!("&{}", value.at(Level::Whole)),
            false => value.text,
        }
    }

    /// Returns a function of one number, as an argument of another function.
    pub(super) fn function_value(&mut self, signature: &Signature) -> Expr {
        if self.once_in(2)
            && let Some(name) = self.function_from(&signature.parameters, &signature.result)
        {
            return Expr::whole(name);
        }
        let (outside, view) = (self.variables.len(), self.view);
        if view == View::All {
            self.view = View::Copies;
        }
        let name = self.fresh("x");
        self.declare(&name, Type::Float);
        let body = self.repeated(3, |this| this.deeper(Self::typed_float));
        self.view = view;
        self.variables.truncate(outside);
        Expr::whole(format!("|{name}| {}", body.text))
    }

    /// Returns the name of a function of a type, for use as a value.
    pub(super) fn function_from(
        &mut self,
        parameters: &[Parameter],
        result: &Type,
    ) -> Option<String> {
        let same = |ty: &Type| match ty {
            Type::Function(other) => other.parameters == parameters && other.result == *result,
            _ => false,
        };
        let candidates: Vec<String> = (self.visible().into_iter())
            .filter(|variable| variable.role != Role::Callback && same(&variable.ty))
            .map(|variable| variable.name.clone())
            .collect();
        if candidates.is_empty() {
            return None;
        }
        self.spend(3);
        Some(self.choose(&candidates).clone())
    }

    /// Writes a function at the head of a block.
    pub(super) fn function_item(&mut self) {
        self.any(FORMS);
    }

    /// Writes `fn name(parameters) -> result { … }` and declares it.
    fn define(
        &mut self,
        parameters: Vec<Parameter>,
        result: Type,
        body: impl FnOnce(&mut Self, &[Parameter]) -> String,
    ) {
        let name = self.fresh("h");
        let spent = std::mem::replace(&mut self.spent, 0);
        let budget = std::mem::replace(&mut self.budget, 12);
        let rounds = std::mem::replace(&mut self.rounds, 1);
        let branches = std::mem::replace(&mut self.branches, 0);
        let loops = std::mem::take(&mut self.loops);
        let around = self.variables.clone();
        self.variables.retain(|variable| variable.role == Role::Item);

        let mut heads = Vec::new();
        for parameter in &parameters {
            let text = parameter.text();
            heads.push(match (&parameter.ty, self.below(4)) {
                (Type::Tuple(_) | Type::Array(..) | Type::Struct(_), 0 | 1)
                    if !parameter.reference =>
                {
                    format!("{}: {text}", self.pattern(&parameter.ty, false))
                }
                (Type::Float, 0) => {
                    let name = self.fresh("a");
                    self.declare(&name, Type::Float).mutable();
                    format!("mut {name}: {text}")
                }
                (ty, _) => {
                    let name = self.fresh("a");
                    let callback = matches!(ty, Type::Function(_));
                    let variable = self.declare(&name, ty.clone());
                    variable.reference(parameter.reference);
                    if callback {
                        variable.role = Role::Callback;
                    }
                    format!("{name}: {text}")
                }
            });
        }
        let head = format!("fn {name}({}) -> {}", heads.join(", "), result.text());
        self.braces(head, "", |this| {
            let value = body(this, &parameters);
            this.line(value);
        });

        let cost = self.spent.max(1);
        self.variables = around;
        (self.spent, self.budget, self.rounds) = (spent, budget, rounds);
        (self.branches, self.loops) = (branches, loops);
        self.declare_function(&name, parameters, result, cost);
    }

    /// Declares an existing function.
    pub(super) fn declare_function(
        &mut self,
        name: &str,
        parameters: Vec<Parameter>,
        result: Type,
        cost: u64,
    ) {
        let signature = Signature { parameters, result, cost };
        self.declare(name, Type::Function(Rc::new(signature))).item();
    }

    /// Writes a closure by a `let`.
    pub(super) fn closure(&mut self) {
        let view = self.view;
        let moves = self.once_in(2);
        self.view = if moves { View::Copies } else { View::Unchanging };
        let outside = self.variables.len();
        let spent = self.spent;
        let mut parameters = Vec::new();
        let mut heads = Vec::new();
        for _ in 0..self.between(0, 2) {
            let ty = self.simple_type();
            let pattern = self.pattern(&ty, false);
            heads.push(format!("{pattern}: {}", ty.text()));
            parameters.push(Parameter { ty, reference: false });
        }
        let rounds = std::mem::replace(&mut self.rounds, 1);
        self.depth = 2;
        let result = if self.once_in(5) { Type::Mask } else { Type::Float };
        let value = self.value(&result);
        let cost = (self.spent - spent).max(1);
        self.rounds = rounds;
        self.spent = spent;
        let body = match (result == Type::Float && self.once_in(4), self.once_in(3)) {
            (true, _) => {
                let name = self.fresh("z");
                format!("{{ let {name} = {}; {name} * 0.5 }}", value.text)
            }
            (_, true) => format!("-> {} {{ {} }}", result.text(), value.text),
            _ => value.text,
        };
        self.view = view;
        self.variables.truncate(outside);
        let name = self.fresh("f");
        let moved = if moves { "move " } else { "" };
        self.line(format!("let {name} = {moved}|{}| {body};", heads.join(", ")));
        let signature = Signature { parameters, result, cost };
        self.declare(&name, Type::Function(Rc::new(signature)));
    }

    /// Returns a type that parameters have.
    pub(super) fn simple_type(&mut self) -> Type {
        match self.below(8) {
            0 => Type::index(4),
            1 => Type::Tuple(vec![Type::Float, Type::Float]),
            2 => Type::floats(2),
            3 => Type::Tuple(vec![Type::Float, Type::floats(2)]),
            4 if !self.structs.is_empty() => {
                let structs = self.structs.clone();
                Type::Struct(self.choose(&structs).clone())
            }
            _ => Type::Float,
        }
    }
}

fn ordinary(generator: &mut Generator) -> Option<()> {
    let mut parameters = Vec::new();
    for _ in 0..generator.between(0, 3) {
        let ty = match generator.once_in(4) {
            true => Type::floats(generator.between(1, 4) as usize),
            false => generator.simple_type(),
        };
        let reference = matches!(ty, Type::Array(..)) && generator.once_in(2);
        parameters.push(Parameter { ty, reference });
    }
    let result = match generator.below(8) {
        0 => Type::Tuple(vec![Type::Float, Type::Float]),
        1 => Type::floats(3),
        2 => Type::Mask,
        3 => Type::Tuple(vec![Type::index(3), Type::Float]),
        4 if !generator.structs.is_empty() => {
            let structs = generator.structs.clone();
            Type::Struct(generator.choose(&structs).clone())
        }
        _ => Type::Float,
    };
    generator.define(parameters, result.clone(), |this, _| {
        let count = this.between(0, 2);
        this.statements(count as usize);
        this.depth = 2;
        this.value(&result).text
    });
    Some(())
}

/// A function of an array of any length.
fn of_any_length(generator: &mut Generator) -> Option<()> {
    let (name, sum) = (generator.fresh("h"), generator.fresh("sum"));
    let head = match generator.once_in(2) {
        true => format!("fn {name}(values: &[f64]) -> f64"),
        false => format!("fn {name}<const L: usize>(values: &[f64; L]) -> f64"),
    };
    let length = if head.contains('L') { "L" } else { "values.len()" };
    let term = *generator.choose(&["x", "(if x > 0.5 { 0.5 * x } else { x })"]);
    generator.braces(head, "", |this| {
        this.line(format!("let mut {sum} = values[0];"));
        this.braces("for &x in values", "", |this| this.line(format!("{sum} += {term};")));
        this.line(format!("{sum} / {length} as f64"));
    });
    // Its callers use one length.
    let count = generator.between(1, 4) as usize;
    let values = Parameter { ty: Type::floats(count), reference: true };
    generator.declare_function(&name, vec![values], Type::Float, 3 * count as u64);
    Some(())
}

/// A function of a function.
fn of_function(generator: &mut Generator) -> Option<()> {
    let number = Parameter { ty: Type::Float, reference: false };
    let signature = Signature { parameters: vec![number.clone()], result: Type::Float, cost: 2 };
    let callback = Type::Function(Rc::new(signature));
    let parameters = vec![Parameter { ty: callback, reference: false }, number];
    generator.define(parameters, Type::Float, |this, _| {
        let count = this.between(0, 1);
        this.statements(count as usize);
        this.depth = 2;
        let (first, second) = (this.call(), this.typed_float());
        match first {
            Some(call) => format!("{} - {}", call.text, second.at(Level::Product)),
            None => second.text,
        }
    });
    Some(())
}

/// A function from an integer to an integer.
fn of_index(generator: &mut Generator) -> Option<()> {
    let parameters = vec![Parameter { ty: Type::index(6), reference: false }];
    let result = Type::index(4);
    generator.define(parameters, result.clone(), |this, _| {
        this.depth = 3;
        this.value(&result).text
    });
    Some(())
}
