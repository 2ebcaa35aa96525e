//! Rust types and generic parameters as C++.

use syn::{Expr, GenericArgument, GenericParam, PathArguments, Type};

use super::items::Printer;
use super::names::mangle;

/// The traits whose static functions belong to a class template of the prelude: `Real<R>::lit`.
///
/// A parameter with any other bound is a struct with static members.
pub(super) const CLASS_TRAITS: &[&str] = &["Real", "Bits", "Mask"];

/// The meaning of `T::f`, by the bounds of a type parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parameter {
    /// `Real<T>::f`.
    Class(String),
    /// `T::f`.
    Struct,
    /// A const parameter.
    Const,
}

impl Printer {
    /// Returns `template<class R, int N>` and records the kinds of the parameters.
    ///
    /// The text is empty without parameters.
    pub(super) fn template(&mut self, generics: &syn::Generics) -> String {
        let mut parts = Vec::new();
        for parameter in &generics.params {
            match parameter {
                GenericParam::Type(ty) => {
                    let class = ty.bounds.iter().find_map(|bound| match bound {
                        syn::TypeParamBound::Trait(t) => {
                            let name = t.path.segments.last()?.ident.to_string();
                            CLASS_TRAITS.contains(&name.as_str()).then_some(name)
                        }
                        _ => None,
                    });
                    let kind = class.map_or(Parameter::Struct, Parameter::Class);
                    self.parameters.insert(ty.ident.to_string(), kind);
                    parts.push(format!("class {}", mangle(&ty.ident.to_string())));
                }
                GenericParam::Const(c) => {
                    self.parameters.insert(c.ident.to_string(), Parameter::Const);
                    let ty = self.ty(&c.ty);
                    parts.push(format!("{ty} {}", mangle(&c.ident.to_string())));
                }
                GenericParam::Lifetime(l) => {
                    self.error(l, "lifetimes cannot be translated; pass values, or `&` parameters");
                }
            }
        }
        if let Some(clause) = &generics.where_clause {
            self.error(clause, "a `where` clause cannot be translated; write the bound in `<…>`");
        }
        if parts.is_empty() { String::new() } else { format!("template<{}> ", parts.join(", ")) }
    }

    /// Returns a type as a C++ type. Only [`Printer::parameter`] accepts references.
    pub(super) fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Paren(inner) => self.ty(&inner.elem),
            Type::Array(array) => {
                let element = self.ty(&array.elem);
                let length = self.const_expr(&array.len);
                format!("Arr<{element}, {length}>")
            }
            Type::Path(path) => self.path_type(path),
            Type::Reference(_) => {
                self.error(ty, "references are accepted only as parameters of functions");
                String::new()
            }
            Type::Tuple(t) if t.elems.is_empty() => "void".to_string(),
            Type::Tuple(_) => {
                self.error(ty, "tuples cannot be translated; declare a struct");
                String::new()
            }
            _ => {
                self.error(ty, "this type cannot be translated; use numbers, arrays and structs");
                String::new()
            }
        }
    }

    fn path_type(&mut self, path: &syn::TypePath) -> String {
        let segments: Vec<_> = path.path.segments.iter().collect();
        if let Some(q) = &path.qself {
            // `<X as Trait>::Name`
            let inner = self.ty(&q.ty);
            return match (segments.get(q.position.wrapping_sub(1)), segments.last()) {
                // The type of a member, `<S::Noise as Noise<N, P>>::Wiener<R>`.
                (Some(tr), Some(name))
                    if !CLASS_TRAITS.contains(&tr.ident.to_string().as_str()) =>
                {
                    let member = mangle(&name.ident.to_string());
                    match self.generic_arguments(&name.arguments) {
                        none if none.is_empty() => format!("{inner}::{member}"),
                        arguments => format!("{inner}::template {member}{arguments}"),
                    }
                }
                (Some(tr), Some(name)) => {
                    format!("typename {}<{inner}>::{}", tr.ident, mangle(&name.ident.to_string()))
                }
                _ => {
                    self.error(path, "write the trait: `<R as Real>::Bits`");
                    String::new()
                }
            };
        }
        if let [first, name_segment] = segments[..]
            && let Some(kind) = self.parameters.get(&first.ident.to_string()).cloned()
        {
            let (first, name) =
                (mangle(&first.ident.to_string()), mangle(&name_segment.ident.to_string()));
            let arguments = self.generic_arguments(&name_segment.arguments);
            return match kind {
                Parameter::Class(class) => format!("typename {class}<{first}>::{name}"),
                _ if arguments.is_empty() => format!("typename {first}::{name}"),
                _ => format!("typename {first}::template {name}{arguments}"),
            };
        }
        let Some(last) = segments.last() else { return String::new() };
        let simple = last.ident.to_string();
        let name = match simple.as_str() {
            "f64" => "double".to_string(),
            "f32" => "float".to_string(),
            "usize" => "int".to_string(),
            "bool" | "u32" | "u64" | "i32" => simple,
            "u8" | "u16" | "i8" | "i16" | "i64" | "isize" | "u128" | "i128" => {
                self.error(last, "this integer type behaves differently in C++; use u32 or u64");
                simple
            }
            _ => self.item_path(&path.path),
        };
        name + &self.generic_arguments(&last.arguments)
    }

    /// Returns `::<A, B>` as `<A, B>`.
    pub(super) fn generic_arguments(&mut self, arguments: &PathArguments) -> String {
        match arguments {
            PathArguments::None => String::new(),
            PathArguments::AngleBracketed(args) => {
                let args: Vec<String> = args
                    .args
                    .iter()
                    .map(|a| match a {
                        GenericArgument::Type(Type::Path(t))
                            if t.qself.is_none() && t.path.get_ident().is_some() =>
                        {
                            // A single identifier may be a const parameter: print it unchanged.
                            let ident = t.path.get_ident().map(ToString::to_string);
                            let ident = ident.unwrap_or_default();
                            match self.parameters.get(&ident) {
                                Some(_) => mangle(&ident),
                                None => self.path_type(t),
                            }
                        }
                        GenericArgument::Type(Type::Infer(t)) => {
                            self.error(
                                t,
                                "write all generic arguments or none; `_` has no C++ form",
                            );
                            String::new()
                        }
                        GenericArgument::Type(t) => self.ty(t),
                        GenericArgument::Const(e) => self.const_expr(e),
                        other => {
                            self.error(other, "this generic argument cannot be translated");
                            String::new()
                        }
                    })
                    .collect();
                format!("<{}>", args.join(", "))
            }
            PathArguments::Parenthesized(args) => {
                self.error(args, "function types cannot be translated");
                String::new()
            }
        }
    }

    /// Returns a parameter's type: `&T` is `const T&`, `&mut T` is `T&`.
    pub(super) fn parameter_type(&mut self, ty: &Type) -> String {
        match ty {
            Type::Reference(reference) => {
                let inner = self.ty(&reference.elem);
                if reference.mutability.is_some() {
                    format!("{inner}&")
                } else {
                    format!("const {inner}&")
                }
            }
            other => self.ty(other),
        }
    }

    /// Returns the element type and extents of a (nested) array type.
    ///
    /// `[[f64; 6]; 7]` is `double`, `[7][6]`.
    pub(super) fn array_of(&mut self, ty: &Type) -> (String, String) {
        match ty {
            Type::Array(array) => {
                let length = self.const_expr(&array.len);
                let (element, inner) = self.array_of(&array.elem);
                (element, format!("[{length}]{inner}"))
            }
            other => (self.ty(other), String::new()),
        }
    }

    /// Returns a constant expression: literals, const parameters, arithmetic of them.
    pub(super) fn const_expr(&mut self, expr: &Expr) -> String {
        if !self.is_constant(expr) {
            self.error(expr, "expected a literal, a constant or a const parameter here");
        }
        self.expr(expr)
    }
}
