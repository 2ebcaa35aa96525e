//! Constants and structs.

use std::rc::Rc;

use super::Generator;
use super::expr::Level;
use super::types::{Struct, Type, View};

impl Generator {
    /// Writes constants at the head of a block.
    pub(super) fn constants(&mut self, count: usize) {
        let view = std::mem::replace(&mut self.view, View::Items);
        for _ in 0..count {
            let name = self.fresh("C");
            self.depth = 1;
            let (ty, value) = match self.below(5) {
                0 => (Type::Array(Box::new(Type::index(3)), 3), None),
                1 => (Type::Array(Box::new(Type::Known), 3), None),
                2 => {
                    let value = self.between(1, 4);
                    (Type::Integer("usize", value, value), Some(value.to_string()))
                }
                3 => (Type::floats(3), Some(self.constant_floats(3))),
                _ => (Type::Float, Some(self.constant_float())),
            };
            let value = value.unwrap_or_else(|| self.value(&ty).text);
            self.line(format!("const {name}: {} = {value};", ty.text()));
            self.declare(&name, ty).item();
        }
        self.view = view;
    }

    /// Writes a struct at the head of the function.
    pub(super) fn structure(&mut self) {
        let name = self.fresh("S");
        let fields: Vec<(String, Type)> = (0..self.between(1, 3))
            .map(|_| {
                let ty = match (self.structs.last().cloned(), self.once_in(4)) {
                    (Some(inner), true) => Type::Struct(inner),
                    _ => self.simple_type(),
                };
                (self.fresh("q"), ty)
            })
            .collect();
        self.line("#[derive(Clone, Copy)]");
        self.braces(format!("struct {name}"), "", |this| {
            for (field, ty) in &fields {
                this.line(format!("{field}: {},", ty.text()));
            }
        });
        self.structs.push(Rc::new(Struct { name, fields }));
    }

    /// Returns arithmetic that rustc can evaluate in a constant.
    fn constant_float(&mut self) -> String {
        let literal = self.literal();
        match self.existing(&|ty| *ty == Type::Float) {
            Some((constant, _)) if self.once_in(2) => {
                format!("{} * {} - 0.5", constant.at(Level::Sign), literal.text)
            }
            _ if self.once_in(3) => format!("-{}", literal.text),
            _ => literal.text,
        }
    }

    fn constant_floats(&mut self, length: usize) -> String {
        let elements: Vec<String> = (0..length).map(|_| self.literal().text).collect();
        format!("[{}]", elements.join(", "))
    }
}
