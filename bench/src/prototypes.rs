//! Best kernel times of the prototypes, in milliseconds on one NVIDIA H200.
//!
//! The prototypes of this design preceded the project. Their times are no reference for other
//! devices.

use crate::workloads::Precision;

/// Returns the prototype's time of a workload, if it had the workload.
pub(crate) fn kernel_ms(workload: &str, precision: Precision) -> Option<f64> {
    use Precision::{F32, F64};
    let prototype = match (workload, precision) {
        ("A", F32) => 16.6,
        ("A", F64) => 30.8,
        ("Ark4", F32) => 8.64,
        ("B2", F32) => 5.43,
        ("B2", F64) => 12.19,
        ("B2s", F32) => 6.21,
        ("B2s", F64) => 12.71,
        ("C", F32) => 8.6,
        ("C", F64) => 13.1,
        ("V", F32) => 3.47,
        ("V", F64) => 6.59,
        ("R8", F64) => 1.01,
        ("R8s", F64) => 0.092,
        ("R3s", F64) => 0.020,
        _ => return None,
    };
    Some(prototype)
}
