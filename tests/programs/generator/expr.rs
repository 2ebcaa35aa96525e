//! Expressions, and paths into the values of variables.

use super::Generator;
use super::types::{Role, Struct, Type, Variable};

/// The precedence of an expression.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum Level {
    Or,
    And,
    Comparison,
    Sum,
    Product,
    /// `-a`
    Sign,
    /// Names, literals, calls.
    Whole,
}

/// An expression.
pub(super) struct Expr {
    pub text: String,
    pub level: Level,
    /// Whether its type is known without the context: `2.0` alone has no methods.
    pub typed: bool,
}

impl Expr {
    pub(super) fn whole(text: impl Into<String>) -> Expr {
        Expr { text: text.into(), level: Level::Whole, typed: true }
    }

    pub(super) fn new(text: impl Into<String>, level: Level, typed: bool) -> Expr {
        Expr { text: text.into(), level, typed }
    }

    /// Returns the text as an operand with this precedence.
    pub(super) fn at(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    /// Returns the text as the receiver of a method.
    pub(super) fn receiver(&self) -> String {
        match self.text.strip_prefix('*') {
            Some(variable) if self.level == Level::Sign => variable.to_owned(),
            _ => self.at(Level::Whole),
        }
    }
}

impl Generator {
    /// Returns the variables that contain a value of a kind.
    fn holding(&self, wanted: &dyn Fn(&Type) -> bool) -> Vec<Variable> {
        let visible = self.visible().into_iter();
        visible.filter(|variable| variable.ty.holds(wanted)).cloned().collect()
    }

    /// Returns a value of a kind from some variable, with its type.
    pub(super) fn existing(&mut self, wanted: &dyn Fn(&Type) -> bool) -> Option<(Expr, Type)> {
        let candidates = self.holding(wanted);
        if candidates.is_empty() {
            return None;
        }
        // Later candidates are preferred, because they are more interesting.
        let first = self.below(candidates.len());
        let second = self.below(candidates.len());
        let variable = candidates[first.min(second)].clone();
        let (steps, ty) = self.descend(&variable.ty, wanted);
        let (star, level) = match variable.reference && steps.is_empty() {
            true => ("*", Level::Sign),
            false => ("", Level::Whole),
        };
        let expr = Expr::new(format!("{star}{}{steps}", variable.name), level, variable.typed);
        Some((expr, ty))
    }

    /// Returns an assignable place of a kind.
    pub(super) fn place(&mut self, wanted: &dyn Fn(&Type) -> bool) -> Option<(String, Type)> {
        let branches = self.branches;
        let mut candidates = self.holding(wanted);
        candidates.retain(|variable| {
            let known = |ty: &Type| matches!(ty, Type::Integer(..) | Type::Known);
            // In a branch on the state, values known at compile time must not change.
            variable.mutable && (variable.branches == branches || !variable.ty.holds(&known))
        });
        if candidates.is_empty() {
            return None;
        }
        let variable = self.choose(&candidates).clone();
        let (steps, ty) = self.descend(&variable.ty, wanted);
        let star = if variable.reference && steps.is_empty() { "*" } else { "" };
        Some((format!("{star}{}{steps}", variable.name), ty))
    }

    /// Returns the path from a value to one of a kind inside it.
    fn descend(&mut self, ty: &Type, wanted: &dyn Fn(&Type) -> bool) -> (String, Type) {
        match ty {
            ty if wanted(ty) => (String::new(), ty.clone()),
            Type::Array(element, length) => {
                let index = self.index(*length);
                let (steps, ty) = self.descend(element, wanted);
                (format!("[{index}]{steps}"), ty)
            }
            Type::Tuple(elements) => {
                let possible: Vec<usize> =
                    (0..elements.len()).filter(|&i| elements[i].holds(wanted)).collect();
                let field = *self.choose(&possible);
                let (steps, ty) = self.descend(&elements[field], wanted);
                (format!(".{field}{steps}"), ty)
            }
            Type::Struct(structure) => {
                let possible: Vec<&(String, Type)> =
                    structure.fields.iter().filter(|(_, ty)| ty.holds(wanted)).collect();
                let (field, ty) = *self.choose(&possible);
                let (steps, ty) = self.descend(ty, wanted);
                (format!(".{field}{steps}"), ty)
            }
            other => unreachable!("{} holds nothing of this kind", other.text()),
        }
    }

    /// Returns a value of a type.
    pub(super) fn value(&mut self, ty: &Type) -> Expr {
        match ty {
            Type::Float => self.typed_float(),
            Type::Integer(name, low, high) => self.integer(name, *low, *high),
            Type::Known => self.condition(),
            Type::Mask => self.mask(),
            Type::Function(signature) => self.function_value(signature),
            Type::Array(element, length) => {
                if self.once_in(3)
                    && let Some((expr, _)) = self.existing(&|found| found == ty)
                {
                    return expr;
                }
                if **element == Type::Float && self.once_in(4) {
                    let value = self.value(element);
                    let length = self.length(*length);
                    return Expr::whole(format!("[{}; {length}]", value.text));
                }
                let elements: Vec<String> =
                    (0..*length).map(|_| self.value(element).text).collect();
                Expr::whole(format!("[{}]", elements.join(", ")))
            }
            Type::Tuple(elements) => {
                if self.once_in(3)
                    && let Some((expr, _)) = self.existing(&|found| found == ty)
                {
                    return expr;
                }
                let elements: Vec<String> =
                    elements.iter().map(|element| self.value(element).text).collect();
                Expr::whole(format!("({})", elements.join(", ")))
            }
            Type::Struct(structure) => {
                let existing = self.existing(&|found| found == ty);
                if let (Some((expr, _)), true) = (&existing, self.once_in(3)) {
                    return Expr::whole(expr.at(Level::Whole));
                }
                let mut fields: Vec<String> = (structure.fields.iter())
                    .map(|(field, ty)| format!("{field}: {}", self.value(ty).text))
                    .collect();
                if let (Some((expr, _)), true) = (&existing, self.once_in(2)) {
                    fields.remove(self.below(fields.len()));
                    fields.push(format!("..{}", expr.text));
                }
                Expr::whole(format!("({} {{ {} }})", structure.name, fields.join(", ")))
            }
        }
    }

    /// Returns a length, as a constant of this value if there is one.
    fn length(&mut self, length: usize) -> String {
        let least = length as i64;
        let constants: Vec<String> = (self.visible().into_iter())
            .filter(|variable| variable.role == Role::Item)
            .filter(|variable| variable.ty == Type::Integer("usize", least, least))
            .map(|variable| variable.name.clone())
            .collect();
        match constants.is_empty() {
            true => length.to_string(),
            false => self.choose(&constants).clone(),
        }
    }

    /// Returns a pattern of random depth for a value of a type, and declares its names.
    pub(super) fn pattern(&mut self, ty: &Type, reference: bool) -> String {
        let (pattern, bindings) = self.pattern_of(ty, reference);
        for (name, ty, reference) in bindings {
            self.declare(&name, ty).reference(reference);
        }
        pattern
    }

    /// As `pattern`, with the names still to be declared.
    pub(super) fn pattern_of(
        &mut self,
        ty: &Type,
        reference: bool,
    ) -> (String, Vec<(String, Type, bool)>) {
        if reference && self.once_in(3) {
            let (inner, bindings) = self.pattern_of(ty, false);
            return (format!("&{inner}"), bindings);
        }
        if let Type::Struct(structure) = ty
            && !self.once_in(4)
        {
            return self.struct_pattern(structure, reference);
        }
        let elements: Vec<Type> = match ty {
            Type::Array(element, length) => vec![(**element).clone(); *length],
            Type::Tuple(elements) => elements.clone(),
            _ => Vec::new(),
        };
        if elements.is_empty() || self.once_in(4) {
            if self.once_in(12) {
                return ("_".to_owned(), Vec::new());
            }
            // A pattern has no name twice.
            let name = self.fresh("x");
            return (name.clone(), vec![(name, ty.clone(), reference)]);
        }
        let (mut patterns, mut bindings) = (Vec::new(), Vec::new());
        let rest = if self.once_in(3) { self.below(elements.len() + 1) } else { elements.len() };
        let skipped = if rest < elements.len() { self.below(elements.len() - rest) + 1 } else { 0 };
        let mut index = 0;
        while index < elements.len() {
            if skipped > 0 && index == rest {
                match ty {
                    Type::Array(element, _) if self.once_in(2) => {
                        let name = self.fresh("rest");
                        patterns.push(format!("{name} @ .."));
                        let ty = Type::Array(element.clone(), skipped);
                        bindings.push((name, ty, reference));
                    }
                    _ => patterns.push("..".to_owned()),
                }
                index += skipped;
                continue;
            }
            // Behind a reference the elements are already references.
            let (inner, more) = match reference {
                true => {
                    let name = self.fresh("x");
                    (name.clone(), vec![(name, elements[index].clone(), true)])
                }
                false => self.pattern_of(&elements[index], false),
            };
            patterns.push(inner);
            bindings.extend(more);
            index += 1;
        }
        let patterns = patterns.join(", ");
        let text = match ty {
            Type::Array(..) => format!("[{patterns}]"),
            _ if elements.len() == 1 => format!("({patterns},)"),
            _ => format!("({patterns})"),
        };
        (text, bindings)
    }

    /// `Name { field, other: pattern, .. }`
    fn struct_pattern(
        &mut self,
        structure: &Struct,
        reference: bool,
    ) -> (String, Vec<(String, Type, bool)>) {
        let (mut patterns, mut bindings) = (Vec::new(), Vec::new());
        let all = self.once_in(2);
        for (field, ty) in &structure.fields {
            if !all && self.once_in(2) {
                continue;
            }
            // A field's name is bound only once, because the pattern may contain another such
            // struct.
            if !self.fields_bound.contains(field) && self.once_in(2) {
                self.fields_bound.push(field.clone());
                patterns.push(field.clone());
                bindings.push((field.clone(), ty.clone(), reference));
            } else if reference {
                let name = self.fresh("x");
                patterns.push(format!("{field}: {name}"));
                bindings.push((name, ty.clone(), true));
            } else {
                let (inner, more) = self.pattern_of(ty, false);
                patterns.push(format!("{field}: {inner}"));
                bindings.extend(more);
            }
        }
        if !all {
            patterns.push("..".to_owned());
        }
        (format!("{} {{ {} }}", structure.name, patterns.join(", ")), bindings)
    }
}
