//! CUDA for `odes`: from generated source to results in host memory.
//!
//! Two libraries of NVIDIA's are needed, both found at run time and neither at build time: the
//! driver (`libcuda.so.1`), and NVRTC (`libnvrtc.so`), the compiler, from a CUDA toolkit, a
//! conda environment or the PyPI wheel `nvidia-cuda-nvrtc`. A program that uses this crate
//! starts on machines that have neither, and is told so by an error and not by a panic:
//!
//! ```
//! match ode_gpu::devices() {
//!     Ok(devices) => println!("{}", devices[0]),
//!     Err(error) => println!("solving on the CPU: {error}"),
//! }
//! ```
//!
//! # Where NVRTC is searched
//!
//! In this order, and the first that loads is taken: `CUDA_PATH` and `CUDA_HOME`; the loader's own
//! folders with `LD_LIBRARY_PATH`; `/usr/local/cuda*`; `CONDA_PREFIX`; and the folders of PyPI's
//! wheels in `VIRTUAL_ENV`, `CONDA_PREFIX`, beside the `python3` on `PATH`, and in `~/.local`. Only
//! if all that finds nothing, the `python3` on `PATH` is *run*, to ask for its package folders.
//! With `ODES_NVRTC` that library is taken and nothing is searched or run. The error that finds
//! none lists the places.
//!
//! # Layout
//!
//! | module | subject |
//! |---|---|
//! | [`EnsembleGpuKernel`] | ensembles: which devices, and how |
//! | [`EnsembleGpuArray`] | ensembles as columns of one array |
//! | [`DeviceEnsemble`] | an ensemble that stays on a device |
//! | `engine` | one device: pieces, launches, results |
//! | `columns` | one device: columns, and the launch that steps them |
//! | `launched` | a piece on its way: upload, kernel, download |
//! | `pull` | gradients: records of steps, and the way back |
//! | `batch` | how a batch lies in device memory |
//! | `driver` | the driver's library: found, checked, started |
//! | `queue`, `blas` | whole arrays, and products of matrices by cuBLAS: the feature `arrays` |
//! | `library` | where libraries lie on real machines |
//! | [`device`](fn@devices) | devices and their contexts |
//! | [`Nvrtc`] | the compiler |
//! | [`Cache`] | compiled kernels on disk |
//! | [`Program`], [`Kernel`] | compile or load, registers, occupancy, block size |
//! | `recent` | the map of the kernels that are loaded |
//! | [`Stream`] | queues, device memory |
//! | [`Pinned`], [`Transfer`] | page-locked memory and copies at the bus's speed |
//! | `locked` | memory of the process that devices read and write directly |
//! | `rows` | copies between one piece of device memory and many of the host's |
//! | [`Stopwatch`] | time on the device |
//! | [`GpuError`] | all that can go wrong |
//!
//! # Environment
//!
//! | variable | effect |
//! |---|---|
//! | `ODES_NVRTC` | path of the NVRTC library; nothing else is searched, and no program is run |
//! | `ODES_CUBLAS` | path of the cuBLAS library, as `ODES_NVRTC` is of NVRTC |
//! | `ODES_CACHE_DIR` | folder of compiled kernels |
//! | `ODES_CACHE=off` | no compiled kernels on disk |
//! | `ODES_DUMP` | folder that receives every kernel's source, log and cubin |

mod array;
mod batch;
#[cfg(feature = "arrays")]
mod blas;
mod cache;
mod columns;
mod device;
mod diagnostic;
mod driver;
mod dump;
mod engine;
mod ensemble;
mod error;
mod kernel;
mod launched;
mod library;
mod locked;
mod memory;
mod nvrtc;
mod pinned;
mod pool;
mod pull;
#[cfg(feature = "arrays")]
mod queue;
mod recent;
mod resident;
mod rows;
#[cfg(test)]
mod testing;
mod timing;

pub use array::EnsembleGpuArray;
#[cfg(feature = "arrays")]
pub use blas::{Matrices, ProductShape, Triangle};
pub use cache::{Cache, Key};
pub use cudarc;
pub use device::{Device, WarmUp, device, devices};
pub use diagnostic::Resources;
pub use driver::cuda_version as driver_cuda_version;
pub use ensemble::EnsembleGpuKernel;
pub use error::GpuError;
pub use kernel::{Compiled, Kernel, KernelReport, Origin, Program};
pub use memory::{Element, MemoryInfo, Stream};
pub use nvrtc::{Cubin, Nvrtc};
pub use pinned::{Direction, Pinned, Transfer, pooled_bytes, trim_pinned};
#[cfg(feature = "arrays")]
pub use queue::{Buffer, Clockwork, Queue};
pub use resident::{DeviceEnsemble, Running};
pub use timing::Stopwatch;
