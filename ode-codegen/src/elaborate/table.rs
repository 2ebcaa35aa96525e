//! Lookups in arrays, and constant arrays from outside the macro.
//!
//! The position of a lookup differs between lanes.
//!
//! A macro receives only the name of a constant from outside. Such a constant is one node of the
//! graph, for numbers and arrays alike. An index or a lookup shows that the constant is an array.
//! Unused nodes are not emitted.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::Elaborator;
use super::integer::Integer;
use super::place::Access;
use super::value::Value;
use crate::ast::{Expr, Interpolation};
use crate::graph::{Comparison, Graph, Id, Node, Unary};

/// A constant from outside the macro, or an element of such a constant.
#[derive(Clone, Debug)]
pub(crate) struct Outside {
    /// The last segment of its path.
    pub name: String,
    /// The constant as an expression for rustc.
    pub tokens: TokenStream,
}

impl Outside {
    pub(super) fn new(path: &syn::Path) -> Self {
        let name = path.segments.last().map(|segment| segment.ident.unraw().to_string());
        let name = name.unwrap_or_default();
        Outside { name, tokens: path.to_token_stream() }
    }
}

impl PartialEq for Outside {
    fn eq(&self, other: &Self) -> bool {
        self.tokens.to_string() == other.tokens.to_string()
    }
}

/// A number that only rustc can compute.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Constant {
    Value(Outside),
    /// The index of the last element of an array.
    Last(Outside),
}

/// A table that [`Node::Lookup`] reads.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Table {
    Known(Vec<f64>),
    Outside {
        array: Outside,
        /// Whether the table has one more entry at each end, as for cubic interpolation.
        extended: bool,
    },
    /// The nearest knot at which a table bends, for each knot of the table and one more.
    ///
    /// If `behind`, the nearest bend lies before the knot. Otherwise it lies at or after the knot.
    /// A cubic interpolation also bends at the neighbours of such a knot.
    Knots {
        of: Box<Table>,
        behind: bool,
        cubic: bool,
    },
}

impl Table {
    /// Returns the constant from outside that contains the entries.
    ///
    /// Returns `None` if the entries are literals.
    pub(crate) fn outside(&self) -> Option<&Outside> {
        match self {
            Table::Known(_) => None,
            Table::Outside { array, .. } => Some(array),
            Table::Knots { of, .. } => of.outside(),
        }
    }
}

/// The position of a table lookup.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    /// The position, which may be outside the table.
    pub at: Id,
    /// The index of the lookup: the integer part of the clamped position.
    ///
    /// For [`Knots::Abscissae`], the number of abscissae up to the position.
    pub whole: Id,
    pub knots: Knots,
}

/// The entries of a table at which its interpolation may bend.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Knots {
    /// All entries, up to and including this index.
    All(Id),
    /// The entries of this table that deviate from a straight line.
    Of { table: Table, cubic: bool },
    /// The abscissae of points, each with whether the values bend there.
    Abscissae(Vec<(f64, bool)>),
}

/// Returns the index of a table in `tables`, and adds the table if it is new.
pub(crate) fn number_of(tables: &mut Vec<Table>, table: Table) -> u32 {
    let known = tables.iter().position(|known| *known == table);
    let position = known.unwrap_or_else(|| {
        tables.push(table);
        tables.len() - 1
    });
    position as u32
}

/// The source of the entries around a position.
enum Entries {
    Table(u32),
    /// Entries that differ between lanes.
    ///
    /// Comparisons select an entry, so a lookup has derivatives by the entries.
    Lanes(Vec<Id>),
}

/// The maximal number of entries that differ between lanes.
///
/// The size of the selections and their derivatives is quadratic in this number.
const MOST_SELECTED: usize = 64;

impl<'a> Elaborator<'a, '_> {
    pub(super) fn constant(&mut self, constant: Constant) -> Id {
        let known = self.constants.iter().position(|known| *known == constant);
        let position = known.unwrap_or_else(|| {
            self.constants.push(constant);
            self.constants.len() - 1
        });
        self.graph.insert(Node::Constant(position as u32))
    }

    /// Returns the constant from outside that a value refers to.
    pub(super) fn outside(&self, value: &Value<'a>) -> Option<Outside> {
        let Value::Real(id) = value else { return None };
        let Node::Constant(position) = self.graph.node(*id) else { return None };
        match &self.constants[position as usize] {
            Constant::Value(outside) => Some(outside.clone()),
            Constant::Last(_) => None,
        }
    }

    /// Returns an element of a constant array from outside.
    ///
    /// rustc checks that the index is within the array.
    pub(super) fn outside_element(
        &mut self,
        expr: &Expr<'a>,
        mut array: Outside,
        steps: &[Access<'_, 'a>],
    ) -> Value<'a> {
        for step in steps {
            let Access::Index(index) = step else {
                return self.poison(
                    expr.id,
                    expr.syntax,
                    "the fields of a constant from outside are not known here: a macro sees only \
                     its name; declare a separate constant for the value",
                );
            };
            let Some(Integer { value, .. }) = self.known_index(index) else {
                return Value::Poison;
            };
            let Ok(position) = usize::try_from(value) else {
                let message = format!("index {value} is out of range: an index is never negative");
                return self.poison(index.id, index.syntax, message);
            };
            let mut position = Literal::usize_unsuffixed(position);
            position.set_span(index.syntax.span());
            array.tokens = element(expr, &array, position);
        }
        Value::Real(self.constant(Constant::Value(array)))
    }

    /// Returns an element of a constant array from outside, as [`outside_element`] does.
    ///
    /// [`outside_element`]: Self::outside_element
    pub(super) fn constant_element(&mut self, expr: &Expr<'a>, array: &Outside, at: usize) -> Id {
        let tokens = element(expr, array, Literal::usize_unsuffixed(at));
        self.constant(Constant::Value(Outside { name: array.name.clone(), tokens }))
    }

    /// Evaluates `interp_linear(table, position)` or `interp_cubic(table, position)`.
    pub(super) fn interpolate(
        &mut self,
        interpolation: Interpolation,
        (table, array): (&Expr<'a>, Value<'a>),
        (position, x): (&Expr<'a>, Value<'a>),
        name: &'a Ident,
    ) -> Value<'a> {
        if array == Value::Poison || x == Value::Poison {
            return Value::Poison;
        }
        let Value::Real(x) = x else {
            let message = format!(
                "the position in a table must be a float, found {}: the first entry is at 0.0, and \
                 the second at 1.0",
                x.describe()
            );
            return self.poison(position.id, position.syntax, message);
        };
        let cubic = interpolation == Interpolation::Cubic;
        let knots;
        let (entries, last) = if let Some(array) = self.outside(&array) {
            let last = self.constant(Constant::Last(array.clone()));
            let plain = Table::Outside { array: array.clone(), extended: false };
            knots = Knots::Of { table: plain, cubic };
            (Entries::Table(self.table(Table::Outside { array, extended: cubic })), last)
        } else {
            let floats = match &array {
                Value::Array(elements) => {
                    let real = |element: &Value<'a>| match element {
                        Value::Real(id) => Some(*id),
                        _ => None,
                    };
                    elements.iter().map(real).collect::<Option<Vec<Id>>>()
                }
                _ => None,
            };
            let Some(floats) = floats.filter(|floats| !floats.is_empty()) else {
                let message = format!(
                    "`{name}` needs an array of floats, found {}: write `{name}(&TABLE, x)`, with \
                     a constant or a variable `TABLE`",
                    array.describe()
                );
                return self.poison(table.id, table.syntax, message);
            };
            let last = self.graph.literal((floats.len() - 1) as f64);
            let values = floats.iter().map(|entry| self.graph.literal_value(*entry)).collect();
            knots = match values {
                Some(values) => Knots::Of { table: Table::Known(values), cubic },
                None => Knots::All(last),
            };
            let all = if cubic { self.graph.extended(floats) } else { floats };
            let known: Option<Vec<f64>> =
                all.iter().map(|entry| self.graph.literal_value(*entry)).collect();
            match known {
                Some(values) => (Entries::Table(self.table(Table::Known(values))), last),
                None if all.len() > MOST_SELECTED => {
                    let message = format!(
                        "`{name}` supports at most {MOST_SELECTED} values that differ between \
                         lanes, found {}: each value and its derivative are selected by \
                         comparisons; use fewer values, or a table of constants, which can have \
                         any length",
                        all.len()
                    );
                    return self.poison(table.id, table.syntax, message);
                }
                None => (Entries::Lanes(all), last),
            }
        };
        // For entries that differ between lanes, each lookup takes one selection per entry.
        self.operations += match &entries {
            Entries::Table(_) => 8,
            Entries::Lanes(all) => 8 + 5 * all.len() as u64,
        };
        let known = match &entries {
            Entries::Table(table) => match &self.tables[*table as usize] {
                Table::Known(values) => Some(values.clone()),
                Table::Outside { .. } | Table::Knots { .. } => None,
            },
            Entries::Lanes(_) => None,
        };
        let (whole, f) = self.graph.position(x, last);
        self.positions.push(Position { at: x, whole, knots });
        self.real(|graph| {
            let mut entry = |offset: usize| match &entries {
                Entries::Table(table) => {
                    let offset = graph.literal(offset as f64);
                    let index = graph.add(whole, offset);
                    graph.lookup(*table, known.as_deref(), index)
                }
                Entries::Lanes(all) => graph.selected(all, whole, offset),
            };
            if cubic {
                let entries = [entry(0), entry(1), entry(2), entry(3)];
                graph.cubic(entries, f)
            } else {
                let entries = [entry(0), entry(1)];
                graph.linear(entries, f)
            }
        })
    }

    fn table(&mut self, table: Table) -> u32 {
        number_of(&mut self.tables, table)
    }
}

/// Returns an element of a constant array as an expression for rustc.
fn element(expr: &Expr<'_>, array: &Outside, at: Literal) -> TokenStream {
    let tokens = &array.tokens;
    quote_spanned!(expr.syntax.span()=> #tokens[#at])
}

/// The arithmetic of `ode_core::system::table`, operation by operation.
impl Graph {
    /// Returns the index of the entry at or before `x`, and the distance of `x` from that index.
    ///
    /// `x` is first clamped to the table, and `last` is the index of the last entry.
    fn position(&mut self, x: Id, last: Id) -> (Id, Id) {
        let zero = self.literal(0.0);
        let x = self.clamped(x, zero, last);
        let whole = self.unary(Unary::Floor, x);
        (whole, self.sub(x, whole))
    }

    fn linear(&mut self, [a, b]: [Id; 2], f: Id) -> Id {
        let chord = self.sub(b, a);
        self.mul_add(f, chord, a)
    }

    fn cubic(&mut self, [p0, p1, p2, p3]: [Id; 4], f: Id) -> Id {
        let (a, b, c) = (self.sub(p1, p0), self.sub(p2, p1), self.sub(p3, p2));
        let (ab, cb) = (self.sub(a, b), self.sub(c, b));
        let cubic = self.add(ab, cb);
        let ba = self.sub(b, a);
        let square = self.sub(ba, cubic);
        let half = self.literal(0.5);
        let half = self.mul(half, f);
        let sum = self.add(a, b);
        let inner = self.mul_add(f, cubic, square);
        let inner = self.mul_add(f, inner, sum);
        self.mul_add(half, inner, p1)
    }

    /// Returns the entries with one additional entry at each end.
    fn extended(&mut self, entries: Vec<Id>) -> Vec<Id> {
        let before = self.beyond(entries.iter().copied());
        let after = self.beyond(entries.iter().rev().copied());
        [vec![before], entries, vec![after]].concat()
    }

    /// Returns the entry before the first one, by extrapolation.
    fn beyond(&mut self, mut entries: impl Iterator<Item = Id>) -> Id {
        match (entries.next(), entries.next(), entries.next()) {
            (Some(a), Some(b), third) => {
                let difference = self.sub(a, b);
                match third {
                    Some(c) => {
                        let twice = self.add(difference, difference);
                        let rest = self.add(difference, c);
                        self.add(twice, rest)
                    }
                    None => self.add(difference, a),
                }
            }
            (Some(only), ..) => only,
            (None, ..) => self.literal(0.0),
        }
    }

    /// Returns the entry `offset` after `whole`, or the last one.
    fn selected(&mut self, all: &[Id], whole: Id, offset: usize) -> Id {
        let last = all.len() - 1;
        let mut entry = all[offset.min(last)];
        for k in 1..all.len() - offset.min(last) {
            let bound = self.literal(k as f64);
            let reached = self.compare(Comparison::Ge, whole, bound);
            entry = self.choose(reached, all[k + offset], entry);
        }
        entry
    }

    /// Returns the entry of `table` at the integer `index`.
    ///
    /// `values` contains the entries, or is `None` if only rustc can compute them.
    pub(crate) fn lookup(&mut self, table: u32, values: Option<&[f64]>, index: Id) -> Id {
        match (values, self.literal_value(index)) {
            (Some(values), Some(index)) => {
                self.literal(values[(index as usize).min(values.len() - 1)])
            }
            _ => self.insert(Node::Lookup(table, index)),
        }
    }
}
