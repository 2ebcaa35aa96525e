//! One large system on a GPU: always on simulated devices, and on a real one if there is one.

mod failures;
mod known;
mod linear;
mod same;

use odes::arrays::{Array, ArrayGpu, ArrayProblem, Shape};
use odes_skipped::Needed;

/// Returns the GPU, or `None` with a message; with `ODES_REQUIRE_GPU=1` a missing GPU is a failure.
fn gpu() -> Option<ArrayGpu> {
    ArrayGpu::device(0).map_err(|error| Needed::Gpu.is_missing(error)).ok()
}

/// Returns the GPU if cuBLAS is there too.
fn gpu_with_blas() -> Option<ArrayGpu> {
    let system = |u: &Array<f64>, _: &[Array<f64>], _: f64, du: &mut Array<f64>| {
        let mut one = u.like(Shape::matrix(1, 1))?;
        one.fill(1.0)?;
        du.product(1.0, &one, u)
    };
    let gpu = gpu()?;
    let problem = ArrayProblem::new(system, Array::vector([1.0]), 0.0..=1.0, []);
    let solved = problem.solve(odes::Tsit5, &gpu, &odes::SolveOptions::default());
    solved.map_err(|error| Needed::Gpu.is_missing(error)).ok().map(|_| gpu)
}
