//! Integers: values known at compile time, with inferred types.
//!
//! At `i = 0`, `i - 1` is -1 for an `i32` and a panic for a `usize`. The type of `i` may only
//! follow from a later use, such as an index. This module therefore infers integer types like
//! rustc, by unification over the whole function. When the type of an expression is known, the
//! least and the greatest value of the expression are checked against this type.

use std::collections::BTreeMap;

use crate::ast::IntegerType;

/// A type variable of the inference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct TypeVar(usize);

/// An integer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Integer {
    pub value: i128,
    pub ty: TypeVar,
}

/// An operation whose result may overflow its type.
struct Checked<S> {
    ty: TypeVar,
    least: i128,
    greatest: i128,
    syntax: S,
}

/// The state of the inference. `S` is the type of the syntax that errors point at.
pub(super) struct Integers<S> {
    parents: Vec<TypeVar>,
    known: Vec<Option<IntegerType>>,
    /// One variable for each expression that introduces an integer.
    ///
    /// All rounds of enclosing loops share the variable.
    introduced: BTreeMap<u32, TypeVar>,
    checked: BTreeMap<u32, Checked<S>>,
}

/// A result that overflows its type.
pub(super) struct Overflow<S> {
    pub position: u32,
    pub value: i128,
    pub ty: IntegerType,
    pub syntax: S,
}

impl<S> Integers<S> {
    pub(super) fn new() -> Self {
        Integers {
            parents: Vec::new(),
            known: Vec::new(),
            introduced: BTreeMap::new(),
            checked: BTreeMap::new(),
        }
    }

    fn fresh(&mut self) -> TypeVar {
        let var = TypeVar(self.parents.len());
        self.parents.push(var);
        self.known.push(None);
        var
    }

    fn root(&mut self, mut var: TypeVar) -> TypeVar {
        while self.parents[var.0] != var {
            self.parents[var.0] = self.parents[self.parents[var.0].0];
            var = self.parents[var.0];
        }
        var
    }

    /// Returns the integer that expression `id` introduces.
    pub(super) fn introduce(&mut self, id: u32, value: i128, ty: Option<IntegerType>) -> Integer {
        let var = match self.introduced.get(&id) {
            Some(&var) => var,
            None => {
                let var = self.fresh();
                self.introduced.insert(id, var);
                var
            }
        };
        if let Some(ty) = ty {
            self.bind(var, ty);
        }
        Integer { value, ty: var }
    }

    /// Returns an integer of a known type that no expression introduces.
    pub(super) fn fresh_of(&mut self, value: i128, ty: IntegerType) -> Integer {
        let var = self.fresh();
        self.bind(var, ty);
        Integer { value, ty: var }
    }

    /// Records that both have the same type. rustc reports conflicts.
    pub(super) fn unify(&mut self, a: TypeVar, b: TypeVar) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents[b.0] = a;
            self.known[a.0] = self.known[a.0].or(self.known[b.0]);
        }
    }

    /// Records that the type is `ty`.
    pub(super) fn bind(&mut self, var: TypeVar, ty: IntegerType) {
        let root = self.root(var);
        self.known[root.0].get_or_insert(ty);
    }

    /// Returns the type if it is known and differs from `ty`.
    pub(super) fn other_than(&mut self, var: TypeVar, ty: IntegerType) -> Option<IntegerType> {
        let root = self.root(var);
        self.known[root.0].filter(|known| *known != ty)
    }

    /// Records the result of an operation, which is checked when its type is known.
    pub(super) fn check(&mut self, id: u32, result: Integer, syntax: S) {
        let Integer { value, ty } = result;
        let checked =
            self.checked.entry(id).or_insert(Checked { ty, least: value, greatest: value, syntax });
        checked.least = checked.least.min(value);
        checked.greatest = checked.greatest.max(value);
    }

    /// Returns whether an operation other than `id` gave a negative integer of this type.
    pub(super) fn was_negative(&mut self, ty: TypeVar, id: u32) -> bool {
        let ty = self.root(ty);
        let negative = self.checked.iter().filter(|(other, of)| **other != id && of.least < 0);
        let types: Vec<TypeVar> = negative.map(|(_, of)| of.ty).collect();
        types.into_iter().any(|of| self.root(of) == ty)
    }

    /// Returns all results that overflow; an unknown type is `i32`, as in Rust.
    pub(super) fn overflows(mut self) -> Vec<Overflow<S>> {
        let roots: Vec<TypeVar> =
            (0..self.parents.len()).map(|var| self.root(TypeVar(var))).collect();
        let mut overflows = Vec::new();
        for (position, Checked { ty, least, greatest, syntax }) in self.checked {
            let ty = self.known[roots[ty.0].0].unwrap_or(IntegerType::I32);
            let (min, max) = range(ty);
            if least < min || greatest > max {
                let value = if least < min { least } else { greatest };
                overflows.push(Overflow { position, value, ty, syntax });
            }
        }
        overflows
    }
}

/// Returns the least and the greatest value of a type.
///
/// The range of `u128` ends at the greatest `i128`.
fn range(ty: IntegerType) -> (i128, i128) {
    let magnitude_bits = ty.bits - u32::from(ty.signed);
    let max = if magnitude_bits >= 127 { i128::MAX } else { (1 << magnitude_bits) - 1 };
    (if ty.signed { -max - 1 } else { 0 }, max)
}

/// Computes `value as ty`: the low bits.
pub(super) fn wrap(value: i128, ty: IntegerType) -> i128 {
    if ty.bits == 128 {
        return value;
    }
    let modulus = 1_i128 << ty.bits;
    let low = value.rem_euclid(modulus);
    if ty.signed && low >= modulus / 2 { low - modulus } else { low }
}

/// Computes `value as ty` for a float.
///
/// The value is rounded towards zero, and clamped to the range of the type.
pub(super) fn saturate(value: f64, ty: IntegerType) -> i128 {
    let (min, max) = range(ty);
    (value as i128).clamp(min, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts_keep_the_low_bits_as_rustc_does() {
        let byte = IntegerType::from_name("u8").unwrap();
        let signed = IntegerType::from_name("i8").unwrap();
        for value in [-300_i128, -129, -1, 0, 127, 128, 255, 256, 1000] {
            assert_eq!(wrap(value, byte), i128::from(value as u8));
            assert_eq!(wrap(value, signed), i128::from(value as i8));
            assert_eq!(wrap(value, IntegerType::USIZE), i128::from(value as u64));
        }
    }

    #[test]
    fn casts_of_floats_saturate_as_in_rustc() {
        let byte = IntegerType::from_name("u8").unwrap();
        for value in [-1.0, -0.5, 0.0, 2.9, 255.5, 1e300, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(saturate(value, byte), i128::from(value as u8));
            assert_eq!(saturate(value, IntegerType::I32), i128::from(value as i32));
            assert_eq!(saturate(value, IntegerType::USIZE), i128::from(value as u64));
        }
    }

    #[test]
    fn ranges_are_those_of_rust() {
        let of = |name| range(IntegerType::from_name(name).unwrap());
        assert_eq!(of("u8"), (0, 255));
        assert_eq!(of("i32"), (i128::from(i32::MIN), i128::from(i32::MAX)));
        assert_eq!(of("usize"), (0, i128::from(u64::MAX)));
        assert_eq!(of("i128"), (i128::MIN, i128::MAX));
    }

    #[test]
    fn a_later_use_decides_the_type() {
        let mut integers = Integers::new();
        let i = integers.introduce(0, 0, None);
        let one = integers.introduce(1, 1, None);
        integers.unify(i.ty, one.ty);
        integers.check(2, Integer { value: -1, ty: i.ty }, "i - 1");
        integers.bind(one.ty, IntegerType::USIZE);
        let overflows = integers.overflows();
        assert_eq!(overflows.len(), 1);
        assert_eq!((overflows[0].value, overflows[0].syntax), (-1, "i - 1"));

        let mut integers = Integers::new();
        let i = integers.introduce(0, 0, None);
        integers.check(2, Integer { value: -1, ty: i.ty }, "i - 1");
        assert!(integers.overflows().is_empty(), "an i32 may be negative");
    }
}
