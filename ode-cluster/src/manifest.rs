//! The manifest: a text that identifies a solve, which must agree between all ranks.

use blake3::{Hash, Hasher};
use ode_core::SolveError;
use ode_core::ensemble::task::Task;
use ode_core::kernel::{InputOrigin, KernelConfig};
use ode_core::lane::Scalar;
use ode_core::persist::{self, Difference};
use ode_core::problem::inputs::{Input, InputRange, Inputs, SaveTimes};
use ode_core::problem::layout::Layout;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::{ResultArray, ResultSet};

/// The format of folders.
const FORMAT: &str = "5 (Zarr 3)";

/// The number of trajectories with numbers in the manifest. Each chunk has a hash of all its
/// inputs.
const LOOKED_AT: usize = 4096;

/// Trajectories of a chunk, by default: enough for this number of chunks, within these limits.
const CHUNKS: usize = 1024;
const LEAST: usize = 64;
const MOST: usize = 1 << 16;
/// The largest default size of a chunk, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// The manifest of a solve, and its chunks.
#[derive(Clone, Debug)]
pub(crate) struct Manifest {
    /// The number of trajectories.
    pub(crate) trajectories: usize,
    /// The trajectories of each chunk but the last one.
    pub(crate) chunk: usize,
    /// The bytes of the results of a trajectory.
    pub(crate) bytes: usize,
    /// The entries that identify the solve.
    lines: String,
    /// The hash of these entries.
    pub(crate) hash: Hash,
}

impl Manifest {
    /// Creates the manifest of a solve with chunks of `chunk` trajectories.
    ///
    /// The default chunk size depends only on the solve.
    pub(crate) fn of<T: Scalar>(
        task: &dyn Task<T>,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
        chunk: Option<usize>,
        wanted: ResultSet,
    ) -> Self {
        let layout = Layout::new(settings, columns).of(wanted);
        let (trajectories, bytes) =
            (columns.trajectories, ResultArray::bytes_of_trajectory::<T>(&layout));
        let chunk = chunk.unwrap_or_else(|| {
            let least = trajectories.div_ceil(CHUNKS).next_power_of_two().clamp(LEAST, MOST);
            let fits = (MOST_BYTES / bytes.max(1)).max(1);
            least.min(1 << fits.ilog2())
        });
        let mut entries = vec![
            ("odes".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
            ("format".to_owned(), FORMAT.to_owned()),
            ("system".to_owned(), task.system().name.to_owned()),
            ("method".to_owned(), settings.method.name.to_owned()),
            ("precision".to_owned(), T::NAME.to_owned()),
            ("trajectories".to_owned(), trajectories.to_string()),
            ("first".to_owned(), columns.first.to_string()),
        ];
        entries.extend(of_solve(settings, columns));
        entries.extend([
            ("results".to_owned(), format!("{:?}", layout.wanted)),
            ("program".to_owned(), program(|config| task.kernel(config), settings, columns)),
            ("chunk".to_owned(), chunk.to_string()),
        ]);
        let lines = persist::lines(&entries);
        let hash = blake3::hash(lines.as_bytes());
        Manifest { trajectories, chunk, bytes, lines, hash }
    }

    /// The number of chunks.
    pub(crate) fn chunks(&self) -> u64 {
        self.trajectories.div_ceil(self.chunk) as u64
    }

    /// Returns the trajectories of some chunks, counted from the first one of the solve.
    pub(crate) fn trajectories_of(&self, chunks: core::ops::Range<u64>) -> core::ops::Range<usize> {
        let from = |chunk: u64| (chunk as usize).saturating_mul(self.chunk).min(self.trajectories);
        from(chunks.start)..from(chunks.end)
    }

    /// Returns the entries of the manifest, one per line.
    pub(crate) fn lines(&self) -> &str {
        &self.lines
    }

    /// Returns the text of the manifest's file.
    pub(crate) fn text(&self) -> String {
        persist::with_hash(self.lines.clone())
    }

    /// Returns the entries of the manifest behind an additional one.
    pub(crate) fn lines_behind(&self, key: &str, value: &str) -> String {
        format!("{key} = {value}\n{}", self.lines)
    }

    /// Returns the first difference to the manifest `text`, or an error if the text is invalid.
    pub(crate) fn difference(&self, text: &str) -> Result<Option<Difference>, &'static str> {
        Ok(persist::difference(&self.lines, persist::without_hash(text)?))
    }
}

/// The inputs of trajectories, with their names in a manifest.
fn named<T: Scalar>(columns: &Inputs<T>) -> impl Iterator<Item = (String, &Input<T>)> {
    let of = |name, columns: &[_]| (0..columns.len()).map(move |k| format!("{name}[{k}]"));
    let ends = ["t0", "t1"].map(str::to_owned);
    let names = of("u0", &columns.u0).chain(of("p", &columns.p)).chain(ends);
    names.chain(of("abstol", &columns.abstols)).zip(columns.quantities())
}

/// Returns an entry with a hash for each input that is stored for each trajectory.
///
/// A manifest contains the numbers of [some](LOOKED_AT) trajectories. Backends that draw samples do
/// not store the sampled inputs.
pub(crate) fn stored<T: Scalar>(columns: &Inputs<T>) -> String {
    let all = 0..columns.trajectories;
    let mut entries: Vec<(String, String)> = Vec::new();
    let mut put = |name: String, hasher: Hasher| {
        entries.push((name, format!("{} numbers of hash {}", all.len(), hasher.finalize())));
    };
    for (name, column) in named(columns).filter(|(_, column)| column.is_stored()) {
        let mut hasher = Hasher::new();
        for slice in column.numbers(0..columns.trajectories) {
            hasher.update(bytemuck::cast_slice(slice));
        }
        put(name, hasher);
    }
    for (name, times) in [("saveat", &columns.save), ("tstops", &columns.stops)] {
        if times.shared().is_none() {
            let mut hasher = Hasher::new();
            hash_times(&mut hasher, times, 0..columns.trajectories);
            put(name.to_owned(), hasher);
        }
    }
    persist::lines(&entries)
}

/// Returns the entries of the inputs and options of a solve.
///
/// An error names the first entry that differs. So each entry is behind the entries on which it
/// depends. Saved times depend on the span, times to stop at depend on options, and the program's
/// text depends on all of them.
pub(crate) fn of_solve<T: Scalar>(
    settings: &ResolvedOptions<T>,
    columns: &Inputs<T>,
) -> Vec<(String, String)> {
    let n = columns.trajectories;
    let mut entries: Vec<_> =
        named(columns).map(|(name, column)| (name, numbers(column, n))).collect();
    let [options, of_times] = options(settings);
    let times = [("saveat", &columns.save), ("tstops", &columns.stops)]
        .map(|(name, times)| (name, times_of(times, n)));
    let others = options.into_iter().chain(times).chain(of_times);
    entries.extend(others.map(|(name, value)| (name.to_owned(), value)));
    entries
}

/// Returns the options by the names that users give them, and then what follows from times.
fn options<T: Scalar>(settings: &ResolvedOptions<T>) -> [Vec<(&'static str, String)>; 2] {
    // Destructured in full, so that a new field must be added here too.
    let ResolvedOptions {
        lane,
        adaptive,
        law_kind,
        method: _,
        // The program's text contains the events, features and modes.
        events: _,
        features: _,
        modes: _,
        log,
        guard,
        saved,
        components,
        step_slots,
        stopping,
        // A watch changes no result.
        watch: _,
    } = settings;
    let ode_core::SavedRow { states, observables, times } = saved;
    let ode_core::LogRow { marks: _, before, after } = log;
    let mut entries = vec![
        ("adaptive", adaptive.to_string()),
        ("controller", format!("number {law_kind}")),
        ("growth_guard", format!("number {guard}")),
        ("saving", format!("{states} states, {observables} observables, {times} times of steps")),
    ];
    entries.extend(lane.entries().into_iter().map(|(name, value)| match name {
        "law" | "stiff_law" => ("controller", value),
        "log_slots" => ("event_log", format!("{value} events")),
        _ => (name, value),
    }));
    if let Some(ode_core::SavedComponents { states, observables }) = components.as_deref() {
        entries.push(("saving", format!("the states {states:?}, the observables {observables:?}")));
    }
    entries.push(("event_log", format!("{before} states before events, {after} after them")));
    [entries, vec![("steps", step_slots.to_string()), ("stopping", stopping.to_string())]]
}

/// The hash of the program's text, which `kernel` writes. The text contains the right-hand side and
/// the method. The hash is the same on every backend.
pub(crate) fn program<T: Scalar>(
    kernel: impl FnOnce(&KernelConfig) -> Result<String, SolveError>,
    settings: &ResolvedOptions<T>,
    columns: &Inputs<T>,
) -> String {
    let mut kernel_config = KernelConfig::new(settings, columns, true);
    // Backends that draw samples have other kernels, with the same results.
    kernel_config.columns.fill(InputOrigin::Memory);
    match kernel(&kernel_config) {
        Ok(text) => format!("code of hash {}", blake3::hash(text.as_bytes())),
        Err(_) => "a system that has no text, of which only the name is known".to_owned(),
    }
}

/// Returns the first and the last number, and a hash of the numbers of evenly spaced trajectories.
fn numbers<T: Scalar>(column: &Input<T>, n: usize) -> String {
    if let Some(value) = column.shared() {
        return format!("{value:?}");
    }
    let Some(last) = n.checked_sub(1) else { return "none".to_owned() };
    let mut hasher = Hasher::new();
    let some = n.min(LOOKED_AT);
    for k in 0..some {
        let i = (k as u128 * last as u128 / (some - 1).max(1) as u128) as usize;
        hasher.update(&column.get(i).widen().to_bits().to_le_bytes());
    }
    let (first, last, hash) = (column.get(0), column.get(last), hasher.finalize());
    format!("{first:?} to {last:?}, of hash {hash}")
}

/// Returns the first and the last time, if trajectories share them, and a hash.
fn times_of<T: Scalar>(times: &SaveTimes<T>, n: usize) -> String {
    let mut hasher = Hasher::new();
    hash_times(&mut hasher, times, 0..if times.shared().is_some() { 1 } else { n.min(LOOKED_AT) });
    let (count, hash) = (times.slots(), hasher.finalize());
    match times.shared() {
        Some([]) => "no times".to_owned(),
        Some([first, .., last]) => {
            format!("{count} times from {first:?} to {last:?}, of hash {hash}")
        }
        Some([time]) => format!("{time:?}"),
        None => format!("at most {count} times of a trajectory, of hash {hash}"),
    }
}

fn hash_times<T: Scalar>(
    hasher: &mut Hasher,
    times: &SaveTimes<T>,
    range: core::ops::Range<usize>,
) {
    hasher.update(&[u8::from(times.shared().is_some())]);
    for row in times.rows(range) {
        hasher.update(bytemuck::cast_slice(row));
    }
}

/// Hashes all data besides the manifest that the results of these trajectories depend on.
pub(crate) fn inputs<T: Scalar>(range: InputRange<'_, T>) -> Hash {
    let mut hasher = Hasher::new();
    let columns = range.inputs();
    let mut drawn = Vec::new();
    for column in columns.quantities() {
        let shared = column.shared().is_some();
        hasher.update(&[u8::from(shared)]);
        if shared || column.is_stored() {
            for slice in column.numbers(range.indices()) {
                hasher.update(bytemuck::cast_slice(slice));
            }
        } else {
            drawn.clear();
            drawn.extend(range.indices().map(|i| column.get(i)));
            hasher.update(bytemuck::cast_slice(&drawn));
        }
    }
    hash_times(&mut hasher, &columns.save, range.indices());
    hash_times(&mut hasher, &columns.stops, range.indices());
    hasher.finalize()
}
