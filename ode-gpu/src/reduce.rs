//! Statistics of a chunk, which a second kernel computes behind the solve.
//!
//! The results stay in device memory. The host receives a row for each node of the tree, and the
//! counters that are not zero.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::cast_slice;
use cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig, PushKernelArg};
use ode_core::SolveError;
use ode_core::kernel::reduce::{
    CODE_MASK, CODES, LaunchGrid, LaunchNode, NodeExtremes, REDUCE_NAME, REDUCE_THREADS,
    ReduceArguments, key_of, level, nodes, page_words, pages, source, successes,
};
use ode_core::kernel::reduce_joint::{
    self, JOINT_NAME, JointArguments, MOST_COMPONENTS, row_length,
};
use ode_core::lane::Scalar;
use ode_core::solution::ResultArray;
use ode_core::solution::reduction::{
    ChunkSummary, CountedPage, Reduction, ReductionRequest, TreeNode,
};

use crate::argument::Argument;
use crate::batch::{Batch, align};
use crate::device::Device;
use crate::error::{DriverCall, GpuError};
use crate::kernel::{Kernel, KernelSource};
use crate::memory::Stream;
use crate::pinned::Transfer;

/// The part of a device's memory that the counters of a chunk may take.
const SHARE: u64 = 32;

/// The most cells, such that a launch has a block for each node of each cell.
const MOST_CELLS: usize = 1 << 20;

/// The blocks that a multiprocessor should have to reduce.
const BLOCKS: usize = 16;

/// The kernel of a reduction on a device.
pub(crate) struct Reducer<'a, T> {
    reduction: &'a dyn Reduction<T>,
    kernel: Arc<Kernel>,
    /// The kernel of covariances.
    joint: Option<Arc<Kernel>>,
    /// The histogram of each cell, and all edges.
    grids: (Vec<LaunchGrid>, Vec<f64>),
    /// The number of blocks that keep the device busy.
    blocks: usize,
}

/// Returns whether all devices can compute a reduction.
///
/// Counters must fit into their memory, and rows of all components into their registers.
pub(crate) fn fits<T: Scalar>(request: &ReductionRequest, devices: &[Device]) -> bool {
    let bytes = beside::<T>(request) as u64;
    let fits = !request.covariance || request.width <= MOST_COMPONENTS;
    let fits = fits && (1..=MOST_CELLS).contains(&request.cells);
    fits && devices.iter().all(|device| bytes <= device.total_memory() / SHARE)
}

/// Returns the device memory of a chunk's statistics, apart from those of nodes.
pub(crate) fn beside<T: Scalar>(request: &ReductionRequest) -> usize {
    let counters = request.bits.map_or(0, |bits| (pages::<T>() as usize) << bits);
    let edges: usize = request.edges.iter().map(|edges| 3 * edges.len()).sum();
    let of_cells = (counters + page_words::<T>() + 16).saturating_mul(request.cells);
    of_cells.saturating_add(edges.saturating_mul(request.slots())).saturating_mul(4)
}

impl<'a, T: Scalar> Reducer<'a, T> {
    /// Returns the kernel of a reduction, compiled if necessary.
    pub(crate) fn new(reduction: &'a dyn Reduction<T>, device: &Device) -> Result<Self, GpuError> {
        let request = reduction.request();
        let kernel = device.kernel(&KernelSource::new(REDUCE_NAME, source::<T>(request)))?;
        let joint = request.covariance.then(|| {
            let text = reduce_joint::source::<T>(request.width);
            device.kernel(&KernelSource::new(JOINT_NAME, text))
        });
        let joint = joint.transpose()?;
        let blocks = BLOCKS * device.multiprocessors() as usize;
        Ok(Reducer { reduction, kernel, joint, grids: grids(request), blocks })
    }

    /// Queues the reduction of a batch in device memory at `base`, behind its solve.
    pub(crate) fn queue(
        &self,
        stream: &Stream,
        batch: &Batch<'_, T>,
        base: u64,
    ) -> Result<Reducing, GpuError> {
        let request = self.reduction.request();
        let range = batch.numbers();
        let level = level(batch.len(), request.cells, self.blocks);
        let nodes = nodes(range.clone(), level);
        let places = Places::new::<T>(request, nodes.len());

        let (grids, edges) = &self.grids;
        let launch_nodes = nodes.iter().map(|node| LaunchNode::new(*node, range.start));
        let launch_nodes: Vec<[u32; 2]> =
            launch_nodes.map(|node| [node.begin, node.level]).collect();
        let grids: Vec<[u32; 3]> =
            grids.iter().map(|grid| [grid.edges, grid.counters, grid.bins]).collect();
        let mut memory = stream.allocate::<u8>(places.total)?;
        let sources = [
            (0, cast_slice(&launch_nodes)),
            (places.grids, cast_slice(&grids)),
            (places.edges, cast_slice(edges)),
        ];
        let uploads = stream.upload_rows(&sources, places.codes, &mut memory)?;
        for zeros in [places.codes..places.rows, places.counters..places.total] {
            if !zeros.is_empty() {
                let mut zeros = memory.slice_mut(zeros);
                stream.raw().memset_zeros(&mut zeros).call("cuMemsetD8Async")?;
            }
        }
        let own = memory.device_ptr(stream.raw()).0;
        let at = |place: usize| own + place as u64;
        let of = |array: ResultArray| base + array.of(batch.places()).at as u64;
        let arguments = Argument(ReduceArguments {
            values: of(request.values()),
            codes: of(ResultArray::Codes),
            nodes: at(0),
            grids: at(places.grids),
            edges: at(places.edges),
            rows: at(places.rows),
            extremes: at(places.extremes),
            counters: at(places.counters),
            touched: at(places.touched),
            bins: at(places.bins),
            code_counts: at(places.codes),
            n: batch.len() as u64,
            node_count: nodes.len() as u32,
            cells: request.cells as u32,
            successes: successes(),
            code_mask: CODE_MASK,
        });
        let config = LaunchConfig {
            grid_dim: ((nodes.len() * request.cells) as u32, 1, 1),
            block_dim: (REDUCE_THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut launch = stream.raw().launch_builder(self.kernel.function());
        launch.arg(&arguments);
        // SAFETY: the kernel takes a `ReduceArguments`. Its addresses are those of `places` in
        // memory of `places.total` bytes, and of the results of `batch`, both freed on this stream
        // behind the kernel. The kernel reads the cells of the request, which are the rows of their
        // array (`ReductionRequest::check`), and writes within the counters of the request.
        unsafe { launch.launch(config) }.call("cuLaunchKernel")?;
        if let Some(kernel) = &self.joint {
            let arguments = Argument(JointArguments {
                values: of(request.values()),
                codes: of(ResultArray::Codes),
                nodes: at(0),
                rows: at(places.joint),
                n: batch.len() as u64,
                node_count: nodes.len() as u32,
                successes: successes(),
                code_mask: CODE_MASK,
                unused: 0,
            });
            let blocks = (nodes.len() * request.slots()) as u32;
            let config = LaunchConfig { grid_dim: (blocks, 1, 1), ..config };
            let mut launch = stream.raw().launch_builder(kernel.function());
            launch.arg(&arguments);
            // SAFETY: the kernel takes a `JointArguments`. Its addresses are those of `places` and
            // `batch`, as above. It writes a row for each node at each saved time.
            unsafe { launch.launch(config) }.call("cuLaunchKernel")?;
        }
        Ok(Reducing { memory, places, nodes, range, uploads })
    }
}

/// Returns the histogram of each cell, and all edges.
fn grids(request: &ReductionRequest) -> (Vec<LaunchGrid>, Vec<f64>) {
    let mut starts = Vec::new();
    let mut edges: Vec<f64> = Vec::new();
    for of_component in &request.edges {
        starts.push(edges.len() as u32);
        edges.extend(of_component);
    }
    let mut counters = 0;
    let grids = (0..request.cells).map(|cell| {
        let edges = starts.get(cell % starts.len().max(1)).copied().unwrap_or(0);
        let counts = request.histogram_counts(cell) as u32;
        let grid = LaunchGrid { edges, counters, bins: counts.saturating_sub(2) };
        counters += counts;
        grid
    });
    (grids.collect(), edges)
}

/// Returns the number of elements of all rows of covariances.
fn joint_rows(request: &ReductionRequest, nodes: usize) -> usize {
    if request.covariance { request.slots() * nodes * row_length(request.width) } else { 0 }
}

/// The offsets of the arrays of a reduction in device memory, in bytes.
///
/// Nodes are first. The arrays from `codes` to `rows` and the counters begin as zeros.
#[derive(Clone, Copy, Debug)]
struct Places {
    grids: usize,
    edges: usize,
    codes: usize,
    touched: usize,
    bins: usize,
    rows: usize,
    joint: usize,
    extremes: usize,
    counters: usize,
    total: usize,
}

impl Places {
    fn new<T: Scalar>(request: &ReductionRequest, nodes: usize) -> Self {
        let mut end = size_of::<LaunchNode>() * nodes;
        let mut next = |bytes: usize| {
            let at = align(end);
            end = at + bytes;
            at
        };
        let cells = request.cells;
        let of_bits = |bytes: usize| request.bits.map_or(0, |bits| (bytes << bits) * cells);
        let bins: usize = (0..cells).map(|cell| request.histogram_counts(cell)).sum();
        let edges: usize = request.edges.iter().map(Vec::len).sum();
        let extremes = if request.needs_extremes() { size_of::<NodeExtremes>() } else { 0 };
        Places {
            grids: next(size_of::<LaunchGrid>() * cells),
            edges: next(size_of::<f64>() * edges),
            codes: next(4 * CODES),
            touched: next(request.bits.map_or(0, |_| 4 * page_words::<T>() * cells)),
            bins: next(4 * bins),
            rows: next(3 * 8 * cells * nodes),
            joint: next(8 * joint_rows(request, nodes)),
            extremes: next(extremes * cells * nodes),
            counters: next(of_bits(4 * pages::<T>() as usize)),
            total: end,
        }
    }
}

/// A queued reduction of a chunk.
pub(crate) struct Reducing {
    /// Freed by its stream, behind all work that uses it.
    memory: CudaSlice<u8>,
    places: Places,
    nodes: Vec<TreeNode>,
    range: Range<u64>,
    /// Owns the page-locked memory of the uploads, which may be in progress.
    uploads: Vec<Transfer<u8>>,
}

impl Reducing {
    /// Waits for the statistics, and adds them to the reduction.
    pub(crate) fn finish<T: Scalar>(
        self,
        stream: &Stream,
        reduction: &dyn Reduction<T>,
    ) -> Result<(), SolveError> {
        let Reducing { memory, places, nodes, range, uploads } = self;
        let request = reduction.request();
        let mut bytes = vec![0_u64; (places.counters - places.codes).div_ceil(8)];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut bytes);
        let end = places.total.min(places.counters);
        let bytes = &mut bytes[..end - places.codes];
        stream.download_rows(&memory.slice(places.codes..end), vec![(0, &mut *bytes)])?;
        drop(uploads);
        let part = |from: usize, len: usize| &bytes[from - places.codes..][..len];
        let (cells, of_cell) = (request.cells, nodes.len());

        let rows: &[f64] = cast_slice(part(places.rows, 3 * 8 * cells * of_cell));
        let third = cells * of_cell;
        let rows = [0, 1, 2].map(|k| rows[k * third..(k + 1) * third].to_vec());
        let mut extremes = Vec::new();
        if request.needs_extremes() {
            let size = size_of::<NodeExtremes>();
            for one in part(places.extremes, size * third).chunks_exact(size) {
                extremes.push(extremes_of(one, range.start));
            }
        }
        let joint = part(places.joint, 8 * joint_rows(request, of_cell));
        let mut bins = Vec::new();
        if request.has_histograms() {
            let mut at = places.bins;
            for cell in 0..cells {
                let len = 4 * request.histogram_counts(cell);
                bins.push(cast_slice(part(at, len)).to_vec());
                at += len;
            }
        }
        let mut found = Vec::new();
        if let Some(bits) = request.bits {
            let words = page_words::<T>();
            let touched: &[u32] = cast_slice(part(places.touched, 4 * words * cells));
            for (cell, touched) in touched.chunks_exact(words).enumerate() {
                for run in runs(touched) {
                    let len = run.len() << bits;
                    let mut counts = vec![0_u32; len];
                    let first = cell * pages::<T>() as usize + run.start as usize;
                    let at = places.counters + ((4 * first) << bits);
                    let view = memory.slice(at..at + 4 * len);
                    let to: &mut [u8] = bytemuck::cast_slice_mut(&mut counts);
                    stream.raw().memcpy_dtoh(&view, to).call("cuMemcpyDtoHAsync")?;
                    found.push((cell, run, counts));
                }
            }
        }
        stream.synchronize()?;
        let bits = request.bits.unwrap_or(0);
        let pages = found.iter().flat_map(|(cell, run, counts)| {
            run.clone().zip(counts.chunks_exact(1 << bits)).map(|(page, counts)| CountedPage {
                cell: *cell,
                key: key_of::<T>(page),
                counts: counts.to_vec(),
            })
        });
        let chunk = ChunkSummary {
            range,
            codes: cast_slice(part(places.codes, 4 * CODES)).to_vec(),
            nodes,
            rows,
            joint: cast_slice(joint).to_vec(),
            extremes,
            pages: pages.collect(),
            bins,
        };
        reduction.add(&chunk)
    }
}

/// Returns the extremes of a node from their bytes; `None` without values.
fn extremes_of(bytes: &[u8], first: u64) -> Option<[(f64, u64); 2]> {
    let (values, at) = bytes.split_at(16);
    let (values, at): (&[f64], &[u32]) = (cast_slice(values), cast_slice(at));
    let of = |k: usize| (values[k], first + u64::from(at[k]));
    (at[0] != u32::MAX).then(|| [of(0), of(1)])
}

/// Returns the runs of bits that are set.
fn runs(words: &[u32]) -> Vec<Range<u32>> {
    let mut runs: Vec<Range<u32>> = Vec::new();
    for (k, word) in (0..).zip(words) {
        for bit in (0..32).filter(|bit| word >> bit & 1 == 1) {
            let page = 32 * k + bit;
            match runs.last_mut() {
                Some(run) if run.end == page => run.end += 1,
                _ => runs.push(page..page + 1),
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_consecutive_pages() {
        assert_eq!(runs(&[0, 0]), []);
        assert_eq!(runs(&[0b0110_0001, 1]), [0..1, 5..7, 32..33]);
        assert_eq!(runs(&[u32::MAX, 0b11, 0, 1]), [0..34, 96..97]);
    }

    #[test]
    fn arrays_do_not_overlap_and_each_cell_has_its_histogram() {
        let edges = vec![vec![0.0, 1.0, 2.0], Vec::new()];
        let request = ReductionRequest {
            finals: false,
            cells: 6,
            width: 2,
            covariance: true,
            extremes: false,
            bits: Some(6),
            edges,
        };
        let (found, all) = grids(&request);
        assert_eq!((found.len(), all.len()), (6, 3));
        let of_cells: Vec<[u32; 2]> = found.iter().map(|grid| [grid.counters, grid.bins]).collect();
        assert_eq!(of_cells, [[0, 2], [4, 0], [4, 2], [8, 0], [8, 2], [12, 0]]);
        let places = Places::new::<f32>(&request, 7);
        let Places { grids, edges, codes, touched, bins, rows, joint, extremes, counters, total } =
            places;
        let sizes =
            [56, 72, 24, 128, 4 * 18 * 6, 48, 24 * 42, 8 * 3 * 7 * 6, 24 * 42, 4 * 6 * 558 * 64];
        let starts = [0, grids, edges, codes, touched, bins, rows, joint, extremes, counters];
        let ends = starts[1..].iter().chain([&total]);
        for ((start, size), end) in starts.into_iter().zip(sizes).zip(ends) {
            assert!(start % 256 == 0 && start + size <= *end, "{places:?}");
        }
        assert!(beside::<f32>(&request) >= total - counters + edges);
    }
}
