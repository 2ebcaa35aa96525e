//! The solve of `u' = A u` by an explicit method in one launch: see `persistent.hpp`.

use crate::clock;
use crate::device::Numbers;
use crate::first_step;
use crate::number::Number;
use ode_core::kernel::lockstep::{LockstepText, with_group, word_bytes};
use ode_core::kernel::{KernelConfig, SystemText};
use ode_core::lane::Bits;
use ode_core::methods::{Properties, Tsit5};
use ode_core::problem::prepared::PreparedSolve;
use ode_core::step::explicit::{Row, Tableau};
use ode_core::{SavedRow, SolveError};
use ode_gpu::{DeviceBuffer, GpuError, Kernel, KernelSource};
use std::fmt::Write as _;

/// The threads of a block.
const THREADS: u32 = 256;
/// Registers of a thread for its rows of the matrix, its stages and the received words, out of 255.
///
/// The loop and its clock take up to 120 registers, according to the compiler.
const REGISTERS: usize = 131;
/// Registers of the exchange with other blocks, besides the received words.
const HEARING: usize = 20;
/// The C++ implementation of the lockstep loop's `LockstepGroup` for a linear system.
const LINEAR: &str = include_str!("persistent.hpp");
/// The name of the kernel.
const NAME: &str = "odes_solve_linear";

/// The results of a solve.
#[derive(Debug)]
pub(crate) struct Solved<T> {
    /// A [`code`](ode_core::step::code).
    pub(crate) code: u64,
    pub(crate) end_time: T,
    pub(crate) end: Vec<T>,
    /// The states at the first saved times.
    pub(crate) saved: Vec<Vec<T>>,
    pub(crate) steps: u32,
    pub(crate) rejected: u32,
    pub(crate) evaluations: u64,
}

/// The arguments of a solve: a matrix, the initial state, one or more absolute tolerances, and the
/// method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PersistentSolve<'a, T: Number> {
    pub(crate) a: &'a Numbers<T>,
    pub(crate) u0: &'a Numbers<T>,
    pub(crate) abstol: &'a Numbers<T>,
    pub(crate) tableau: &'static Tableau,
    pub(crate) method: &'a Properties,
    pub(crate) inputs: &'a PreparedSolve<T>,
}

/// The distribution of rows: `each` rows for each warp of `blocks` blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cut {
    rows: usize,
    each: usize,
    blocks: usize,
}

impl Cut {
    /// Distributes a matrix with elements of `bytes` bytes, for a method with `stages` stages.
    ///
    /// If the matrix fits into one block, it uses one, since several blocks must exchange values.
    /// Returns `None` if the registers of the device cannot hold the matrix.
    fn new(rows: usize, bytes: usize, stages: usize, multiprocessors: usize) -> Option<Cut> {
        let warps = THREADS as usize / 32;
        let cut = |blocks: usize| {
            let each = rows.div_ceil(blocks.max(1) * warps);
            let heard = bytes / 4 * 2 * rows.div_ceil(THREADS as usize);
            let hears = if blocks > 1 { HEARING + heard } else { 0 };
            let registers = bytes / 4 * (each * rows.div_ceil(32) + stages) + hears;
            // A lane has the state of one row.
            let fits = each <= 32 && registers <= REGISTERS;
            fits.then(|| Cut { rows, each, blocks: rows.div_ceil(each * warps) })
        };
        cut(1).or_else(|| cut(multiprocessors))
    }
}

/// The third kernel argument: `LockstepArguments` in `persistent.hpp`. Pointers are device
/// addresses.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct LinearArguments {
    a: u64,
    u0: u64,
    abstol: u64,
    words: u64,
    sums: u64,
    saved: u64,
    end: u64,
    report: u64,
    own: u32,
}

/// Writes a table of numbers. If there are no rows, it has one row of zeros, since C++ has no empty
/// arrays.
fn table(text: &mut String, name: &str, columns: usize, rows: impl Iterator<Item = Vec<f64>>) {
    let mut rows: Vec<Vec<f64>> = rows.collect();
    if rows.is_empty() {
        rows.push(vec![0.0; columns]);
    }
    let _ = writeln!(text, "CONSTANT double {name}[{}][{columns}] = {{", rows.len());
    for row in rows {
        let numbers = row.iter().map(|c| format!("{c:?}")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "    {{{numbers}}},");
    }
    text.push_str("};\n");
}

/// Writes a table of rows of coefficients, each for all stages.
fn rows(text: &mut String, name: &str, stages: usize, rows: &[Row]) {
    let of = |row: &Row| {
        let coefficient = |j| if row.nonzero.contains(&j) { row.coefficients[j] } else { 0.0 };
        (0..stages).map(coefficient).collect()
    };
    table(text, name, stages, rows.iter().map(of));
}

/// Writes a list of stages.
fn list(text: &mut String, name: &str, of: &[usize]) {
    let of = if of.is_empty() { &[0] } else { of };
    let numbers = of.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "CONSTANT int {name}[{}] = {{{numbers}}};", of.len());
}

/// Returns the coefficients of a method in C++.
fn coefficients(tableau: &Tableau, method: &Properties) -> String {
    let Tableau { nodes, stages, solution, extra, errors, dense, weights, degree } = *tableau;
    let count = nodes.len();
    let of = |rows: &[Row]| rows.iter().map(|row| row.of).collect::<Vec<_>>();
    let last = stages.last().map_or(0, |row| row.of);
    let numbers = [
        ("STAGES", count),
        ("STEPS", stages.len()),
        ("EXTRA", extra.len()),
        ("ERRORS", errors.len()),
        ("DENSE", dense.len()),
        ("DEGREE", degree),
        ("LAST", last),
    ];
    let mut text = String::from("namespace odes {\n");
    for (name, number) in numbers {
        let _ = writeln!(text, "constexpr int {name} = {number};");
    }
    let (has_solution, fsal) = (!solution.is_empty(), method.fsal);
    let _ = writeln!(text, "constexpr bool HAS_SOLUTION = {has_solution}, FSAL = {fsal};");
    let _ = writeln!(text, "constexpr float ROOT = {:?}f;", first_step::root(method.order));
    rows(&mut text, "STEP", count, stages);
    list(&mut text, "STEP_OF", &of(stages));
    rows(&mut text, "SOLUTION", count, solution);
    rows(&mut text, "MORE", count, extra);
    list(&mut text, "MORE_OF", &of(extra));
    rows(&mut text, "ERROR", count, errors);
    list(&mut text, "DENSE_OF", dense);
    let weights = dense.iter().map(|&stage| weights[stage * degree..(stage + 1) * degree].to_vec());
    table(&mut text, "WEIGHT", degree, weights);
    text.push_str("} // namespace odes\n");
    text
}

/// Returns the kernel program.
fn program<T: Number>(
    tableau: &Tableau,
    method: &Properties,
    kernel_config: &KernelConfig,
    Cut { rows, each, blocks }: Cut,
) -> Result<KernelSource, SolveError> {
    let size = size_of::<LinearArguments>();
    let config =
        format!("    static constexpr u32 ROWS = {rows}u, EACH = {each}u, BLOCKS = {blocks}u;\n");
    let text = format!(
        "{}{LINEAR}static_assert(sizeof(odes::LockstepArguments<{}>) == {size}, \"the layout of LinearArguments\");\n",
        coefficients(tableau, method),
        T::DEVICE_NAME,
    );
    let group = LockstepText {
        name: NAME,
        threads: THREADS,
        programs: first_step::DEVICE,
        config: &config,
        text: &text,
    };
    let system = SystemText::of_kernel("array", clock::CONSTANTS);
    // The method type only selects whether the loop guards against growth.
    let source = with_group::<T, Tsit5>(&system, kernel_config, &group)?;
    Ok(KernelSource::new(NAME, source))
}

/// The kernel configuration of a solve, if the device holds the matrix.
fn kernel_config<T: Number>(
    inputs: &PreparedSolve<T>,
    tableau: &Tableau,
    rows: usize,
    multiprocessors: usize,
) -> Option<(KernelConfig, Cut)> {
    let PreparedSolve { options: settings, inputs: columns } = inputs;
    // The number of step ends is unknown, so no memory can be reserved for them.
    if settings.saved.times > 0 {
        return None;
    }
    let cut = Cut::new(rows, size_of::<T>(), tableau.nodes.len(), multiprocessors)?;
    let states = usize::from(columns.save.slots() > 0);
    let kernel_config = KernelConfig {
        saved: SavedRow { states, observables: 0, times: 0 },
        ..KernelConfig::new(settings, columns, false)
    };
    Some((kernel_config, cut))
}

/// Solves, if the device holds the matrix.
pub(crate) fn solve<T: Number>(
    request: PersistentSolve<'_, T>,
) -> Result<Option<Solved<T>>, SolveError> {
    let PersistentSolve { a, u0, tableau, method, inputs, .. } = request;
    let (n, place, queue) = (u0.len(), a.place(), a.place().queue());
    let multiprocessors = queue.device().multiprocessors() as usize;
    let Some((kernel_config, cut)) = kernel_config(inputs, tableau, n, multiprocessors) else {
        return Ok(None);
    };
    let slots = inputs.inputs.save.slots();
    let name = format!("{} {} {cut:?} {kernel_config:?}", method.name, T::DEVICE_NAME);
    let write = || program::<T>(tableau, method, &kernel_config, cut);
    let kernel = place.kernel_named(name, write)?;
    if queue.blocks_at_once(&kernel, THREADS)? < cut.blocks as u32 {
        return Ok(None);
    }
    let Launched { out, saved: states } = launch(request, &kernel_config, &kernel, cut, slots)?;
    let mut end = vec![T::lit(0.0); report_len::<T>() + n];
    queue.download(&out, &mut end)?;
    let report = end.drain(..report_len::<T>()).map(|word| word.to_bits().lane(0));
    let [code, steps, rejected, saved, evaluations, time] = report_of::<T>(report.collect());
    let mut numbers = vec![T::lit(0.0); n.saturating_mul(saved as usize)];
    queue.download(&states, &mut numbers)?;
    Ok(Some(Solved {
        code,
        end_time: T::from_bits(<T::Bits as Bits>::lit(time)),
        end,
        saved: numbers.chunks(n).map(<[T]>::to_vec).collect(),
        steps: steps as u32,
        rejected: rejected as u32,
        evaluations,
    }))
}

/// Numbers of a report: code, steps, rejected steps, saved states, evaluations, and the bits of the
/// time, each a `u64`.
const REPORT: usize = 6;

/// The size of a report, in numbers of an array.
const fn report_len<T>() -> usize {
    REPORT * size_of::<u64>() / size_of::<T>()
}

/// Decodes a report from words of the size of an array's numbers.
fn report_of<T>(words: Vec<u64>) -> [u64; REPORT] {
    let halves = size_of::<u64>() / size_of::<T>();
    // The lower half comes first on all devices.
    let whole = |word: usize| {
        let halves = words[word * halves..(word + 1) * halves].iter().rev();
        halves.fold(0, |whole, half| whole << 32 | half)
    };
    core::array::from_fn(whole)
}

/// The device memory of a launch's results.
struct Launched<T> {
    /// The report, followed by the final state.
    out: DeviceBuffer<T>,
    saved: DeviceBuffer<T>,
}

fn launch<T: Number>(
    PersistentSolve { a, u0, abstol, inputs, .. }: PersistentSolve<'_, T>,
    kernel_config: &KernelConfig,
    kernel: &Kernel,
    cut: Cut,
    slots: usize,
) -> Result<Launched<T>, GpuError> {
    let (n, queue) = (cut.rows, a.place().queue());
    let out = queue.allocate::<T>(report_len::<T>() + n)?;
    let saved = queue.allocate::<T>(n.saturating_mul(slots))?;
    let of_rows = 2 * n * size_of::<T>() / 4;
    let words = queue.zeros::<u64>(of_rows + word_bytes(cut.blocks) / 8)?;
    let clockwork = queue.clockwork(kernel_config, &inputs.options, &inputs.inputs)?;
    let linear = LinearArguments {
        a: a.at(),
        u0: u0.at(),
        abstol: abstol.at(),
        words: words.address(),
        sums: words.address() + 8 * of_rows as u64,
        saved: saved.address(),
        end: out.address() + 8 * REPORT as u64,
        report: out.address(),
        own: u32::from(abstol.len() > 1),
    };
    let arguments = (clockwork.arguments, clockwork.shared, linear);
    // SAFETY: the kernel takes a `KernelArguments`, the shared numbers and a `LinearArguments`,
    // whose sizes its text asserts. The matrix has `n` columns of `n` numbers, and the other arrays
    // have `n` numbers. The buffers of saved states, words and sums have the sizes that the kernel
    // expects. All are freed on this queue, behind the kernel. All blocks run at once, or the
    // driver rejects the launch.
    unsafe { queue.launch_blocks(kernel, arguments, cut.blocks as u32, THREADS, true)? };
    Ok(Launched { out, saved })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ode_core::SolveOptions;
    use ode_core::methods::{Coefficients, Dop853, Euler, Rk4, Tabulated, Vern7};
    use ode_gpu::{Cache, Nvrtc};
    use odes_skipped::{Needed, needs};

    /// Compiles the kernel of a solve with these options, and checks that registers suffice.
    fn compiles<T: Number, M: Tabulated>(_: M, n: usize, options: &SolveOptions) {
        let span = (T::lit(0.0), T::lit(1.0));
        let (inputs, _) = clock::inputs(span, options, &M::DEFINED, n).unwrap();
        let Coefficients::Explicit(tableau) = M::COEFFICIENTS else { panic!("an explicit method") };
        let (kernel_config, cut) = kernel_config(&inputs, tableau, n, 132).unwrap();
        let program = program::<T>(tableau, &M::DEFINED, &kernel_config, cut).unwrap();
        let compiled = program.compile("sm_90", &Cache::off()).unwrap();
        let resources = compiled.resources.unwrap();
        eprintln!("{} {} {n}: {cut:?} {resources:?}", M::DEFINED.name, T::NAME);
        assert_eq!(resources.spill_store_bytes + resources.spill_load_bytes, 0, "{n}");
        assert!(resources.registers <= 255);
    }

    #[needs(nvrtc)]
    #[test]
    fn kernels_compile_without_spills() {
        if let Err(error) = Nvrtc::get() {
            Needed::Nvrtc.is_missing(error);
            return;
        }
        let options = SolveOptions::default().saveat(0.25);
        compiles::<f32, _>(Tsit5, 100, &options);
        compiles::<f64, _>(Tsit5, 100, &SolveOptions::default());
        compiles::<f32, _>(Tsit5, 1000, &options);
        compiles::<f64, _>(Tsit5, 1000, &options.clone().tstops([0.5]).dtmax(0.1));
        compiles::<f32, _>(Tsit5, 1400, &options);
        compiles::<f32, _>(Vern7, 1300, &options);
        compiles::<f64, _>(Dop853, 960, &options);
        compiles::<f32, _>(Rk4, 33, &options.clone().fixed_step(0.1));
        compiles::<f64, _>(Euler, 1, &options.fixed_step(0.1));
    }

    /// Every row is in a block, no block is empty, and registers suffice.
    #[test]
    fn blocks_have_all_rows() {
        for bytes in [4, 8] {
            for n in (1..3000).step_by(7) {
                let Some(Cut { rows, each, blocks }) = Cut::new(n, bytes, 7, 132) else {
                    assert!(n > 1056 && n * n * bytes > 8_000_000, "{n} {bytes}");
                    continue;
                };
                let of_block = each * THREADS as usize / 32;
                assert!(rows == n && blocks <= 132 && each <= 32);
                assert!(blocks * of_block >= n && (blocks - 1) * of_block < n);
            }
        }
        assert_eq!(Cut::new(100, 8, 7, 132).map(|cut| cut.blocks), Some(1));
        assert_eq!(Cut::new(1000, 8, 7, 132).map(|cut| (cut.each, cut.blocks)), Some((1, 125)));
        assert_eq!(Cut::new(4000, 4, 7, 132), None);
    }
}
