//! CUDA backends of `odes`: from generated source to results in host memory.
//!
//! Two NVIDIA libraries are needed at run time, and none at build time. They are the driver
//! (`libcuda.so.1`) and the compiler NVRTC (`libnvrtc.so`), from a CUDA toolkit, a conda
//! environment or the PyPI wheel `nvidia-cuda-nvrtc`. A program that uses this crate also starts on
//! machines without these libraries. The functions of this crate then return an error and do not
//! panic:
//!
//! ```
//! match ode_gpu::devices() {
//!     Ok(devices) => println!("{}", devices[0]),
//!     Err(error) => println!("solving on the CPU: {error}"),
//! }
//! ```
//!
//! # Search for NVRTC
//!
//! The search takes the first library that loads, in this order: `CUDA_PATH` and `CUDA_HOME`; the
//! loader's own folders with `LD_LIBRARY_PATH`; `/usr/local/cuda*`; `CONDA_PREFIX`; and the folders
//! of PyPI's wheels in `VIRTUAL_ENV`, `CONDA_PREFIX`, beside the `python3` on `PATH`, and in
//! `~/.local`. If nothing is found there, the search *runs* the `python3` on `PATH` to get its
//! package folders. If `ODES_NVRTC` is set, that library is used, and nothing is searched or run.
//! If no library is found, the error lists the searched folders.
//!
//! # Layout
//!
//! | module | subject |
//! |---|---|
//! | [`EnsembleGpuKernel`] | the backend with one step size for each trajectory |
//! | [`EnsembleGpuArray`] | the lockstep backend: one step size for all trajectories |
//! | [`DeviceEnsemble`] | an ensemble that stays on a device |
//! | `worker` | the worker of one device: chunks, launches, results |
//! | `lockstep` | the worker of a lockstep solve, and its cooperative launch |
//! | `launched` | one launch: upload, kernel, download |
//! | `adjoint` | gradients: step records and the adjoint |
//! | `batch` | the layout of a batch in device memory |
//! | `driver` | the driver's library: search, checks, start |
//! | `queue`, `blas` | arrays, and matrix products by cuBLAS: the feature `arrays` |
//! | `library` | the folders that contain libraries on real machines |
//! | [`device`](fn@devices) | devices and their contexts |
//! | [`Nvrtc`] | the compiler |
//! | [`Cache`] | compiled kernels on disk |
//! | [`KernelSource`], [`Kernel`] | compilation or loading, registers, occupancy, block size |
//! | `recent` | the map of the loaded kernels |
//! | [`Stream`] | queues, device memory |
//! | [`Pinned`], [`Transfer`] | page-locked memory and copies at the speed of the bus |
//! | `locked` | memory of the process that devices read and write directly |
//! | `rows` | copies between one range of device memory and many ranges of host memory |
//! | [`Stopwatch`] | time on the device |
//! | [`GpuError`] | all errors |
//!
//! # Environment
//!
//! | variable | effect |
//! |---|---|
//! | `ODES_NVRTC` | path of the NVRTC library; disables the search, and runs no program |
//! | `ODES_CUBLAS` | path of the cuBLAS library, as `ODES_NVRTC` |
//! | `ODES_CACHE_DIR` | folder of compiled kernels |
//! | `ODES_CACHE=off` | no compiled kernels on disk |
//! | `ODES_DUMP` | folder that receives the source, log and cubin of every kernel |

mod adjoint;
mod argument;
mod array;
mod batch;
#[cfg(feature = "arrays")]
mod blas;
mod cache;
mod device;
mod diagnostic;
mod driver;
mod dump;
mod ensemble;
mod error;
mod event;
mod idle;
mod kernel;
mod launched;
mod library;
mod locked;
mod lockstep;
mod memory;
mod nvrtc;
mod pinned;
mod pool;
#[cfg(feature = "arrays")]
mod queue;
mod recent;
mod reduce;
mod resident;
mod rows;
#[cfg(test)]
mod testing;
mod timing;
mod worker;

pub use array::EnsembleGpuArray;
#[cfg(feature = "arrays")]
pub use blas::{Matrices, ProductShape};
pub use cache::{Cache, CacheKey};
pub use cudarc;
#[doc(hidden)]
pub use device::ordinal_for_shard;
pub use device::{Device, WarmUp, device, devices};
pub use diagnostic::Resources;
pub use driver::cuda_version as driver_cuda_version;
pub use ensemble::EnsembleGpuKernel;
pub use error::GpuError;
pub use kernel::{CompiledKernel, Kernel, KernelReport, KernelSource, Origin};
pub use memory::{DeviceElement, MemoryInfo, Stream};
pub use nvrtc::{Cubin, Nvrtc};
pub use pinned::{Direction, Pinned, Transfer, pooled_bytes, trim_pinned};
#[cfg(feature = "arrays")]
pub use queue::{Clockwork, DeviceBuffer, DeviceQueue};
pub use resident::{DeviceEnsemble, Running};
pub use timing::Stopwatch;
