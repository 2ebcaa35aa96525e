//! Statistics of ensembles, in memory that does not grow with the number of trajectories.
//!
//! [`EnsembleProblem::reduce`](crate::EnsembleProblem::reduce) computes the statistics of a
//! [`Summary`], and returns [`Summaries`]. Results of trajectories arrive in batches, and are not
//! kept.
//!
//! A summary has the same bits for any batch size, backend, number of threads and devices, and for
//! any shards that are merged. Counts, extremes, histograms and quantiles do not depend on the
//! order of the values. Means, variances and covariances are joined in a tree over the indices
//! of the trajectories, the tree of [gradients](crate::gradient).

mod accumulate;
mod batch;
mod cell;
mod condition;
mod counters;
mod event_times;
mod exact;
mod extremes;
mod histogram;
mod merge;
mod moments;
mod numbers;
mod request;
mod rows;
mod select;
#[cfg(feature = "serde")]
mod stored;
mod summaries;
pub(crate) mod tree;
mod weighted;
mod weights;

pub use crate::error::SummaryError;
pub(crate) use accumulate::Accumulate;
pub use histogram::Histogram;
pub use request::Summary;
pub(crate) use select::Select;
pub use summaries::{HistogramCounts, Summaries};
pub use weights::HistogramWeights;
