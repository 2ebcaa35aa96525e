//! Ranges, arrays and iterators: the sources of loops and sums.

use super::expr::{Expr, Level};
use super::types::{Parameter, Type, View};
use super::{Form, Generator, form};

/// The item type of an iterator.
#[derive(Clone)]
enum Item {
    One { ty: Type, reference: bool },
    Pair(Box<Item>, Box<Item>),
}

/// An iterator.
pub(super) struct Iterator {
    text: String,
    item: Item,
    /// The number of items.
    count: usize,
    /// Whether it is a range, which needs parentheses before a method.
    range: bool,
    /// Whether its length is known, as `rev` after `enumerate` requires.
    exact: bool,
    /// Whether it has methods: an array can only be looped over.
    methods: bool,
}

/// The possible sources.
const ITERATORS: &[Form<Iterator>] =
    &[form(10, range), form(5, signed_range), form(12, elements), form(5, array)];

impl Iterator {
    fn chained(self, method: &str) -> Iterator {
        let text = match self.range {
            true => format!("({}).{method}", self.text),
            false => format!("{}.{method}", self.text),
        };
        Iterator { text, range: false, ..self }
    }
}

impl Generator {
    /// Returns an iterator with some methods.
    fn iterator(&mut self, methods: bool) -> Iterator {
        let mut iterator = self.any(ITERATORS);
        while methods && !iterator.methods {
            iterator = self.any(ITERATORS);
        }
        if !iterator.methods {
            return iterator;
        }
        for _ in 0..self.below(3) {
            iterator = self.adapted(iterator);
        }
        iterator
    }

    fn adapted(&mut self, iterator: Iterator) -> Iterator {
        let count = iterator.count;
        match self.below(7) {
            0 if iterator.exact || iterator.range => iterator.chained("rev()"),
            1 => {
                let step = self.between(1, 3) as usize;
                let count = count.div_ceil(step);
                Iterator { count, ..iterator.chained(&format!("step_by({step})")) }
            }
            2 if count > 1 => Iterator { count: count - 1, ..iterator.chained("skip(1)") },
            3 => {
                let most = self.between(1, 3) as usize;
                Iterator { count: count.min(most), ..iterator.chained(&format!("take({most})")) }
            }
            4 => {
                let index = Item::One { ty: Type::index(count.max(1)), reference: false };
                let item = Item::Pair(Box::new(index), Box::new(iterator.item.clone()));
                Iterator { item, ..iterator.chained("enumerate()") }
            }
            5 => {
                let other = self.any(ITERATORS);
                let item = Item::Pair(Box::new(iterator.item.clone()), Box::new(other.item));
                let (count, exact) = (count.min(other.count), iterator.exact && other.exact);
                let zipped = iterator.chained(&format!("zip({})", other.text));
                Iterator { item, count, exact, ..zipped }
            }
            _ => iterator,
        }
    }

    /// Returns a pattern for the items of an iterator.
    fn item_pattern(&mut self, item: &Item) -> String {
        match item {
            Item::One { ty: ty @ Type::Integer(..), reference: false } => {
                let name = if self.once_in(8) { return "_".to_owned() } else { self.fresh("i") };
                self.declare(&name, ty.clone()).typed = false;
                name
            }
            Item::One { ty, reference } => self.pattern(ty, *reference),
            Item::Pair(a, b) => format!("({}, {})", self.item_pattern(a), self.item_pattern(b)),
        }
    }

    /// Writes a `for` loop.
    pub(super) fn for_loop(&mut self, body: impl FnOnce(&mut Self)) {
        self.depth = 2;
        let iterator = self.iterator(false);
        let outside = self.variables.len();
        let label = self.label();
        let frozen = self.freeze(&iterator.text);
        self.repeated(iterator.count as u64, |this| {
            let pattern = this.item_pattern(&iterator.item);
            let head = format!("{label}for {pattern} in {}", iterator.text);
            this.braces(head, "", body);
        });
        self.variables.truncate(outside);
        for index in frozen {
            self.variables[index].mutable();
        }
    }

    /// Returns the sum, the product or another accumulation of an iterator's items.
    pub(super) fn accumulated(&mut self) -> Option<Expr> {
        let iterator = self.deeper(|this| this.iterator(true));
        let plain = matches!(&iterator.item, Item::One { ty: Type::Float, .. });
        self.spend(iterator.count as u64);
        let which = if self.once_in(4) { "product" } else { "sum" };
        if plain && self.once_in(3) {
            return Some(Expr::whole(iterator.chained(&format!("{which}::<f64>()")).text));
        }
        let rounds = iterator.count as u64;
        Some(Expr::whole(match self.once_in(4) {
            true => {
                let first = self.typed_float();
                let sum = self.fresh("sum");
                let function = self.closure_of(rounds, |this| {
                    this.declare(&sum, Type::Float);
                    let pattern = this.item_pattern(&iterator.item);
                    let value = this.typed_float();
                    format!("|{sum}, {pattern}| 0.5 * {sum} + {}", value.at(Level::Product))
                });
                iterator.chained(&format!("fold({}, {function})", first.text)).text
            }
            false => {
                let function = self.closure_of(rounds, |this| {
                    let pattern = this.item_pattern(&iterator.item);
                    format!("|{pattern}| {}", this.typed_float().text)
                });
                iterator.chained(&format!("map({function}).{which}::<f64>()")).text
            }
        }))
    }

    /// Returns a closure at its place of use.
    fn closure_of(&mut self, rounds: u64, write: impl FnOnce(&mut Self) -> String) -> String {
        let (outside, view) = (self.variables.len(), self.view);
        if view == View::All {
            self.view = View::Copies;
        }
        let text = self.repeated(rounds, write);
        self.view = view;
        self.variables.truncate(outside);
        text
    }

    /// Returns an array made from another, or by a function of the index; its type must be written.
    pub(super) fn made_array(&mut self) -> (String, Type) {
        let floats = |ty: &Type| matches!(ty, Type::Array(..));
        if self.once_in(2)
            && let Some((array, Type::Array(element, length))) = self.existing(&floats)
        {
            let parameter = Parameter { ty: (*element).clone(), reference: false };
            let named = self.function_from(&[parameter], &Type::Float);
            let function = match (named, self.once_in(2)) {
                (Some(function), true) => function,
                _ => self.closure_of(length as u64, |this| {
                    let pattern = this.pattern(&element, false);
                    format!("|{pattern}| {}", this.typed_float().text)
                }),
            };
            return (format!("{}.map({function})", array.receiver()), Type::floats(length));
        }
        if self.once_in(3) {
            let length = self.between(1, 4) as usize;
            let function = self.closure_of(length as u64, |this| {
                let i = this.fresh("i");
                this.declare(&i, Type::index(length));
                format!("|{i}| {}", this.typed_float().text)
            });
            let text = format!("std::array::from_fn::<f64, {length}, _>({function})");
            return (text, Type::floats(length));
        }
        let (rows, columns) = (self.between(1, 4) as usize, self.between(1, 3) as usize);
        let matrix = self.once_in(3);
        let ty = match matrix {
            true => Type::Array(Box::new(Type::floats(columns)), rows),
            false => Type::floats(rows),
        };
        let function = self.closure_of(rows as u64, |this| {
            let i = this.fresh("i");
            this.declare(&i, Type::index(rows));
            let value = match matrix {
                true => {
                    let inner = this.closure_of(columns as u64, |this| {
                        let j = this.fresh("j");
                        this.declare(&j, Type::index(columns));
                        format!("|{j}| {}", this.typed_float().text)
                    });
                    format!("std::array::from_fn({inner})")
                }
                false => this.typed_float().text,
            };
            format!("|{i}| {value}")
        });
        (format!("std::array::from_fn({function})"), ty)
    }
}

fn range(generator: &mut Generator) -> Option<Iterator> {
    let (first, count) = (generator.between(0, 2), generator.between(1, 4));
    let end = first + count;
    let item = Item::One { ty: Type::Integer("usize", first, end - 1), reference: false };
    // A literal leaves the type open; a length does not.
    let end_text =
        match generator.existing(&|ty| matches!(ty, Type::Array(_, n) if *n as i64 == end)) {
            Some((array, _)) if generator.once_in(3) => format!("{}.len()", array.receiver()),
            _ if generator.once_in(3) => format!("{end}_usize"),
            _ => format!("{end}"),
        };
    let (text, exact) = match generator.once_in(4) {
        true => (format!("{first}..={}", end - 1), false),
        false => (format!("{first}..{end_text}"), true),
    };
    Some(Iterator { text, item, count: count as usize, range: true, exact, methods: true })
}

fn signed_range(generator: &mut Generator) -> Option<Iterator> {
    let (first, count) = (generator.between(-3, 1), generator.between(1, 4));
    let (last, end) = (first + count - 1, first + count);
    let item = Item::One { ty: Type::Integer("i32", first, last), reference: false };
    let (text, exact) = match generator.once_in(2) {
        true => (format!("{first}..={last}_i32"), false),
        false => (format!("{first}..{end}_i32"), true),
    };
    Some(Iterator { text, item, count: count as usize, range: true, exact, methods: true })
}

fn elements(generator: &mut Generator) -> Option<Iterator> {
    let (array, ty) = generator.existing(&|ty| matches!(ty, Type::Array(..)))?;
    let Type::Array(element, count) = ty else { return None };
    // A value that is not a reference is moved into an iterator.
    let owned = array.level == Level::Whole && !array.text.starts_with("C");
    if owned && generator.once_in(4) && array.text != "u" && array.text != "p" {
        let text = format!("{}.into_iter()", array.text);
        let item = Item::One { ty: *element, reference: false };
        return Some(Iterator { text, item, count, range: false, exact: true, methods: true });
    }
    let (method, reference) = *generator.choose(&[
        ("iter()", true),
        ("iter()", true),
        ("iter().copied()", false),
        ("iter().cloned()", false),
    ]);
    let text = format!("{}.{method}", array.receiver());
    let item = Item::One { ty: *element, reference };
    Some(Iterator { text, item, count, range: false, exact: true, methods: true })
}

fn array(generator: &mut Generator) -> Option<Iterator> {
    let (array, ty) = generator.existing(&|ty| matches!(ty, Type::Array(..)))?;
    let Type::Array(element, count) = ty else { return None };
    let borrowed = generator.once_in(2);
    let text = match (borrowed, array.level) {
        (false, _) => array.text,
        // A reference is iterated directly, except the derivatives, which would be moved.
        (true, Level::Sign) if array.text != "*du" => array.receiver(),
        (true, _) => format!("&{}", array.at(Level::Sign)),
    };
    let item = Item::One { ty: *element, reference: borrowed };
    Some(Iterator { text, item, count, range: false, exact: true, methods: false })
}
