//! One array over several devices: the product of a split matrix and a vector, and a long sum.
//!
//! ```text
//! cargo run --release -p odes-examples --example one_array_many_gpus
//! cargo run --release -p odes-examples --example one_array_many_gpus -- 10000 300000
//! ```
//!
//! Each device owns the products of a range of rows, and a range of the vector, in its own memory.
//! It adds the products of panels (1,024 columns) in order, and sums chunks with a fixed size (32,768
//! numbers), whose sums the host adds in order. The bits are therefore the same for any number of
//! devices. Without devices, CPU threads replace them, with the same bits. A table has a line for 1,
//! 2, ... all devices or threads.
//!
//! The arguments are the rows and columns of the matrix, and the length of the vector. By default the
//! matrix has 10,000 rows and 300,000 columns of `f32` (12 GB), or as many columns as fit into three
//! quarters of a device's free memory, and the vector 30 million numbers. On a CPU the matrix has
//! 4,000 columns.

use std::error::Error;
use std::ops::Range;
use std::time::Instant;

use ode_gpu::{Direction, KernelSource, Pinned, Transfer};
use odes::arrays::{Array, ArrayError};
use odes::device::cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig, PushKernelArg};
use odes::device::{Device, DeviceElement, Stream, devices};

/// The columns of a panel. One thread for each row sums their product.
const PANEL: usize = 1 << 10;
/// The numbers of a chunk, which one block of threads sums.
const CHUNK: usize = 1 << 15;
/// The threads of a block; each sums every 256th number of a chunk.
const BLOCK: usize = 256;
/// The default length of the summed vector.
const LENGTH: usize = 30_000_000;
/// The number of timed runs of each operation.
const ROUNDS: usize = 7;

/// Returns number `i` of all arrays: between -0.5 and 0.5, exact in `f32`.
fn number(i: usize) -> f32 {
    (((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f32) / 16_777_216.0 - 0.5
}

/// The kernels, with the same arithmetic as the CPU functions below.
const KERNELS: &str = r#"
typedef unsigned long long u64;
__device__ float number(u64 i) {
    return (float)(i * 0x9E3779B97F4A7C15ull >> 40) / 16777216.0f - 0.5f;
}
// Fills columns of `rows` numbers, which are a slice of columns of `all` numbers from `first` on.
extern "C" __global__ void fill(float* out, u64 rows, u64 columns, u64 all, u64 first) {
    u64 step = (u64)gridDim.x * blockDim.x;
    for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns; i += step) {
        out[i] = number(i / rows * all + first + i % rows);
    }
}
extern "C" __global__ void product(
    const float* a, const float* x, float* parts, u64 rows, u64 columns
) {
    u64 panel = blockIdx.y;
    u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    u64 begin = panel * 1024;
    u64 end = begin + 1024 < columns ? begin + 1024 : columns;
    float sum = 0.0f;
    #pragma unroll 16
    for (u64 column = begin; column < end; column++) {
        sum = fmaf(a[column * rows + row], x[column], sum);
    }
    parts[panel * rows + row] = sum;
}
extern "C" __global__ void add(const float* parts, double* y, u64 rows, u64 panels) {
    u64 row = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double sum = 0.0;
    #pragma unroll 8
    for (u64 panel = 0; panel < panels; panel++) sum += parts[panel * rows + row];
    y[row] = sum;
}
extern "C" __global__ void sum(const float* v, float* parts, u64 length) {
    __shared__ float sums[256];
    u64 chunk = blockIdx.x;
    u64 begin = chunk * 32768;
    u64 end = begin + 32768 < length ? begin + 32768 : length;
    float own = 0.0f;
    for (u64 i = begin + threadIdx.x; i < end; i += 256) {
        own += v[i];
    }
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) parts[chunk] = sums[0];
}
"#;

/// Returns the range of rows or chunks that device `i` of `of` computes.
fn share(parts: usize, i: usize, of: usize) -> Range<usize> {
    parts * i / of..parts * (i + 1) / of
}

/// Adds the sums of panels for each row, in the order of the panels.
fn add_panels(parts: &[f32], rows: usize) -> Vec<f64> {
    let mut y = vec![0.0; rows];
    for panel in parts.chunks(rows) {
        y.iter_mut().zip(panel).for_each(|(y, &part)| *y += f64::from(part));
    }
    y
}

/// Adds the sums of chunks, in order.
fn add_chunks(parts: &[f32]) -> f64 {
    parts.iter().map(|&part| f64::from(part)).sum()
}

/// Returns the sum of a chunk: every 256th number separately, then pairwise.
fn sum_of_chunk(v: &[f32]) -> f32 {
    let mut sums = [0.0; BLOCK];
    for v in v.chunks(BLOCK) {
        sums.iter_mut().zip(v).for_each(|(sum, &v)| *sum += v);
    }
    let mut half = BLOCK / 2;
    while half > 0 {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
        half /= 2;
    }
    sums[0]
}

/// Returns the product of a panel, column by column.
fn product_of_panel(columns: &[Array<f32>], x: &[f32]) -> Result<Vec<f32>, ArrayError> {
    let Some(first) = columns.first() else { return Ok(Vec::new()) };
    let mut sum = first.like(first.shape())?;
    let terms: Vec<_> = x.iter().copied().zip(columns).collect();
    sum.add(1.0, &terms)?;
    sum.to_vec()
}

/// Calls `work(i)` for each `i` below `n`, each on its own thread.
fn each<E: Send>(n: usize, work: impl Fn(usize) -> Result<(), E> + Sync) -> Result<(), E> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..n).map(|i| scope.spawn(move || work(i))).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}

/// Returns the median time of an operation in seconds.
fn median<E>(mut operation: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    operation()?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        operation()?;
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[ROUNDS / 2])
}

/// Results and their times.
struct Line {
    y: Vec<f64>,
    sum: f64,
    seconds: [f64; 2],
}

impl Line {
    /// Returns the sum of the bits of all results.
    fn bits(&self) -> u64 {
        let all = self.y.iter().chain([&self.sum]);
        all.map(|number| number.to_bits()).fold(0, u64::wrapping_add)
    }
}

/// The numbers of rows and columns, and the length of the vector.
type Sizes = (usize, usize, usize);

/// The arrays in host memory.
struct OnCpu {
    columns: Vec<Array<f32>>,
    x: Vec<f32>,
    v: Vec<f32>,
}

impl OnCpu {
    fn new((rows, columns, length): Sizes) -> Self {
        let column = |c: usize| {
            Array::vector((0..rows).map(|row| number(c * rows + row)).collect::<Vec<_>>())
        };
        let numbers = |n| (0..n).map(number).collect();
        OnCpu {
            columns: (0..columns).map(column).collect(),
            x: numbers(columns),
            v: numbers(length),
        }
    }

    /// Solves with `threads` threads instead of devices.
    fn run(&self, threads: usize) -> Result<Line, ArrayError> {
        let rows = self.columns.first().map_or(0, Array::rows);
        let panels: Vec<_> = self.columns.chunks(PANEL).zip(self.x.chunks(PANEL)).collect();
        let slots = |n: usize| (0..n).map(|_| std::sync::Mutex::default()).collect::<Vec<_>>();
        let made: Vec<std::sync::Mutex<Vec<f32>>> = slots(panels.len());
        let put = |slot: &std::sync::Mutex<Vec<f32>>, part| {
            *slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = part;
        };
        let of = |made: &[std::sync::Mutex<Vec<f32>>]| -> Vec<f32> {
            let part = |slot: &std::sync::Mutex<Vec<f32>>| {
                slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
            };
            made.iter().flat_map(part).collect()
        };
        let mut y = Vec::new();
        let product = median(|| {
            each(threads, |i| {
                for panel in share(panels.len(), i, threads) {
                    let (columns, x) = panels[panel];
                    put(&made[panel], product_of_panel(columns, x)?);
                }
                Ok::<_, ArrayError>(())
            })?;
            y = add_panels(&of(&made), rows);
            Ok::<_, ArrayError>(())
        })?;
        let chunks: Vec<_> = self.v.chunks(CHUNK).collect();
        let made = slots(threads);
        let mut sum = 0.0;
        let reduction = median(|| {
            each(threads, |i| {
                let own = share(chunks.len(), i, threads);
                put(&made[i], chunks[own].iter().map(|chunk| sum_of_chunk(chunk)).collect());
                Ok::<_, ArrayError>(())
            })?;
            sum = add_chunks(&of(&made));
            Ok::<_, ArrayError>(())
        })?;
        Ok(Line { y, sum, seconds: [product, reduction] })
    }
}

type Failure = Box<dyn Error + Send + Sync>;

/// The arrays of one device, in its own memory: rows of the matrix, and a range of the vector.
struct OnGpu {
    device: Device,
    stream: Stream,
    rows: usize,
    columns: usize,
    length: usize,
    a: CudaSlice<f32>,
    x: CudaSlice<f32>,
    v: CudaSlice<f32>,
    of_panels: CudaSlice<f32>,
    y: CudaSlice<f64>,
    of_chunks: CudaSlice<f32>,
}

impl OnGpu {
    /// Creates the arrays of device `i` of `of`.
    fn new(device: &Device, sizes: Sizes, i: usize, of: usize) -> Result<Self, Failure> {
        let (all_rows, columns, all_length) = sizes;
        let of_rows = share(all_rows, i, of);
        let of_v = share(all_length.div_ceil(CHUNK), i, of);
        let of_v = of_v.start * CHUNK..(of_v.end * CHUNK).min(all_length);
        let (rows, length, stream) = (of_rows.len(), of_v.len(), device.new_stream()?);
        let one = OnGpu {
            device: device.clone(),
            rows,
            columns,
            length,
            a: stream.allocate(rows * columns)?,
            x: stream.allocate(columns)?,
            v: stream.allocate(length)?,
            of_panels: stream.allocate(columns.div_ceil(PANEL) * rows)?,
            y: stream.allocate(rows)?,
            of_chunks: stream.allocate(length.div_ceil(CHUNK))?,
            stream,
        };
        let arrays = [
            (&one.a, [rows, columns, all_rows, of_rows.start]),
            (&one.x, [columns, 1, columns, 0]),
            (&one.v, [length, 1, length, of_v.start]),
        ];
        for (array, numbers) in arrays {
            one.launch("fill", (2048, 1), &[one.address(array)], &numbers)?;
        }
        Ok(one)
    }

    fn address<T: DeviceElement>(&self, array: &CudaSlice<T>) -> u64 {
        array.device_ptr(self.stream.raw()).0
    }

    /// Queues a kernel. Its arguments are first `addresses` and then `numbers`.
    fn launch(
        &self,
        kernel: &str,
        grid: (usize, usize),
        addresses: &[u64],
        numbers: &[usize],
    ) -> Result<(), Failure> {
        if grid.0 == 0 || grid.1 == 0 {
            return Ok(());
        }
        let kernel = self.device.kernel(&KernelSource::new(kernel, KERNELS))?;
        let numbers: Vec<u64> = numbers.iter().map(|&number| number as u64).collect();
        let mut launch = self.stream.raw().launch_builder(kernel.function());
        addresses.iter().chain(&numbers).for_each(|argument| {
            launch.arg(argument);
        });
        let config = LaunchConfig {
            grid_dim: (u32::try_from(grid.0)?, u32::try_from(grid.1)?, 1),
            block_dim: (BLOCK as u32, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: kernels receive the arguments that they declare, which are arrays of this device
        // and their sizes. The arrays are freed on this stream, behind the kernel.
        unsafe { launch.launch(config) }?;
        Ok(())
    }

    /// Queues the download of an array.
    fn download<T: DeviceElement>(&self, array: &CudaSlice<T>) -> Result<Transfer<T>, Failure> {
        let host = Pinned::new(&self.stream, array.len(), Direction::Download)?;
        Ok(self.stream.start_download(&array.as_view(), host)?)
    }

    /// Queues the product of the device's rows and the vector, and the download of the result.
    fn product(&self) -> Result<Transfer<f64>, Failure> {
        let (rows, columns) = (self.rows, self.columns);
        let (blocks, panels) = (rows.div_ceil(BLOCK), columns.div_ceil(PANEL));
        let of_panels = self.address(&self.of_panels);
        let arrays = [self.address(&self.a), self.address(&self.x), of_panels];
        self.launch("product", (blocks, panels), &arrays, &[rows, columns])?;
        self.launch("add", (blocks, 1), &[of_panels, self.address(&self.y)], &[rows, panels])?;
        self.download(&self.y)
    }

    /// Queues the sums of the device's chunks, and their download.
    fn sums(&self) -> Result<Transfer<f32>, Failure> {
        let arrays = [self.address(&self.v), self.address(&self.of_chunks)];
        self.launch("sum", (self.length.div_ceil(CHUNK), 1), &arrays, &[self.length])?;
        self.download(&self.of_chunks)
    }
}

/// Queues work on each device, then waits for all, and returns the results in order.
fn on_all<T: DeviceElement>(
    gpus: &[OnGpu],
    work: impl Fn(&OnGpu) -> Result<Transfer<T>, Failure>,
) -> Result<Vec<T>, Failure> {
    let transfers = gpus.iter().map(work).collect::<Result<Vec<_>, _>>()?;
    let mut all = Vec::new();
    for transfer in transfers {
        all.extend_from_slice(&transfer.wait()?);
    }
    Ok(all)
}

/// Solves with all of `devices`.
fn on_gpus(devices: &[Device], sizes: Sizes) -> Result<Line, Failure> {
    let of = devices.len();
    let gpus = devices.iter().enumerate().map(|(i, device)| OnGpu::new(device, sizes, i, of));
    let gpus = gpus.collect::<Result<Vec<_>, _>>()?;
    let mut y = Vec::new();
    let product = median(|| {
        y = on_all(&gpus, OnGpu::product)?;
        Ok::<_, Failure>(())
    })?;
    let mut sum = 0.0;
    let reduction = median(|| {
        sum = add_chunks(&on_all(&gpus, OnGpu::sums)?);
        Ok::<_, Failure>(())
    })?;
    Ok(Line { y, sum, seconds: [product, reduction] })
}

/// Prints a table for 1, 2, ... all devices or threads.
fn table(
    what: &str,
    (rows, columns, length): Sizes,
    all: usize,
    run: impl Fn(usize) -> Result<Line, Failure>,
) -> Result<(), Failure> {
    println!("{rows} by {columns} matrix, {length} numbers, f32");
    println!("{:>8} {:>12} {:>7} {:>12} {:>7}  bits", what, "product ms", "GB/s", "sum ms", "GB/s");
    let mut first = None;
    for count in 1..=all {
        let line = run(count)?;
        let [product, sum] = line.seconds;
        let rate = |numbers: usize, seconds: f64| 4e-9 * numbers as f64 / seconds;
        let rates = [rate(rows * columns, product), rate(length, sum)];
        let bits = line.bits();
        println!(
            "{count:>8} {:>12.3} {:>7.0} {:>12.3} {:>7.0}  {bits:016x}",
            1e3 * product,
            rates[0],
            1e3 * sum,
            rates[1]
        );
        let first = first.get_or_insert(line);
        if bits != first.bits() {
            return Err(format!(
                "the results with {count} {what} differ from the results with one"
            )
            .into());
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let rows = arguments.next().transpose()?.unwrap_or(10_000).max(1);
    let columns = arguments.next().transpose()?;
    let length = arguments.next().transpose()?.unwrap_or(LENGTH);
    let threads = std::thread::available_parallelism()?.get();
    let gpus = match devices() {
        Ok(gpus) => gpus,
        Err(error) => {
            println!("on the CPU's threads: {error}");
            let sizes = (rows, columns.unwrap_or(4_000), length);
            let arrays = OnCpu::new(sizes);
            table("threads", sizes, threads, |count| Ok(arrays.run(count)?))?;
            return Ok(());
        }
    };
    println!("{}", gpus[0]);
    let free = gpus.iter().map(|gpu| gpu.memory_info().map(|info| info.free));
    let free = free.collect::<Result<Vec<_>, _>>()?.into_iter().min().unwrap_or(0);
    let columns = columns.unwrap_or_else(|| (free as usize / 4 * 3 / 4 / rows).min(300_000));
    table("devices", (rows, columns, length), gpus.len(), |count| {
        on_gpus(&gpus[..count], (rows, columns, length))
    })?;
    // The first columns, also on the CPU.
    let few = (rows, columns.min(2 * PANEL), length);
    if OnCpu::new(few).run(threads)?.bits() != on_gpus(&gpus, few)?.bits() {
        return Err("the CPU computes other bits".into());
    }
    println!("the CPU computes the same bits");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_threads_gives_the_same_bits() {
        let arrays = OnCpu::new((301, 2 * PANEL + 77, 5 * CHUNK + 13));
        let one = arrays.run(1).unwrap();
        for threads in [2, 3, 5, 9] {
            assert_eq!(arrays.run(threads).unwrap().bits(), one.bits());
        }
        let exact: f64 = arrays.v.iter().map(|&v| f64::from(v)).sum();
        assert!((one.sum - exact).abs() < 1e-2, "{} {exact}", one.sum);
        for (row, y) in one.y.iter().enumerate() {
            let each = arrays.columns.iter().zip(&arrays.x);
            let term = |(column, x): (&Array<f32>, &f32)| {
                f64::from(column.as_slice().unwrap()[row]) * f64::from(*x)
            };
            let exact: f64 = each.map(term).sum();
            assert!((y - exact).abs() < 1e-3, "{row} {y} {exact}");
        }
    }

    /// Kernels compile without a GPU.
    #[odes_skipped::needs(nvrtc)]
    #[test]
    fn kernels_compile() {
        for kernel in ["fill", "product", "add", "sum"] {
            match KernelSource::new(kernel, KERNELS).compile("sm_90", &ode_gpu::Cache::off()) {
                Ok(_) => {}
                Err(error @ ode_gpu::GpuError::Unavailable { .. }) => {
                    odes_skipped::Needed::Nvrtc.is_missing(error);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}
