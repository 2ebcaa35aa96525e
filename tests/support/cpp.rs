//! A backend that compiles the device text with the host's C++ compiler, and runs it in one thread.

// Not every program uses all of it.
#![allow(dead_code)]

use odes::backend::{
    self, AdjointJob, AdjointKernel, Backend, Capabilities, EnsembleAlgorithm, InputRange, Layout,
    RawResults, Request, RequestVisitor, ResolvedOptions, RunReport, SaveTimes, SavedRow, SolveJob,
};
use odes::internals::kernel::adjoint::{self, ADJOINT_NAME, AdjointArguments, RECORD_NAME};
use odes::internals::kernel::{
    self, InputOffset, KERNEL_NAME, KernelArguments, KernelConfig, Target,
};
use odes::lane::Scalar;
use odes::{SolveError, Timings};
use odes_skipped::Needed;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A C++ compiler of this machine.
#[derive(Clone, Debug)]
pub(crate) struct HostCpp {
    compiler: PathBuf,
}

impl HostCpp {
    /// Returns the compiler `$CXX`, or the first of the usual names, or `None` with a message.
    ///
    /// With `ODES_REQUIRE_CPP=1` a compiler is required.
    pub(crate) fn find() -> Option<HostCpp> {
        let names = std::env::var("CXX").ok().into_iter();
        let names = names.chain(["c++", "g++", "clang++"].map(String::from));
        let works = |name: &String| {
            Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success())
        };
        let found = names.into_iter().find(works).map(|name| HostCpp { compiler: name.into() });
        if found.is_none() {
            Needed::Cpp.is_missing("neither $CXX nor c++, g++ or clang++");
        }
        found
    }

    /// Returns the path of the compiler.
    pub(crate) fn path(&self) -> &Path {
        &self.compiler
    }

    /// Compiles `source` to a shared library.
    pub(crate) fn compile(&self, source: &str) -> libloading::Library {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let unique =
            format!("odes-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(unique);
        std::fs::create_dir_all(&folder).unwrap();
        let (text, library) = (folder.join("solve.cpp"), folder.join("solve.so"));
        std::fs::write(&text, source).unwrap();
        let mut command = Command::new(&self.compiler);
        // When GCC vectorises, it fuses products with sums, even with contraction switched off.
        command.args(["-std=c++17", "-O2", "-ffp-contract=off", "-fno-tree-slp-vectorize"]);
        command.args(["-shared", "-fPIC"]);
        if cfg!(target_arch = "x86_64") {
            command.args(["-mavx2", "-mfma"]);
        }
        let output = command.arg(&text).arg("-o").arg(&library).output().unwrap();
        assert!(
            output.status.success(),
            "{}\n{}",
            text.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        // SAFETY: the library is the one just compiled, and runs nothing when it is loaded.
        let loaded = unsafe { libloading::Library::new(&library) }.unwrap();
        let _ = std::fs::remove_dir_all(&folder);
        loaded
    }
}

impl RequestVisitor for HostCpp {
    /// Records steps in one function, and runs the adjoint in another.
    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        type Run<T> =
            unsafe extern "C" fn(*const KernelArguments<T>, *const T, *const AdjointArguments);
        adjoint_in_memory(job, (Target::Host, true), 1, |sources, arguments, shared, adjoint| {
            for (source, name) in sources.iter().zip([RECORD_NAME, ADJOINT_NAME]) {
                let library = self.compile(source);
                // SAFETY: the function has this type; static_asserts check its arguments. Every
                // pointer refers to as many elements as `KernelArguments`, `Shared` and
                // `AdjointArguments` require.
                unsafe {
                    let run: libloading::Symbol<'_, Run<T>> = library.get(name.as_bytes()).unwrap();
                    run(arguments, shared.as_ptr(), &raw const *adjoint);
                }
            }
        })?;
        let backend = Backend::Cpu { instructions: "c++".to_string(), threads: 1 };
        Ok(RunReport::new(backend, Timings::default()))
    }

    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options: settings, inputs: columns, sink } = job;
        let kernel_config =
            KernelConfig { target: Target::Host, ..KernelConfig::new(settings, columns, true) };
        let library = self.compile(&task.kernel(&kernel_config)?);
        // SAFETY: the function has this type; a static_assert checks its argument.
        let solve: libloading::Symbol<
            '_,
            unsafe extern "C" fn(*const KernelArguments<T>, *const T),
        > = unsafe { library.get(KERNEL_NAME.as_bytes()) }.unwrap();
        let mut raw = RawResults::default();
        for batch in columns.batches(sink.batch()) {
            in_memory(settings, batch, &kernel_config, &mut raw, |arguments, shared| {
                // SAFETY: every pointer refers to as many elements as `KernelArguments` and
                // `Shared` require, and outlives the call.
                unsafe { solve(arguments, shared.as_ptr()) };
            })?;
            if sink.store(batch, &mut raw)?.is_break() {
                break;
            }
        }
        let backend = Backend::Cpu { instructions: "c++".to_string(), threads: 1 };
        Ok(RunReport::new(backend, Timings::default()))
    }
}

impl EnsembleAlgorithm for HostCpp {
    type Compiled = backend::Text;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { draws_samples: true, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}

/// Fills `raw` with the results of the trajectories `range`, computed by `solve`.
///
/// `solve` runs a kernel on these arguments in this process's memory. The arguments are valid until
/// it returns, and no other code uses the memory that they point to.
pub(crate) fn in_memory<T: Scalar>(
    settings: &ResolvedOptions<T>,
    range: InputRange<'_, T>,
    kernel_config: &KernelConfig,
    raw: &mut RawResults<T>,
    solve: impl FnOnce(&KernelArguments<T>, &[T]),
) -> Result<(), SolveError> {
    let columns = range.inputs();
    let packed = Packed::new(range);
    let rules = kernel::rules(columns);
    let (times, (save_stride, save_each)) = packed_times(&columns.save, range.indices());
    let (stops, (stop_stride, stop_each)) = packed_times(&columns.stops, range.indices());
    let layout = Layout::new(settings, columns);
    raw.fit(&layout, range.len())?;
    let mut counter = 0u32;
    let arguments = KernelArguments {
        inputs: packed.numbers.as_ptr() as u64,
        columns: packed.columns.as_ptr() as u64,
        rules: rules.as_ptr() as u64,
        save_times: times.as_ptr() as u64,
        stop_times: stops.as_ptr() as u64,
        results: raw.bytes_mut().map(|array| array.as_mut_ptr() as u64),
        first: range.numbers().start,
        counter: &raw mut counter as u64,
        options: settings.lane,
        n: range.len() as u32,
        save_slots: layout.slots as u32,
        known_slots: columns.save.slots() as u32,
        save_stride,
        save_each,
        stop_slots: columns.stops.slots() as u32,
        stop_stride,
        stop_each,
    };
    solve(&arguments, &kernel_config.shared_numbers(columns));
    Ok(())
}

/// Computes gradients by both kernels of a task, each in this many threads.
///
/// `run` runs the kernels with these two texts on the arguments, as [`in_memory`] does. `refill`:
/// whether threads take trajectories from a queue.
pub(crate) fn adjoint_in_memory<T: Scalar>(
    job: AdjointJob<'_, T>,
    (target, refill): (Target, bool),
    threads: usize,
    run: impl FnOnce([String; 2], &KernelArguments<T>, &[T], &AdjointArguments),
) -> Result<(), SolveError> {
    let AdjointJob { task, options: settings, inputs: columns, cotangents, results, gradients } =
        job;
    // Nothing is saved.
    let settings = ResolvedOptions { saved: SavedRow::default(), ..settings.clone() };
    let kernel_config = KernelConfig { target, ..KernelConfig::new(&settings, columns, refill) };
    let forth = task.kernel(AdjointKernel::Forward, &kernel_config)?;
    let back = task.kernel(AdjointKernel::Backward, &kernel_config)?;
    // More steps than any test makes.
    let (n, room) = (columns.trajectories, (1 << 18) / threads);
    let action_width = task.action_width();
    let times = settings.adaptive || action_width > 0;
    let action_room = if action_width > 0 { 1 << 16 } else { 0 };
    let mut actions = vec![T::nan(); action_room * action_width];
    let mut marks = vec![0_u32; action_room * adjoint::MARKS];
    let mut action_starts = vec![0_u32; n];
    let width = adjoint::width::<T>(columns.u0.len(), times);
    let mut numbers = vec![T::nan(); room * width * threads];
    let mut steps = vec![0_u8; room * threads];
    let mut of_each = vec![[0_u32; 2]; n];
    let (starts, before) = of_each.as_flattened_mut().split_at_mut(n);
    let mut of_threads = [(); 3].map(|()| vec![0_u32; threads]);
    let [last, rows, action_last] = &mut of_threads;
    let mut words = [0_u32; 2];
    let [most, action_count] = &mut words;
    let mut raw = RawResults::default();
    in_memory(&settings, columns.all(), &kernel_config, &mut raw, |arguments, shared| {
        let adjoint = AdjointArguments {
            numbers: numbers.as_mut_ptr() as u64,
            steps: steps.as_mut_ptr() as u64,
            starts: starts.as_mut_ptr() as u64,
            before: before.as_mut_ptr() as u64,
            last: last.as_mut_ptr() as u64,
            rows: rows.as_mut_ptr() as u64,
            most: most as *mut u32 as u64,
            by_saved: cotangents.saved.as_ptr() as u64,
            by_last: cotangents.last.as_ptr() as u64,
            loss: gradients.loss.as_mut_ptr() as u64,
            u0: gradients.u0.as_mut_ptr() as u64,
            p: gradients.p.as_mut_ptr() as u64,
            actions: actions.as_mut_ptr() as u64,
            marks: marks.as_mut_ptr() as u64,
            action_starts: action_starts.as_mut_ptr() as u64,
            action_last: action_last.as_mut_ptr() as u64,
            action_count: action_count as *mut u32 as u64,
            has_saved: u32::from(!cotangents.saved.is_empty()),
            has_last: u32::from(!cotangents.last.is_empty()),
            threads: threads as u32,
            room: room as u32,
            action_room: action_room as u32,
            unused: 0,
        };
        run([forth, back], arguments, shared, &adjoint);
    })?;
    assert_eq!(words[0], 0, "more rows than there is room for");
    assert!(words[1] as usize <= action_room, "more actions than there is room for");
    results.codes.copy_from_slice(&raw.codes);
    results.steps.copy_from_slice(&raw.steps);
    results.rejected.copy_from_slice(&raw.rejected);
    Ok(())
}

/// The inputs of some trajectories, one after the other, with their offsets.
struct Packed<T> {
    /// The values.
    numbers: Vec<T>,
    /// The offset of each input among the values.
    columns: Vec<InputOffset>,
}

impl<T: Scalar> Packed<T> {
    /// Packs the inputs of these trajectories.
    ///
    /// The order is initial states, parameters, begin, end, and tolerances if each component has
    /// its own.
    ///
    /// # Panics
    /// If there are more values than [`InputOffset`] can address.
    fn new(range: InputRange<'_, T>) -> Self {
        let mut packed = Packed { numbers: Vec::new(), columns: Vec::new() };
        for column in range.inputs().quantities() {
            let first = u32::try_from(packed.numbers.len()).expect("at most 2^32 numbers");
            packed.columns.push(InputOffset::new(first, column));
            packed.numbers.extend(column.numbers(range.indices()).concat());
        }
        packed
    }
}

/// Returns the times of the trajectories `range` and their [strides](SaveTimes::strides).
///
/// # Panics
/// If there are no such trajectories.
fn packed_times<T: Scalar>(times: &SaveTimes<T>, range: Range<usize>) -> (Vec<T>, (u32, u32)) {
    let strides = times.strides(range.len() as u32);
    (times.rows(range).flatten().copied().collect(), strides)
}
