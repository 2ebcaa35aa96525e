//! Loading of kernels: from generated source to a kernel that can be launched.
//!
//! A [`KernelSource`] becomes machine code in three steps, each of which may already be done: this
//! process has loaded it on the device; an earlier process left it in the disk cache; or the
//! compiler makes it. Another thread creates the context meanwhile, which takes the driver about as
//! long as the compilation. The first solution therefore waits only for the slower of the two.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use cudarc::driver::{CudaContext, CudaFunction, CudaModule, LaunchConfig};
use cudarc::nvrtc::Ptx;

use crate::cache::{Cache, CacheKey};
use crate::device::{Device, lock};
use crate::diagnostic::{self, Resources};
use crate::driver;
use crate::dump::Dump;
use crate::error::{self, DriverCall, GpuError};
use crate::nvrtc::{Cubin, Nvrtc};
use crate::recent::Recent;
use ode_core::ensemble::task::TaskKey;
use ode_core::kernel::{BLOCK, KernelConfig};

/// The source of one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelSource {
    /// The name of its `extern "C" __global__` function.
    pub name: String,
    /// CUDA C++, complete: no files are included.
    pub source: String,
    /// NVRTC options besides the crate's own options.
    ///
    /// The crate sets C++17, no contraction, correctly rounded division and square root, and
    /// subnormals.
    pub options: Vec<String>,
}

/// The origin of machine code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The compiler, in this process.
    Compiler,
    /// The disk cache.
    Disk,
}

/// A program's machine code.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CompiledKernel {
    /// The machine code, and the compiler's log.
    pub cubin: Cubin,
    /// The architecture of the code, for example `sm_90`.
    pub arch: String,
    /// The key of the program in the disk cache.
    pub key: CacheKey,
    /// Whether it came from the compiler or from the disk cache.
    pub origin: Origin,
    /// The time of compiling or loading.
    pub time: Duration,
    /// Registers and spills from the compiler's log.
    pub resources: Option<Resources>,
}

impl KernelSource {
    /// Creates a program without further options.
    pub fn new(name: impl Into<String>, source: impl Into<String>) -> KernelSource {
        KernelSource { name: name.into(), source: source.into(), options: Vec::new() }
    }

    /// Returns machine code for `arch` (as `sm_90`) from `cache` or the compiler.
    ///
    /// This needs no device.
    ///
    /// # Errors
    /// [`GpuError`] if there is no compiler, or the program has errors; the error contains the log.
    pub fn compile(&self, arch: &str, cache: &Cache) -> Result<CompiledKernel, GpuError> {
        self.compile_with(Nvrtc::get()?, arch, cache, true)
    }

    fn compile_with(
        &self,
        nvrtc: &Nvrtc,
        arch: &str,
        cache: &Cache,
        read_cache: bool,
    ) -> Result<CompiledKernel, GpuError> {
        let begin = Instant::now();
        let options = Nvrtc::options(arch, &self.options);
        let key = CacheKey::new(&self.source, &self.name, &options, nvrtc.identity());
        let dump = Dump::from_env(&self.name, &key, arch);
        dump.write("cu", self.source.as_bytes());
        let (cubin, origin) = match cache.load(&key).filter(|_| read_cache) {
            Some(cubin) => (cubin, Origin::Disk),
            None => {
                let cubin = nvrtc.compile(&self.source, &self.name, arch, &self.options);
                if let Err(GpuError::Compile { log, .. }) = &cubin {
                    dump.write("log", log.as_bytes());
                }
                let cubin = cubin?;
                cache.store(&key, &cubin);
                (cubin, Origin::Compiler)
            }
        };
        dump.write("cubin", &cubin.code);
        dump.write("log", cubin.log.as_bytes());
        let resources = diagnostic::resources(&cubin.log, &self.name);
        let time = begin.elapsed();
        Ok(CompiledKernel { cubin, arch: arch.to_owned(), key, origin, time, resources })
    }

    /// The key of the loaded kernel in this process.
    fn process_key(&self) -> CacheKey {
        CacheKey::new(&self.source, &self.name, &self.options, "")
    }
}

/// A kernel on a device, ready to launch.
#[derive(Debug)]
pub struct Kernel {
    function: CudaFunction,
    report: KernelReport,
    multiprocessors: u32,
    context: Arc<CudaContext>,
}

/// Dropping the function unloads its code, which a launch of a failed solve may still run.
impl Drop for Kernel {
    fn drop(&mut self) {
        // The solve that made the launch returns its error.
        let _ = self.context.synchronize();
    }
}

/// Registers, memory, occupancy and origin of a loaded kernel.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct KernelReport {
    /// The name of the kernel.
    pub name: String,
    /// The architecture of the machine code.
    pub arch: String,
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of local memory per thread: local arrays with run-time indices, and spills.
    pub local_bytes: u32,
    /// The bytes of spills, stores and loads together, from the compiler's log.
    pub spill_bytes: u32,
    /// Bytes of static shared memory per block.
    pub shared_bytes: u32,
    /// Threads per block: [`BLOCK`], or fewer if the kernel requires it.
    pub block_size: u32,
    /// Blocks of `block_size` threads that one multiprocessor holds.
    pub blocks_per_multiprocessor: u32,
    /// The fraction of a multiprocessor's thread slots that these blocks fill, from 0 to 1.
    pub occupancy: f64,
    /// The origin of the machine code.
    pub origin: Origin,
    /// The time to get the code from the compiler or the disk.
    pub compile_time: Duration,
    /// The time of loading by the driver, including the creation of the context if it is new.
    pub load_time: Duration,
}

impl Kernel {
    /// Returns the handle of the bindings, for launches.
    pub fn function(&self) -> &CudaFunction {
        &self.function
    }

    /// Returns registers, memory, occupancy and origin of the kernel.
    pub fn report(&self) -> &KernelReport {
        &self.report
    }

    /// Returns the number of blocks that the whole device holds at a time.
    ///
    /// This is the grid of a kernel with threads that take trajectories from a queue.
    pub fn resident_blocks(&self) -> u32 {
        self.report.blocks_per_multiprocessor.saturating_mul(self.multiprocessors).max(1)
    }

    /// The number of blocks of `threads` threads that the whole device holds at a time.
    pub(crate) fn blocks_at_once(&self, device: &Device, threads: u32) -> Result<u32, GpuError> {
        // If the kernel was compiled before, this thread may not have a context yet.
        device.own_context()?.bind_to_thread().call("cuCtxSetCurrent")?;
        let blocks = self.function.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None);
        let blocks = blocks.call("cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
        Ok(blocks.saturating_mul(self.multiprocessors))
    }

    /// Returns the configuration of a launch with one thread for each of `items`.
    pub fn launch_for(&self, items: u32) -> LaunchConfig {
        self.launch_blocks(items.max(1).div_ceil(self.report.block_size))
    }

    /// Returns the configuration of a launch that fills the device, with at most `items` threads.
    pub fn launch_resident(&self, items: u32) -> LaunchConfig {
        let needed = items.max(1).div_ceil(self.report.block_size);
        self.launch_blocks(needed.min(self.resident_blocks()))
    }

    fn launch_blocks(&self, blocks: u32) -> LaunchConfig {
        LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (self.report.block_size, 1, 1),
            shared_mem_bytes: 0,
        }
    }
}

/// The identity of a kernel in this process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Name {
    /// Its text.
    Program(CacheKey),
    /// The data that determine its text, with the compiler options. For most systems this key does
    /// not require the text.
    Task(TaskKey, KernelConfig, Vec<String>),
}

/// A slot for a loaded kernel. It is locked during the loading, so that threads that need the same
/// kernel wait for one compilation.
type KernelSlot = Arc<Mutex<Option<Arc<Kernel>>>>;

/// The number of kernels that a process keeps loaded.
///
/// Otherwise a program with many systems, or with a system whose fields get many values, would fill
/// the device. A program that uses more kernels in turn loads their machine code from the disk
/// cache.
const LOADED: usize = 256;

/// The slot of a kernel, by the ordinal of its device and its name. A process has one handle of
/// each device, which lives as long as the process.
fn slot(device: &Device, name: Name) -> KernelSlot {
    static SLOTS: LazyLock<Mutex<Recent<(usize, Name), KernelSlot>>> =
        LazyLock::new(|| Mutex::new(Recent::new(LOADED)));
    lock(&SLOTS).get((device.ordinal(), name))
}

impl Device {
    /// Returns the target architecture of programs for this device.
    ///
    /// # Errors
    /// [`GpuError`] if there is no compiler, or it does not support the device.
    pub fn arch(&self) -> Result<String, GpuError> {
        Nvrtc::get()?.arch_for(self.compute_capability())
    }

    /// Returns the kernel of `program` on this device; compiles and loads it if necessary.
    ///
    /// # Errors
    /// [`GpuError`] if the program cannot be compiled or loaded.
    pub fn kernel(&self, program: &KernelSource) -> Result<Arc<Kernel>, GpuError> {
        self.kernel_with(program, Cache::from_env())
    }

    /// Returns the kernel of `program`, compiled or loaded with the disk cache `cache`.
    ///
    /// # Errors
    /// The errors of [`kernel`](Self::kernel).
    pub fn kernel_with(
        &self,
        program: &KernelSource,
        cache: &Cache,
    ) -> Result<Arc<Kernel>, GpuError> {
        self.kernel_named(Name::Program(program.process_key()), cache, || Ok(program.clone()))
    }

    /// Returns the kernel of this name; if it is not loaded, loads the program that `write`
    /// returns.
    pub(crate) fn kernel_named<E: From<GpuError>>(
        &self,
        name: Name,
        cache: &Cache,
        write: impl FnOnce() -> Result<KernelSource, E>,
    ) -> Result<Arc<Kernel>, E> {
        let slot = slot(self, name);
        let mut slot = lock(&slot);
        if let Some(kernel) = &*slot {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(self.load_kernel(&write()?, cache)?);
        *slot = Some(kernel.clone());
        Ok(kernel)
    }

    fn load_kernel(&self, program: &KernelSource, cache: &Cache) -> Result<Kernel, GpuError> {
        // Dropped at the end, also on an error: then the context exists.
        let _warm_up = self.warm_up();
        let compile = |read_cache| {
            let nvrtc = Nvrtc::get()?;
            let arch = nvrtc.arch_for(self.compute_capability())?;
            let compiled = program.compile_with(nvrtc, &arch, cache, read_cache)?;
            Ok::<_, GpuError>((nvrtc, compiled))
        };
        let compiled = compile(true);
        let begin = Instant::now();
        // Wait even if the compilation failed: a program that then ends must not do so while the
        // driver works on another thread.
        let context = self.own_context();
        let ((nvrtc, mut compiled), context) = (compiled?, context?);
        let module = match load_module(&context, &compiled, program, nvrtc) {
            Err(GpuError::Load { .. }) if compiled.origin == Origin::Disk => {
                // The entry is complete, but the driver rejects it: replace it once.
                compiled = compile(false)?.1;
                load_module(&context, &compiled, program, nvrtc)?
            }
            outcome => outcome?,
        };
        let function = module.load_function(&program.name).call("cuModuleGetFunction")?;
        let load_time = begin.elapsed();
        let report = report(self, program, &compiled, &function, load_time)?;
        Ok(Kernel { function, report, multiprocessors: self.multiprocessors(), context })
    }
}

fn load_module(
    context: &Arc<CudaContext>,
    compiled: &CompiledKernel,
    program: &KernelSource,
    nvrtc: &Nvrtc,
) -> Result<Arc<CudaModule>, GpuError> {
    context.load_module(Ptx::from_binary(compiled.cubin.code.clone())).map_err(|error| {
        let (name, text) = error::describe(error);
        GpuError::Load {
            kernel: program.name.clone(),
            arch: compiled.arch.clone(),
            driver: driver::cuda_version().unwrap_or((0, 0)),
            nvrtc: nvrtc.version(),
            code: error.0 as u32,
            text: format!("{name}: {text}"),
        }
    })
}

fn report(
    device: &Device,
    program: &KernelSource,
    compiled: &CompiledKernel,
    function: &CudaFunction,
    load_time: Duration,
) -> Result<KernelReport, GpuError> {
    let count = |value: Result<i32, _>| {
        value.call("cuFuncGetAttribute").map(|v| u32::try_from(v).unwrap_or(0))
    };
    // Kernels of this library are compiled for blocks of `BLOCK`; a kernel that was written by hand
    // may allow fewer threads.
    let block_size = count(function.max_threads_per_block())?.clamp(1, BLOCK);
    let blocks_per_multiprocessor = function
        .occupancy_max_active_blocks_per_multiprocessor(block_size, 0, None)
        .call("cuOccupancyMaxActiveBlocksPerMultiprocessor")?;
    let threads = device.threads_per_multiprocessor().max(1);
    Ok(KernelReport {
        name: program.name.clone(),
        arch: compiled.arch.clone(),
        registers: count(function.num_regs())?,
        local_bytes: count(function.local_size_bytes())?,
        spill_bytes: compiled.resources.map_or(0, |r| r.spill_store_bytes + r.spill_load_bytes),
        shared_bytes: count(function.shared_size_bytes())?,
        block_size,
        blocks_per_multiprocessor,
        occupancy: f64::from(block_size * blocks_per_multiprocessor) / f64::from(threads),
        origin: compiled.origin,
        compile_time: compiled.time,
        load_time,
    })
}
