//! The values to save, in files of options.

use crate::problem::options::Saving;
use crate::problem::which::Which;
use core::fmt;
use serde::de::{DeserializeSeed, Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

impl<'de> Deserialize<'de> for Saving {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Saved)
    }
}

struct Saved;

impl<'de> Visitor<'de> for Saved {
    type Value = Saving;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a `saving`: write \"states\", \"observables\", \"both\", a list such as \
             [\"x\", 2], or null",
        )
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Saving, E> {
        match word {
            "states" => Ok(Saving::States),
            "observables" => Ok(Saving::Observables),
            "both" => Ok(Saving::Both),
            _ => Err(E::invalid_value(Unexpected::Str(word), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Saving, A::Error> {
        let mut chosen = Vec::new();
        while let Some(component) = list.next_element_seed(Component)? {
            chosen.push(component);
        }
        Ok(Saving::Only(chosen))
    }
}

/// A component in a list of saved ones.
struct Component;

impl<'de> DeserializeSeed<'de> for Component {
    type Value = Which;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Which, D::Error> {
        from.deserialize_any(self)
    }
}

impl Visitor<'_> for Component {
    type Value = Which;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a component of `saving`: write a name such as \"x\", or an index such as 2")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Which, E> {
        Ok(Which::from(name))
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<Which, E> {
        let wrong = |_| E::invalid_value(Unexpected::Unsigned(index), &self);
        usize::try_from(index).map(Which::Index).map_err(wrong)
    }

    fn visit_i64<E: Error>(self, index: i64) -> Result<Which, E> {
        let wrong = |_| E::invalid_value(Unexpected::Signed(index), &self);
        usize::try_from(index).map(Which::Index).map_err(wrong)
    }
}
