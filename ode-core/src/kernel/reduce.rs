//! The C++ of reductions: a kernel that computes statistics of the results of a launch.
//!
//! The kernel is not generated from lane programs, since it neither integrates nor depends on a
//! system. It computes the integers of [`summary`](crate::summary) and the rows of nodes of its
//! tree, with the same bits. CUDA only.

use crate::kernel::Target;
use crate::lane::Scalar;
use crate::solution::ReturnCode;
use crate::solution::reduction::{ReductionRequest, TreeNode};
use crate::step::switching;
use crate::summary::tree::pieces;
use core::ops::Range;

/// Name of the kernel in the text of [`source`].
pub const REDUCE_NAME: &str = "odes_reduce";

/// The threads of a block.
pub const REDUCE_THREADS: u32 = 256;

/// The largest level of a node that a block reduces.
pub const MOST_LEVEL: u32 = 16;

/// The least level of the nodes that make up most of a launch: one tile of a block.
pub const LEAST_LEVEL: u32 = 12;

/// The number of return codes that are counted.
pub const CODES: usize = 32;

/// The kernel.
const KERNEL: &str = include_str!("reduce.hpp");

/// Returns the biased exponents of finite numbers, in `f64`, of this precision.
///
/// Numbers of `f32` are normal numbers in `f64`.
const fn exponents<T: Scalar>() -> [u32; 2] {
    if T::DOUBLE { [1, 0x7fe] } else { [1023 - 149, 1023 + 127] }
}

/// Returns the number of pages of one sign: an exponent each, zero, and infinity.
const fn side<T: Scalar>() -> u32 {
    let [first, last] = exponents::<T>();
    last - first + 3
}

/// Returns the number of pages of counters of a cell.
#[must_use]
pub const fn pages<T: Scalar>() -> u32 {
    2 * side::<T>()
}

/// Returns the key of a page, as `summary::counters` has it.
#[must_use]
pub fn key_of<T: Scalar>(page: u32) -> u16 {
    let side = side::<T>();
    let exponent = |page: u32| match page {
        0 => 0,
        page if page == side - 1 => 0x7ff,
        page => exponents::<T>()[0] + page - 1,
    };
    let key = match page.checked_sub(side) {
        Some(page) => 0x800 + exponent(page),
        None => 0x7ff - exponent(side - 1 - page),
    };
    key as u16
}

/// Returns the beginning of the texts of reductions: numbers of this precision, nodes, and blocks.
pub(super) fn head<T: Scalar>() -> String {
    let precision = if T::DOUBLE { "#define NUMBER_IS_DOUBLE\n" } else { "" };
    format!(
        "{precision}{prelude}
namespace odes {{
typedef {number} Value;
typedef unsigned char u8;
constexpr u32 THREADS = {REDUCE_THREADS}u, WARPS = THREADS / 32u;
// The greatest level of a node.
constexpr u32 MOST_LEVELS = {MOST_LEVEL}u;
// A node: 2^level trajectories from `begin` on, counted from the first one of the launch.
struct Node {{
    u32 begin, level;
}};
}} // namespace odes
",
        prelude = Target::Cuda.prelude(),
        number = T::DEVICE_NAME,
    )
}

/// Returns the complete text of the kernel that computes these statistics.
///
/// The kernel [`REDUCE_NAME`] has the argument [`ReduceArguments`] and a block for each node of each
/// cell.
#[must_use]
pub fn source<T: Scalar>(request: &ReductionRequest) -> String {
    let [first, last] = exponents::<T>();
    let pages = pages::<T>();
    format!(
        "{head}
namespace odes {{
constexpr u32 CODES = {CODES}u;
constexpr u32 BITS = {bits}u;
constexpr bool COUNTS = {counts}, EXTREMES = {extremes}, HISTOGRAMS = {histograms};
constexpr u32 FIRST_EXPONENT = {first}u, LAST_EXPONENT = {last}u;
constexpr u32 SIDE = {side}u, PAGES = {pages}u, PAGE_WORDS = {words}u;
}} // namespace odes
{KERNEL}
REDUCE_KERNEL({REDUCE_NAME})
static_assert(sizeof(odes::ReduceArguments) == {size}, \"the layout of ReduceArguments\");
static_assert(sizeof(odes::Extremes) == {extreme}, \"the layout of NodeExtremes\");
",
        head = head::<T>(),
        bits = request.bits.unwrap_or(0),
        counts = request.bits.is_some(),
        extremes = request.needs_extremes(),
        histograms = request.has_histograms(),
        side = side::<T>(),
        words = page_words::<T>(),
        size = size_of::<ReduceArguments>(),
        extreme = size_of::<NodeExtremes>(),
    )
}

/// Returns the words of the bits that tell which pages of a cell have counts.
#[must_use]
pub const fn page_words<T: Scalar>() -> usize {
    pages::<T>().div_ceil(32) as usize
}

/// Returns the nodes of a range of trajectories, each of at most `2^level` of them.
#[must_use]
pub fn nodes(range: Range<u64>, level: u32) -> Vec<TreeNode> {
    let node = |piece: Range<u64>| TreeNode {
        first: piece.start,
        level: (piece.end - piece.start).ilog2(),
    };
    pieces(range, level).map(node).collect()
}

/// Returns the level of the nodes of a launch, such that at least `blocks` blocks have work.
#[must_use]
pub fn level(trajectories: usize, cells: usize, blocks: usize) -> u32 {
    let size = trajectories.saturating_mul(cells) / blocks.max(1);
    size.max(1).ilog2().clamp(LEAST_LEVEL, MOST_LEVEL)
}

/// A node of a launch: `Node` in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct LaunchNode {
    /// The first trajectory, counted from the first one of the launch.
    pub begin: u32,
    /// The number of trajectories, as a power of two.
    pub level: u32,
}

impl LaunchNode {
    /// Returns a node of a launch that begins with the trajectory `first`.
    ///
    /// A launch has at most `2^31` trajectories.
    #[must_use]
    pub fn new(node: TreeNode, first: u64) -> Self {
        LaunchNode { begin: (node.first - first) as u32, level: node.level }
    }
}

/// The histogram of a cell: `Grid` in `reduce.hpp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct LaunchGrid {
    /// The index of the first edge.
    pub edges: u32,
    /// The index of the first counter, of values below the grid; then come values above it.
    pub counters: u32,
    /// The number of bins; 0 without a histogram.
    pub bins: u32,
}

/// The extremes of a node: `Extremes` in `reduce.hpp`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
#[allow(missing_docs)]
pub struct NodeExtremes {
    pub values: [f64; 2],
    /// Counted from the first trajectory of the launch; `u32::MAX` without values.
    pub at: [u32; 2],
}

/// The kernel's argument: `ReduceArguments` in `reduce.hpp`. Pointers are device addresses.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[allow(missing_docs)]
pub struct ReduceArguments {
    pub values: u64,
    pub codes: u64,
    pub nodes: u64,
    pub grids: u64,
    pub edges: u64,
    pub rows: u64,
    pub extremes: u64,
    pub counters: u64,
    pub touched: u64,
    pub bins: u64,
    pub code_counts: u64,
    pub n: u64,
    pub node_count: u32,
    pub cells: u32,
    pub successes: u32,
    pub code_mask: u32,
}

/// The bits of a lane's number that are the return code.
pub const CODE_MASK: u32 = switching::USED as u32 - 1;

/// Returns a bit for each number of a return code that is a success.
#[must_use]
pub fn successes() -> u32 {
    let is_success = |number: &u32| ReturnCode::from_lane(*number as u8).is_success();
    (0..CODES as u32).filter(is_success).fold(0, |bits, number| bits | 1 << number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_the_order_of_numbers() {
        let keys = |pages: u32, key: fn(u32) -> u16| (0..pages).map(key).collect::<Vec<_>>();
        let (single, double) = (keys(pages::<f32>(), key_of::<f32>), keys(4096, key_of::<f64>));
        assert_eq!(pages::<f64>(), 4096);
        assert!(double.iter().copied().eq(0..4096));
        assert!(single.is_sorted() && single.len() == 558);
        for key in [0, 0x7ff, 0x800, 0xfff, 0x800 + 874, 0x800 + 1150, 0x7ff - 1023] {
            assert!(single.contains(&key), "{key}");
        }
        assert!(!single.contains(&(0x800 + 873)) && !single.contains(&(0x800 + 1151)));
    }

    #[test]
    fn successes_are_those_of_codes() {
        assert_eq!(successes() & 0b111, 0b011);
        assert!(ReturnCode::ALL.len() <= CODES && CODE_MASK as usize == CODES - 1);
    }
}
