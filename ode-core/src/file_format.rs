//! Values in files of options, as a person would write them.
//!
//! Each visitor contains the text that an error prints behind `expected`. The text names the option
//! and gives the values to write, because errors of some formats do not name it.

use core::fmt;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, SeqAccess, Unexpected, Visitor};

/// A visitor that is its own seed, with its text.
macro_rules! seeds {
    ($($visitor:ident $(<$T:ident>)? -> $Value:ty;)*) => { $(
        impl<'de $(, $T: Copy + 'static)?> DeserializeSeed<'de> for $visitor $(<$T>)? {
            type Value = $Value;

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<$Value, D::Error> {
                from.deserialize_any(self)
            }
        }
    )* };
}
seeds! {
    Number -> f64;
    List -> Vec<f64>;
    WholeNumber -> u32;
    Flag -> bool;
    OneOf<T> -> T;
}

/// A number, with or without a fraction.
pub(crate) struct Number(pub &'static str);

impl Visitor<'_> for Number {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }
}

/// A list of numbers.
pub(crate) struct List(pub &'static str);

impl<'de> Visitor<'de> for List {
    type Value = Vec<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<f64>, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = list.next_element_seed(Number(self.0))? {
            numbers.push(number);
        }
        Ok(numbers)
    }
}

/// A whole number, which may be written as `1e5`.
pub(crate) struct WholeNumber(pub &'static str);

impl Visitor<'_> for WholeNumber {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<u32, E> {
        let wrong = |_| E::invalid_value(Unexpected::Unsigned(count), &self);
        u32::try_from(count).map_err(wrong)
    }

    fn visit_i64<E: Error>(self, count: i64) -> Result<u32, E> {
        let wrong = |_| E::invalid_value(Unexpected::Signed(count), &self);
        u32::try_from(count).map_err(wrong)
    }

    fn visit_f64<E: Error>(self, count: f64) -> Result<u32, E> {
        match count.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&count) {
            true => Ok(count as u32),
            false => Err(E::invalid_value(Unexpected::Float(count), &self)),
        }
    }
}

/// A whole number of 64 bits.
pub(crate) struct Seed(pub &'static str);

impl Visitor<'_> for Seed {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_u64<E: Error>(self, seed: u64) -> Result<u64, E> {
        Ok(seed)
    }

    fn visit_i64<E: Error>(self, seed: i64) -> Result<u64, E> {
        u64::try_from(seed).map_err(|_| E::invalid_value(Unexpected::Signed(seed), &self))
    }
}

/// `true` or `false`.
pub(crate) struct Flag(pub &'static str);

impl Visitor<'_> for Flag {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<bool, E> {
        Ok(flag)
    }
}

/// One of some words, each with its value.
pub(crate) struct OneOf<T: 'static>(pub &'static str, pub &'static [(&'static str, T)]);

impl<T: Copy> Visitor<'_> for OneOf<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<T, E> {
        match self.1.iter().find(|(name, _)| *name == word) {
            Some((_, value)) => Ok(*value),
            None => Err(E::invalid_value(Unexpected::Str(word), &self)),
        }
    }
}

/// A value, or `null`.
pub(crate) struct Nullable<V>(pub V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Nullable<V> {
    type Value = Option<V::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<Self::Value, D::Error> {
        some.deserialize_any(self.0).map(Some)
    }
}
