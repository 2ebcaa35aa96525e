//! Structs with named fields, and the layouts of states and parameters.

use std::rc::Rc;

use proc_macro2::Ident;
use quote::ToTokens;

use super::Elaborator;
use super::place::no_field;
use super::value::Value;
use crate::ast::{Expr, ExprKind, IntegerType, Pattern, Shape, Struct, Typed};
use crate::parse::refuse;
use crate::parse::signature::MODES;

/// A type of floats with known lengths.
#[derive(Clone)]
pub(crate) enum Layout<'a> {
    Float,
    Array(Box<Layout<'a>>, usize),
    Struct(Rc<Struct<'a>>, Vec<Layout<'a>>),
}

impl PartialEq for Layout<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Layout::Float, Layout::Float) => true,
            (Layout::Array(a, m), Layout::Array(b, n)) => m == n && a == b,
            (Layout::Struct(a, _), Layout::Struct(b, _)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl<'a> Layout<'a> {
    /// Returns the number of floats.
    pub(crate) fn size(&self) -> usize {
        match self {
            Layout::Float => 1,
            Layout::Array(element, length) => element.size().saturating_mul(*length),
            Layout::Struct(_, fields) => {
                fields.iter().fold(0, |sum: usize, field| sum.saturating_add(field.size()))
            }
        }
    }

    fn is_modes(&self) -> bool {
        matches!(self, Layout::Struct(definition, _) if definition.name == MODES)
    }

    /// Returns the offset and the layout of the modes among parameters of this layout.
    ///
    /// The modes are all parameters, or a field.
    pub(super) fn modes(&self) -> Option<(usize, &Layout<'a>)> {
        if self.is_modes() {
            return Some((0, self));
        }
        let Layout::Struct(_, fields) = self else { return None };
        let position = fields.iter().position(Layout::is_modes)?;
        Some((fields[..position].iter().map(Layout::size).sum(), &fields[position]))
    }

    /// Returns the fields that lead from parameters of this layout to the modes.
    ///
    /// There are none if the modes are all parameters.
    pub(crate) fn path_to_modes(&self) -> Option<Vec<&'a Ident>> {
        if self.is_modes() {
            return Some(Vec::new());
        }
        let Layout::Struct(definition, layouts) = self else { return None };
        let mut fields = definition.fields.iter().zip(layouts);
        fields.find(|(_, layout)| layout.is_modes()).map(|(field, _)| vec![field.name])
    }

    /// Returns the second field with modes, if modes occur twice.
    ///
    /// An array of modes counts as two.
    pub(super) fn second_modes(&self) -> Option<&'a Ident> {
        let mut fields = Vec::new();
        self.fields_of_modes(None, &mut fields);
        fields.get(1).copied()
    }

    fn fields_of_modes(&self, field: Option<&'a Ident>, found: &mut Vec<&'a Ident>) {
        match self {
            Layout::Struct(..) if self.is_modes() => found.extend(field),
            Layout::Struct(definition, layouts) => {
                for (field, layout) in definition.fields.iter().zip(layouts) {
                    layout.fields_of_modes(Some(field.name), found);
                }
            }
            Layout::Array(element, length) => {
                (0..(*length).min(2)).for_each(|_| element.fields_of_modes(field, found));
            }
            Layout::Float => {}
        }
    }

    /// Returns a value of this layout, with `leaf` for each float.
    pub(super) fn fill(&self, leaf: &mut impl FnMut() -> Value<'a>) -> Value<'a> {
        match self {
            Layout::Float => leaf(),
            Layout::Array(element, length) => {
                Value::array((0..*length).map(|_| element.fill(leaf)).collect())
            }
            Layout::Struct(definition, fields) => {
                let fields = fields.iter().map(|field| field.fill(leaf)).collect();
                Value::Struct(definition.clone(), Rc::new(fields))
            }
        }
    }

    /// Returns the names of the floats from the fields of a struct.
    pub(super) fn field_names(&self) -> Option<Vec<String>> {
        fn names(layout: &Layout<'_>, name: String, all: &mut Vec<String>) {
            match layout {
                Layout::Float => all.push(name),
                Layout::Array(element, length) => {
                    (0..*length).for_each(|i| names(element, format!("{name}[{i}]"), all));
                }
                Layout::Struct(definition, fields) => {
                    for (field, layout) in definition.fields.iter().zip(fields) {
                        let field = plain(field.name);
                        let inner = if name.is_empty() { field } else { format!("{name}.{field}") };
                        names(layout, inner, all);
                    }
                }
            }
        }
        let Layout::Struct(..) = self else { return None };
        let mut all = Vec::new();
        names(self, String::new(), &mut all);
        Some(all)
    }
}

/// Returns the syntax if it is a single name, and otherwise `flag`.
fn flag(syntax: &dyn ToTokens) -> String {
    match syn::parse2::<Ident>(syntax.to_token_stream()) {
        Ok(name) => name.to_string(),
        Err(_) => "flag".to_owned(),
    }
}

/// Returns a name without `r#`.
pub(crate) fn plain(name: &Ident) -> String {
    name.to_string().trim_start_matches("r#").to_owned()
}

impl<'a> Elaborator<'a, '_> {
    /// Returns the layout of a state, parameters or results, which contain only floats.
    pub(super) fn layout(&mut self, typed: &Typed<'a>) -> Option<Layout<'a>> {
        self.layout_of(&typed.shape, &typed.syntax)
    }

    pub(super) fn layout_of(
        &mut self,
        shape: &Shape<'a>,
        syntax: &dyn ToTokens,
    ) -> Option<Layout<'a>> {
        match shape {
            Shape::Float => Some(Layout::Float),
            Shape::Array(element, length) => {
                let element = self.layout_of(element, syntax);
                let length = self.length(length)?;
                Some(Layout::Array(Box::new(element?), length))
            }
            Shape::Struct(name) => {
                let definition = self.definition(name)?;
                if self.layouts.iter().any(|known| Rc::ptr_eq(known, &definition)) {
                    // rustc rejects a struct that contains itself.
                    return None;
                }
                self.layouts.push(definition.clone());
                let fields: Vec<_> = definition
                    .fields
                    .iter()
                    .map(|field| self.layout_of(&field.shape, field.name))
                    .collect();
                self.layouts.pop();
                Some(Layout::Struct(definition, fields.into_iter().collect::<Option<_>>()?))
            }
            Shape::Other(syn::Type::Slice(slice)) => {
                self.error(
                    0,
                    slice,
                    "a slice cannot be used here: the number of elements must be known at compile \
                     time; write an array with its length, such as `[f64; N]`",
                );
                None
            }
            Shape::Other(ty) => {
                let name = match ty {
                    syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
                    _ => None,
                };
                let name = name.unwrap_or_default();
                let scalar = self.system.scalar.name();
                let instead = if name == "bool" {
                    format!("write `{scalar}`, and compare it, as in `p.{} > 0.5`", flag(syntax))
                } else if IntegerType::from_name(&name).is_some() {
                    format!("write `{scalar}`, or a `const` for a value known at compile time")
                } else if let Some(known) = refuse::of_type(ty) {
                    known
                } else {
                    format!(
                        "write `{scalar}`, an array `[{scalar}; N]`, or a struct or an alias of \
                         these that is declared in this module"
                    )
                };
                let message = format!(
                    "this type cannot be part of a state or of parameters: they contain only \
                     floats; {instead}"
                );
                self.error(0, syntax, message);
                None
            }
        }
    }

    /// Returns the struct of this name.
    fn definition(&mut self, name: &Ident) -> Option<Rc<Struct<'a>>> {
        let index = self.find(name)?;
        match &self.variables[index].value {
            Value::Type(definition) => Some(definition.clone()),
            _ => None,
        }
    }

    /// Evaluates `Name { field: value, ..base }`.
    pub(super) fn struct_literal(
        &mut self,
        expr: &Expr<'a>,
        name: &'a Ident,
        fields: &[(&'a Ident, Expr<'a>)],
        base: Option<&Expr<'a>>,
    ) -> Value<'a> {
        let definition = self.definition(name);
        let given = fields.iter().map(|(field, value)| {
            let position = definition.as_ref().and_then(|of| of.position(field));
            let shape = definition.as_ref().zip(position).map(|(of, at)| &of.fields[at].shape);
            match (&value.kind, shape) {
                // The field determines the length.
                (ExprKind::FromFn { length: None, function }, Some(Shape::Array(_, length))) => {
                    self.array_from_fn(value, Some(length), function)
                }
                _ => self.expr(value),
            }
        });
        let given: Vec<Value<'a>> = given.collect();
        let base = base.map(|base| self.expr(base));
        let Some(definition) = definition else { return Value::Poison };
        for (field, value) in fields {
            if definition.position(field).is_none() {
                self.error(value.id, field, no_field(&definition, field));
                return Value::Poison;
            }
        }
        let mut values = match base {
            None => vec![Value::Unset(None); definition.fields.len()],
            Some(Value::Struct(of, values)) if Rc::ptr_eq(&of, &definition) => values.to_vec(),
            Some(_) => return Value::Poison,
        };
        for ((field, expr), value) in fields.iter().zip(given) {
            if let Some(position) = definition.position(field) {
                let ty = &definition.fields[position].ty;
                let value = self.expect(expr, value, ty);
                self.ascribe(&value, ty);
                values[position] = value;
            }
        }
        let missing = values.iter().position(|value| matches!(value, Value::Unset(_)));
        if let Some(missing) = missing {
            let message = format!(
                "the field `{}` is missing: a struct needs a value for each field; add it, for \
                 example with the value `0.0`",
                definition.fields[missing].name
            );
            return self.poison(expr.id, name, message);
        }
        Value::Struct(definition, Rc::new(values))
    }

    /// Returns the fields that a pattern mentions.
    pub(super) fn take_fields(
        &mut self,
        value: Value<'a>,
        name: &'a Ident,
        fields: &[(&'a Ident, Pattern<'a>)],
        rest: bool,
        position: u32,
    ) -> Vec<Value<'a>> {
        let unknown = vec![Value::Poison; fields.len()];
        let Some(definition) = self.definition(name) else { return unknown };
        for (field, _) in fields {
            if definition.position(field).is_none() {
                self.error(position, field, no_field(&definition, field));
                return unknown;
            }
        }
        let named =
            |field: &crate::ast::Field<'_>| fields.iter().any(|(name, _)| *name == field.name);
        if let Some(missing) = definition.fields.iter().find(|field| !rest && !named(field)) {
            let message = format!(
                "this pattern does not mention the field `{}`: name each field, or end with `..`",
                missing.name
            );
            self.error(position, name, message);
        }
        match value {
            Value::Struct(of, values) if Rc::ptr_eq(&of, &definition) => fields
                .iter()
                .map(|(field, _)| match definition.position(field) {
                    Some(position) => values[position].clone(),
                    None => Value::Poison,
                })
                .collect(),
            Value::Unset(None) => vec![Value::Unset(None); fields.len()],
            // rustc rejects any other type.
            _ => unknown,
        }
    }
}
