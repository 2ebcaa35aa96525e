//! Features: numbers of a trajectory that are computed while it is solved.

use proc_macro2::Ident;

/// A reduction of a function over the time of a trajectory.
///
/// The order of the variants is the order of the results.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FeatureKind {
    Maximum,
    Minimum,
    Integral,
    /// The time for which the function is positive.
    TimePositive,
}

impl FeatureKind {
    pub(crate) const ALL: [FeatureKind; 4] = [
        FeatureKind::Maximum,
        FeatureKind::Minimum,
        FeatureKind::Integral,
        FeatureKind::TimePositive,
    ];

    /// Returns the word of the attribute.
    pub(crate) fn word(self) -> &'static str {
        match self {
            FeatureKind::Maximum => "maximum",
            FeatureKind::Minimum => "minimum",
            FeatureKind::Integral => "integral",
            FeatureKind::TimePositive => "time_positive",
        }
    }

    /// Returns the names of the results, in their order.
    ///
    /// The name of the function precedes them.
    pub(crate) fn results(self) -> &'static [&'static str] {
        match self {
            FeatureKind::Maximum => &["maximum", "time_of_maximum"],
            FeatureKind::Minimum => &["minimum", "time_of_minimum"],
            FeatureKind::Integral => &["integral"],
            FeatureKind::TimePositive => &["time_positive"],
        }
    }
}

/// A function with features.
pub(crate) struct Feature<'a> {
    /// The name of the function.
    pub name: &'a Ident,
    pub kinds: Vec<FeatureKind>,
}
