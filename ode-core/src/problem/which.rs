//! Components by name or by index.

use core::fmt;

/// A component: its name (`"beta"`), or its index.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
#[non_exhaustive]
pub enum Which {
    /// The name of the component in the function or the module.
    ///
    /// If components have no names, they are `"p0"`, `"u0"`, …
    Name(String),
    /// The index of the component, from 0.
    Index(usize),
}

impl Which {
    /// Returns the index of the component among `names`.
    pub(crate) fn among<'a>(&self, names: impl ExactSizeIterator<Item = &'a str>) -> Option<usize> {
        let mut names = names;
        match self {
            Which::Index(index) => (*index < names.len()).then_some(*index),
            Which::Name(name) => names.position(|known| known == name),
        }
    }
}

impl From<&str> for Which {
    fn from(name: &str) -> Self {
        Which::Name(name.to_owned())
    }
}

impl From<String> for Which {
    fn from(name: String) -> Self {
        Which::Name(name)
    }
}

impl From<usize> for Which {
    fn from(index: usize) -> Self {
        Which::Index(index)
    }
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Which::Name(name) => write!(f, "`{name}`"),
            Which::Index(index) => write!(f, "with index {index}"),
        }
    }
}
