//! The constants and names of features.
//!
//! Their functions are computed together with those of [events](super::events), and follow them.

use super::{Capability, Fact, FactValue};
use crate::ast::FeatureKind;
use crate::elaborate::Featured;
use crate::graph::{Graph, Id};

/// Returns the numbers of features of each kind, as constants of the compiled loop.
pub(super) fn facts(features: &[Featured]) -> Vec<Fact> {
    let of = |kind| features.iter().filter(|feature| feature.kind == kind).count();
    let fact = |(name, kind)| Fact {
        capability: Capability::Events,
        name,
        value: FactValue::Count(of(kind)),
    };
    let kinds = [
        ("MAXIMA", FeatureKind::Maximum),
        ("MINIMA", FeatureKind::Minimum),
        ("INTEGRALS", FeatureKind::Integral),
        ("TIMES_POSITIVE", FeatureKind::TimePositive),
    ];
    // The loop has no code for systems without features.
    if features.is_empty() { Vec::new() } else { kinds.into_iter().map(fact).collect() }
}

/// Returns the functions of the features, in their order.
///
/// A minimum is the maximum of the negative function.
pub(super) fn values(graph: &mut Graph, features: &[Featured]) -> Vec<Id> {
    let value = |feature: &Featured| match feature.kind {
        FeatureKind::Minimum => graph.neg(feature.value),
        _ => feature.value,
    };
    features.iter().map(value).collect()
}

/// Returns the names of the results.
pub(super) fn names(features: &[Featured]) -> Vec<String> {
    let of = |feature: &Featured| {
        let name = feature.name.clone();
        feature.kind.results().iter().map(move |result| format!("{name}.{result}"))
    };
    features.iter().flat_map(of).collect()
}
