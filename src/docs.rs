//! The guides of the repository, as pages.
//!
//! Figures are in the repository only.

// Each page is a file of the repository. The file links to other files by reference
// (`[text][label]`), and defines its labels at its end. In Markdown, the first definition of a
// label counts. So each module begins with definitions that link to other modules.

/// [events]: crate::docs::events
/// [features]: crate::docs::features
/// [modes]: crate::docs::events#modes
/// [log]: crate::docs::events#the-log
/// [array-on-a-gpu]: crate::docs::arrays#one-large-system-on-a-gpu
/// [clusters]: crate::docs::clusters
/// [time-limit]: crate::docs::clusters#the-time-limit-of-a-job
/// [primer]: crate::docs::primer
/// [outside]: crate::docs::outside
/// [results-files]: crate::docs::results_files
/// [from-sciml]: crate::docs::from_sciml
/// [gradients]: crate::docs::gradients
/// [what-a-success-means]: crate::docs::what_success_means
/// [choosing-a-method]: crate::docs::choosing_a_method
/// [doses]: crate#doses-pulses-and-switches
/// [scaling]: crate::docs::scaling
/// [module]: crate#what-a-right-hand-side-may-contain
///
#[doc = include_str!("../docs/getting-started.md")]
pub mod getting_started {}

/// [getting-started]: crate::docs::getting_started
/// [events]: crate::docs::events
/// [events-at]: crate::docs::events#actions-at-given-times
/// [events-modes]: crate::docs::events#modes
///
// The programs of the page write files, which needs the feature.
#[cfg(any(not(doctest), feature = "save"))]
#[doc = include_str!("../docs/primer.md")]
pub mod primer {}

/// [files]: crate::docs::getting_started#files
///
// The programs of the page write files, which needs the feature.
#[cfg(any(not(doctest), feature = "save"))]
#[doc = include_str!("../docs/outside.md")]
pub mod outside {}

/// [clusters]: crate::docs::clusters#the-folder
/// [features]: crate::docs::features
/// [modes]: crate::docs::events#modes
/// [outside]: crate::docs::outside
/// [saving]: crate::docs::results#saving-and-output
/// [many]: crate::docs::getting_started#many-problems
/// [reductions]: crate::docs::reductions
/// [shards]: crate::docs::getting_started#on-several-machines
///
// The programs of the page write files, which needs the feature.
#[cfg(any(not(doctest), feature = "save"))]
#[doc = include_str!("../docs/results-files.md")]
pub mod results_files {}

/// [arrays]: crate::docs::arrays
/// [clusters]: crate::docs::clusters
/// [events]: crate::docs::events
/// [features]: crate::docs::features
/// [gradients]: crate::docs::gradients
/// [jumps]: crate::docs::jumps
/// [noise]: crate::docs::noise
/// [reductions]: crate::docs::reductions
/// [closures]: crate::docs::reductions#closures
/// [sensitivity]: crate::docs::sensitivity
/// [watch]: crate::docs::getting_started#watch-and-stop-a-solve
///
#[doc = include_str!("../docs/from-sciml.md")]
pub mod from_sciml {}

/// [noise]: crate::docs::noise
/// [noise-paths]: crate::docs::noise#paths
/// [log]: crate::docs::events#the-log
/// [modes]: crate::docs::events#modes
/// [events-jumps]: crate::docs::events#jumps
/// [step-sizes]: crate::docs::events#step-sizes
///
#[doc = include_str!("../docs/jumps.md")]
pub mod jumps {}

/// [events]: crate::docs::events
/// [noise]: crate::docs::noise
///
#[doc = include_str!("../docs/gradients.md")]
pub mod gradients {}

/// [clusters]: crate::docs::clusters
/// [features]: crate::docs::features
/// [folder]: crate::docs::clusters#the-folder
/// [log]: crate::docs::events#the-log
///
#[doc = include_str!("../docs/reductions.md")]
pub mod reductions {}

/// [clusters]: crate::docs::clusters
/// [reductions]: crate::docs::reductions
///
#[doc = include_str!("../docs/sensitivity.md")]
pub mod sensitivity {}

/// [choosing-a-method]: crate::docs::choosing_a_method
/// [events]: crate::docs::events
/// [results-files]: crate::docs::results_files
///
#[doc = include_str!("../docs/features.md")]
pub mod features {}

/// [events]: crate::docs::events
/// [gradients]: crate::docs::gradients
/// [jumps]: crate::docs::jumps
/// [sensitivity]: crate::docs::sensitivity
///
#[doc = include_str!("../docs/noise.md")]
pub mod noise {}

/// [noise]: crate::docs::noise
/// [history]: crate::docs::history
/// [guard-limits]: crate::docs::what_success_means#what-the-guard-cannot-see
/// [what-a-success-means]: crate::docs::what_success_means
/// [results-stiff]: crate::docs::results#stiff-ensembles-on-a-cpu
///
#[doc = include_str!("../docs/choosing-a-method.md")]
pub mod choosing_a_method {}

/// [history-h200]: crate::docs::history#one-nvidia-h200-driver-580159-cuda-130-2026-11-21-commit-ddbf9a0
/// [history-two]: crate::docs::history#two-nvidia-h100-80gb-nvlink-18-driver-580159-cuda-130-2026-11-24-commit-f0f854f
/// [machines]: crate::docs::getting_started#on-several-machines
/// [clusters]: crate::docs::clusters
/// [extending]: crate::docs::extending
///
#[doc = include_str!("../docs/scaling.md")]
pub mod scaling {}

/// [extending]: crate::docs::extending
/// [failed-runs]: crate::docs::results_files#if-a-run-fails
/// [ranges]: crate::docs::reductions#memory
/// [results-files]: crate::docs::results_files
/// [samples]: crate::docs::getting_started#random-samples
///
// The example of the page needs the feature.
#[cfg(any(not(doctest), feature = "cluster-cli"))]
#[doc = include_str!("../docs/clusters.md")]
pub mod clusters {}

/// [thin]: crate::docs::choosing_a_method#thin-layers-and-rates-that-saturate-near-zero
/// [results-pulses]: crate::docs::results#success-pulses-and-missed-ignitions
/// [corrections]: crate::docs::corrections
/// [jumps]: crate::docs::events#jumps
/// [event-steps]: crate::docs::events#step-sizes
/// [watch]: crate::docs::getting_started#watch-and-stop-a-solve
/// [grazing]: crate::docs::gradients#events
/// [random-jumps]: crate::docs::jumps#bounds
///
#[doc = include_str!("../docs/what-success-means.md")]
pub mod what_success_means {}

#[doc = include_str!("../docs/corrections.md")]
pub mod corrections {}

// `tests/language` tests the examples of the page.
#[cfg(not(doctest))]
#[doc = include_str!("../docs/language.md")]
pub mod language {}

/// [columns]: crate::docs::history#columns-with-one-step-size
/// [large]: crate::docs::history#one-large-system
/// [networks]: crate::docs::history#networks-over-columns
/// [events]: crate::docs::events
/// [event-steps]: crate::docs::events#step-sizes
///
#[cfg(any(not(doctest), feature = "arrays"))]
#[doc = include_str!("../docs/arrays.md")]
pub mod arrays {}

/// [results]: crate::docs::results#events
/// [stops]: crate#doses-pulses-and-switches
/// [random]: crate::docs::jumps
/// [noise]: crate::docs::noise#events
///
#[doc = include_str!("../docs/events.md")]
pub mod events {}

#[doc = include_str!("../docs/extending.md")]
pub mod extending {}

#[doc = include_str!("../ARCHITECTURE.md")]
pub mod architecture {}

/// [architecture]: crate::docs::architecture
/// [extending]: crate::docs::extending
///
#[doc = include_str!("../CONTRIBUTING.md")]
pub mod contributing {}

#[doc = include_str!("../CHANGELOG.md")]
pub mod changelog {}

/// [history]: crate::docs::history
/// [history-esdirk]: crate::docs::history#esdirk-methods-with-one-iteration-for-each-stage-2026-11-29
/// [history-stiff]: crate::docs::history#stiff-ensembles-beside-cvode-and-diffsol
/// [history-work]: crate::docs::history#work-and-precision
/// [success]: crate::docs::what_success_means#a-comparison
/// [random]: crate::docs::what_success_means#random-problems
/// [clusters]: crate::docs::clusters#scaling
/// [other-codes]: crate::docs::choosing_a_method#other-codes
///
// `bench` is a package of its own, so this crate's archive contains its files only through links in
// `docs`.
#[doc = include_str!("../docs/results.md")]
pub mod results {}

/// [choosing-a-method]: crate::docs::choosing_a_method
/// [results]: crate::docs::results
///
#[doc = include_str!("../docs/history.md")]
pub mod history {}
