//! The C++ of covariances: a kernel that computes rows of all components at a time.
//!
//! See [`reduce`] for the other statistics. CUDA only.

use crate::kernel::reduce;
use crate::lane::Scalar;
pub use crate::solution::reduction::row_length;

/// Name of the kernel in the text of [`source`].
pub const JOINT_NAME: &str = "odes_reduce_joint";

/// The largest number of components whose rows a thread holds.
pub const MOST_COMPONENTS: usize = 8;

/// The kernel.
const KERNEL: &str = include_str!("reduce_joint.hpp");

/// Returns the complete text of the kernel for `width` components.
///
/// The kernel [`JOINT_NAME`] has the argument [`JointArguments`] and a block for each node at each
/// saved time.
#[must_use]
pub fn source<T: Scalar>(width: usize) -> String {
    format!(
        "{head}
namespace odes {{
constexpr u32 WIDTH = {width}u;
}} // namespace odes
{KERNEL}
REDUCE_KERNEL({JOINT_NAME})
static_assert(sizeof(odes::JointArguments) == {size}, \"the layout of JointArguments\");
",
        head = reduce::head::<T>(),
        size = size_of::<JointArguments>(),
    )
}

/// The kernel's argument: `JointArguments` in `reduce_joint.hpp`. Pointers are device addresses.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[allow(missing_docs)]
pub struct JointArguments {
    pub values: u64,
    pub codes: u64,
    pub nodes: u64,
    pub rows: u64,
    pub n: u64,
    pub node_count: u32,
    pub successes: u32,
    pub code_mask: u32,
    pub unused: u32,
}
