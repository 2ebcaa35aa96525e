//! An ensemble whose final states are functions of its parameters, without equations.

use super::analysis::Analysis;
use super::solve::{Request, in_ranges};
use crate::ensemble::batches::SolveFn;
use crate::ensemble::{EnsembleAlgorithm, EnsembleSerial};
use crate::error::SolveError;
use crate::problem::draw::Draw;
use crate::problem::ensemble_spec::{EnsembleSpec, Problems};
use crate::problem::layout::Layout;
use crate::problem::options::SolveOptions;
use crate::problem::samples::Samples;
use crate::problem::shard::Shard;
use crate::problem::sweep::Axis;
use crate::solution::{Backend, RawResults, RunReport, Timings};
use crate::step::code;
use crate::step::properties::Properties;
use crate::system::SystemInfo;
use crate::system::facts::Facts;
use core::ops::Range;

static INFO: SystemInfo = SystemInfo::new("stub", &["y", "z"], &["a", "b", "c", "d"]);

/// Two outputs of four parameters; `None` if the trajectory fails.
pub(super) type Model<'a> = &'a (dyn Fn([f64; 4]) -> Option<[f64; 2]> + Sync);

/// Problems with sampled parameters.
struct Sampled;

impl Problems<f64> for Sampled {
    fn write(&self, _: &[(&Axis, usize)], draw: &Draw, range: Range<usize>, rows: &mut [f64]) {
        let values = draw.values(range);
        for (k, row) in rows.chunks_exact_mut(8).enumerate() {
            row.copy_from_slice(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
            let (u0, p) = row.split_at_mut(2);
            draw.put(&values, k, u0, &mut p[..4]);
        }
    }

    fn breaks(&self, _: &[f64], _: &mut dyn FnMut(f64)) {}

    fn abscissae(&self, _: &[f64], _: &mut dyn FnMut(&'static [&'static str], &[f64])) {}

    fn action_times(&self, _: &[f64], _: &mut dyn FnMut([f64; 3])) {}

    fn stops(&self, _: &[f64], _: usize) -> Vec<f64> {
        Vec::new()
    }
}

/// Returns the ensemble of these base samples.
pub(super) fn ensemble<'a>(bases: usize, samples: Option<&'a Samples>) -> EnsembleSpec<'a, f64> {
    EnsembleSpec {
        system: Facts::new(&INFO),
        trajectories: Some(bases),
        shard: Shard::WHOLE,
        within: 0..usize::MAX,
        varies: false,
        u0: vec![0.0; 2],
        p: vec![0.0; 4],
        span: (0.0, 1.0),
        sweep: [None; 2],
        axes: &[],
        samples,
        stops: false,
        problems: &Sampled,
    }
}

/// Computes an analysis of a model, in ranges of `together` trajectories.
pub(super) fn analyse(
    ensemble: &EnsembleSpec<'_, f64>,
    model: Model<'_>,
    request: &Request<'_>,
    properties: &Properties,
    together: Option<usize>,
) -> Result<Analysis, SolveError> {
    let place: SolveFn<'_, f64> = &|settings, columns, sink| {
        let layout = Layout::new(settings, columns).of(sink.wants());
        let mut results = RawResults::default();
        for batch in columns.batches(sink.batch()) {
            results.fit(&layout, batch.len())?;
            for (k, i) in batch.indices().enumerate() {
                let outputs = model(core::array::from_fn(|d| columns.p[d].get(i)));
                let [y, z] = outputs.unwrap_or_default();
                (results.finals[k], results.finals[batch.len() + k]) = (y, z);
                results.codes[k] = match outputs {
                    Some(_) => code::SUCCESS as u8,
                    None => code::DT_MIN as u8,
                };
            }
            let _ = sink.store(batch, &mut results)?;
        }
        Ok(RunReport::new(Backend::Other { name: "stub".to_owned() }, Timings::default()))
    };
    let place = (&EnsembleSerial as &dyn EnsembleAlgorithm, place);
    let options = SolveOptions::default();
    in_ranges(ensemble, &options, properties, place, request, together)
}
