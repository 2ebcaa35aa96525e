//! Lists of numbers that are equal if their bits are equal.

use super::tree::to_bits;

/// A list of numbers.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(super) struct Numbers(
    #[cfg_attr(feature = "serde", serde(with = "super::stored::bits"))] pub(super) Vec<f64>,
);

impl PartialEq for Numbers {
    fn eq(&self, other: &Numbers) -> bool {
        let bits = |of: &Numbers| of.0.iter().map(|x| to_bits(*x)).collect::<Vec<_>>();
        bits(self) == bits(other)
    }
}
