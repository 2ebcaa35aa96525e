//! The solve of an analysis of any design.

use super::accumulate::Accumulate;
use super::analysis::Analysis;
use super::groups::Rows;
use crate::ensemble::ranges::{Compiled, RangeSizes, each_range};
use crate::error::{SensitivityError, SolveError};
use crate::lane::{Scalar, each_precision};
use crate::problem::ensemble_spec::EnsembleSpec;
use crate::problem::options::{SaveAt, SolveOptions};
use crate::problem::samples::Arrangement;
use crate::problem::shard::Shard;
use crate::step::properties::Properties;
use core::ops::ControlFlow;
use std::sync::Arc;

/// The largest number of trajectories: counts are exact in `f64`.
const MOST: usize = 1 << f64::MANTISSA_DIGITS;

/// The design of an analysis.
pub(super) struct Request<'a> {
    pub(super) arrangement: Arrangement,
    /// The number of trajectories of a batch, if the user set one.
    pub(super) batch: Option<usize>,
    /// Returns the sums of an output, for a seed and a number of inputs.
    pub(super) rows: &'a dyn Fn(u64, usize) -> Arc<dyn Rows>,
}

each_precision! {
    /// Solves the trajectories of an analysis.
    pub(super) fn analysed<'a, T>(
        ensemble: &'a EnsembleSpec<'a, T>,
        options: &'a SolveOptions,
        properties: &'a Properties,
        compiled: Compiled<'a, T>,
        request: &'a Request<'a>,
    ) -> Result<Analysis, SolveError> = solved, solved;
}

/// As [`analysed`], in one precision.
fn solved<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    compiled: Compiled<'_, T>,
    request: &Request<'_>,
) -> Result<Analysis, SolveError> {
    in_ranges(ensemble, options, properties, compiled, request, None)
}

/// As [`solved`], with ranges of `most` trajectories if that number is given.
pub(super) fn in_ranges<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    properties: &Properties,
    compiled: Compiled<'_, T>,
    request: &Request<'_>,
    most: Option<usize>,
) -> Result<Analysis, SolveError> {
    if request.batch == Some(0) {
        return Err(SensitivityError::BatchSize.into());
    }
    if options.save == SaveAt::Steps {
        return Err(SensitivityError::Times { why: "the ends of steps differ" }.into());
    }
    let is_random = ensemble.system.info.noise.is_some() || ensemble.system.jumps;
    if is_random && options.noise_paths != Some(1) {
        return Err(SensitivityError::Noise.into());
    }
    let unfit = [
        (ensemble.sweep != [None; 2], "rows"),
        (!ensemble.axes.is_empty(), "a grid"),
        (ensemble.shard != Shard::WHOLE, "a shard"),
    ];
    if let Some((_, of)) = unfit.into_iter().find(|(unfit, _)| *unfit) {
        return Err(SensitivityError::Ensemble { of }.into());
    }
    let samples = ensemble.samples.ok_or(SensitivityError::NoInputs)?;
    if let Some((which, rule)) = samples.by_index() {
        return Err(SensitivityError::ByIndex { which: which.to_string(), rule }.into());
    }
    let inputs = samples.inputs(&ensemble.system)?;
    if inputs.is_empty() {
        return Err(SensitivityError::NoInputs.into());
    }
    let bases = ensemble.trajectories.ok_or(SolveError::HowMany)?;
    let (group, seed) = (request.arrangement.group(inputs.len()), samples.seed_of_values());
    let trajectories = bases.checked_mul(group).filter(|n| *n <= MOST);
    let trajectories =
        trajectories.ok_or(SensitivityError::TooMany { base_samples: bases, group })?;
    let rows = (request.rows)(seed, inputs.len());
    let mut analysis = Analysis::new(inputs, (bases, group), seed, Arc::clone(&rows));
    let samples = samples.arranged(request.arrangement);
    let (trajectories, samples) = (Some(trajectories), Some(&samples));
    let ensemble = EnsembleSpec { trajectories, samples, ..ensemble.within(0..usize::MAX) };
    let info = ensemble.system.info;
    let couples = compiled.0.capabilities().couples_trajectories;
    let mut sinks = Accumulate {
        analysis: &mut analysis,
        rows: &*rows,
        batch: request.batch.or(couples.then_some(usize::MAX)),
        system: [info.states, info.observables],
    };
    let sizes = match most {
        Some(most) => RangeSizes { first: most, most, batch: None },
        None => RangeSizes::in_groups(&ensemble, compiled.0, group),
    };
    let report = each_range(
        &ensemble,
        options,
        properties,
        compiled,
        sizes,
        &mut |inputs, threads, solve| {
            let all = sinks.analysis.trajectories() + inputs.inputs.trajectories as u64;
            solve(&mut *sinks.sink(threads, inputs)?)?;
            let is_complete = sinks.analysis.trajectories() == all;
            Ok(if is_complete { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        },
    )?;
    analysis.report = Some(report);
    Ok(analysis)
}
