//! A backend that runs the device text in an OpenCL runtime on this machine's CPU.
//!
//! Work-groups share a queue, and sub-groups vote, as blocks and warps do on a GPU.

// Not every program uses all of it.
#![allow(dead_code)]

use crate::cpp::{adjoint_in_memory, in_memory};
use odes::backend::{
    self, AdjointJob, Backend, Capabilities, EnsembleAlgorithm, InstructionSet, RawResults,
    Request, RequestVisitor, RunReport, SolveJob,
};
use odes::internals::kernel::adjoint::{ADJOINT_NAME, RECORD_NAME};
use odes::internals::kernel::{BLOCK, KERNEL_NAME, KernelConfig, Target};
use odes::lane::Scalar;
use odes::{SolveError, Timings};
use odes_skipped::Needed;
use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{
    CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, CL_DEVICE_TYPE_CPU, Device, get_all_devices,
};
use opencl3::kernel::{
    CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, ExecuteKernel, Kernel, get_kernel_sub_group_info,
};
use opencl3::program::Program;
use std::ffi::c_void;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Instant;

/// The options that `kernel/targets/opencl.hpp` requires, without warnings of parentheses.
const OPTIONS: &str = "-cl-std=CLC++2021 -cl-fp32-correctly-rounded-divide-sqrt -w";

/// The number of work-groups that share a queue: few, so that each thread takes several
/// trajectories even of a small ensemble.
const GROUPS: usize = 3;

/// Returns the number of work-groups for `n` trajectories.
fn groups_for(n: usize, refill: bool) -> usize {
    let needed = n.div_ceil(BLOCK as usize);
    if refill { needed.min(GROUPS) } else { needed }
}

/// An OpenCL runtime that runs kernels on this machine's CPU, in this process's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenCl {
    runtime: &'static Runtime,
    /// Whether threads take trajectories from a queue. The default is to do so if steps are
    /// adaptive, as on a GPU.
    refill: Option<bool>,
}

impl OpenCl {
    /// Returns the runtime of `$OPENCL_DYLIB_PATH` or the system, or `None` with a message.
    ///
    /// With `ODES_REQUIRE_OPENCL=1` a runtime is required. `scripts/install-opencl.sh` installs
    /// one.
    pub(crate) fn find() -> Option<OpenCl> {
        static RUNTIME: LazyLock<Result<Runtime, String>> = LazyLock::new(Runtime::open);
        match &*RUNTIME {
            Ok(runtime) => Some(OpenCl { runtime, refill: None }),
            Err(because) => {
                Needed::OpenCl.is_missing(because);
                None
            }
        }
    }

    /// Returns the runtime for tests of other backends, if `ODES_OPENCL=all` is set.
    ///
    /// These tests have many kernels, each of which takes a second to build.
    pub(crate) fn for_all() -> Option<OpenCl> {
        std::env::var("ODES_OPENCL").is_ok_and(|which| which == "all").then(OpenCl::find)?
    }

    /// Sets whether threads take trajectories from a queue, or one each.
    pub(crate) fn refill(self, refill: bool) -> Self {
        OpenCl { refill: Some(refill), ..self }
    }

    /// Runs the kernel `name` of `source` in work-groups of [`BLOCK`] threads, and returns the size
    /// of a sub-group.
    ///
    /// # Safety
    /// The kernel takes these two pointers, and accesses only the memory that they refer to.
    pub(crate) unsafe fn run<A, B>(
        &self,
        (source, name): (&str, &str),
        groups: usize,
        (a, b): (*const A, *const B),
    ) -> usize {
        let program = self.runtime.build(source);
        let kernel = Kernel::create(&program, name).unwrap();
        // SAFETY: the caller guarantees that the kernel takes these two pointers, and accesses only
        // the memory that they refer to.
        unsafe { self.runtime.launch(&kernel, groups, &[a.cast(), b.cast()]) };
        self.runtime.lanes(&kernel)
    }

    /// Returns the names of the runtime, its version, and the device.
    pub(crate) fn name(&self) -> &'static str {
        &self.runtime.name
    }
}

/// The variable of a process that runs one test.
const INSIDE: &str = "ODES_OPENCL_INSIDE";

/// Runs `body` as the test of this name, in a process of its own.
///
/// The compiler of Intel's runtime 2026.2 crashed once, and not again with the same sources. After a
/// crash the test runs once more, with the programs that were built before it.
pub(crate) fn apart(test: &str, body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    let run = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--include-ignored", "--exact", "--nocapture", test]);
        command.env(INSIDE, "1").output().unwrap()
    };
    let mut output = run();
    if output.status.code().is_none() {
        let _ = writeln!(std::io::stderr(), "{test} again: {}", output.status);
        output = run();
    }
    let [text, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let _ = write!(std::io::stderr(), "{errors}");
    assert!(output.status.success() && text.contains(" 1 passed;"), "{test}:\n{text}");
}

#[derive(Debug)]
struct Runtime {
    name: String,
    context: Context,
    queue: CommandQueue,
}

impl Runtime {
    fn open() -> Result<Runtime, String> {
        let of = |error: opencl3::error_codes::ClError| error.to_string();
        let devices = get_all_devices(CL_DEVICE_TYPE_CPU)
            .map_err(|error| format!("{error} (scripts/install-opencl.sh installs a runtime)"))?;
        let device =
            devices.into_iter().map(Device::new).next().ok_or("no CPU among its devices")?;
        let name = [device.vendor(), device.driver_version(), device.name()];
        let name = name.into_iter().collect::<Result<Vec<_>, _>>().map_err(of)?.join(" ");
        let extensions = device.extensions().map_err(of)?;
        for needed in ["cl_khr_fp64", "cl_khr_subgroup_ballot"] {
            if !extensions.split(' ').any(|extension| extension == needed) {
                return Err(format!("{name} has no {needed}"));
            }
        }
        if device.svm_mem_capability() & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM == 0 {
            return Err(format!("{name} does not share this process's memory"));
        }
        let context = Context::from_device(&device).map_err(of)?;
        let queue = CommandQueue::create_default_with_properties(&context, 0, 0).map_err(of)?;
        Ok(Runtime { name, context, queue })
    }

    /// Builds `source`, or loads the program of an earlier run.
    fn build(&self, source: &str) -> Program {
        let file = self.file(source);
        if let Ok(binary) = std::fs::read(&file)
            && let Ok(program) =
                Program::create_and_build_from_binary(&self.context, &[&binary], OPTIONS)
        {
            return program;
        }
        let program = Program::create_and_build_from_source(&self.context, source, OPTIONS)
            .unwrap_or_else(|error| panic!("{error}"));
        // Renamed when complete, since other processes may write it too.
        let binary = program.get_binaries().unwrap().swap_remove(0);
        let own = file.with_extension(std::process::id().to_string());
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&own, binary).unwrap();
        std::fs::rename(&own, &file).unwrap();
        program
    }

    /// Runs a kernel on arguments, by address, and waits for it.
    ///
    /// # Safety
    /// The kernel takes these pointers, and accesses only the memory that they refer to.
    unsafe fn launch(&self, kernel: &Kernel, groups: usize, arguments: &[*const c_void]) {
        let mut launch = ExecuteKernel::new(kernel);
        launch.set_global_work_size(groups * BLOCK as usize).set_local_work_size(BLOCK as usize);
        // SAFETY: the caller guarantees that the kernel takes these pointers, and accesses only
        // the memory that they refer to. The device shares this process's memory. No other code
        // uses the memory until the kernel has finished.
        unsafe {
            for argument in arguments {
                launch.set_arg_svm(*argument);
            }
            launch.enqueue_nd_range(&self.queue).unwrap();
        }
        self.queue.finish().unwrap();
    }

    /// Returns the number of threads of a sub-group.
    fn lanes(&self, kernel: &Kernel) -> usize {
        let block = BLOCK as usize;
        let (device, size) = (self.context.default_device(), size_of_val(&block));
        let query = CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE;
        let answer =
            get_kernel_sub_group_info(kernel.get(), device, query, size, (&raw const block).cast());
        answer.unwrap().into()
    }

    /// Returns the file of the program of `source`, which is machine code.
    fn file(&self, source: &str) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (&self.name, InstructionSet::available(), OPTIONS, source).hash(&mut hasher);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("opencl");
        folder.join(format!("{:016x}", hasher.finish()))
    }
}

impl RequestVisitor for OpenCl {
    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        let refill = self.refill.unwrap_or(job.options.adaptive);
        let groups = groups_for(job.inputs.trajectories, refill);
        let threads = groups * BLOCK as usize;
        let how = (Target::OpenCl, refill);
        adjoint_in_memory(job, how, threads, |sources, arguments, shared, adjoint| {
            for (source, name) in sources.iter().zip([RECORD_NAME, ADJOINT_NAME]) {
                let kernel = Kernel::create(&self.runtime.build(source), name).unwrap();
                let arguments = [
                    (&raw const *arguments).cast(),
                    shared.as_ptr().cast(),
                    (&raw const *adjoint).cast(),
                ];
                // SAFETY: these are the kernel's arguments, by address. Their pointers refer to as
                // many elements as `KernelArguments`, `Shared` and `AdjointArguments` require.
                unsafe { self.runtime.launch(&kernel, groups, &arguments) };
            }
        })?;
        let backend = Backend::Cpu { instructions: "OpenCL".to_string(), threads };
        Ok(RunReport::new(backend, Timings::default()))
    }

    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options: settings, inputs: columns, sink } = job;
        let begin = Instant::now();
        let refill = self.refill.unwrap_or(settings.adaptive);
        let kernel_config =
            KernelConfig { target: Target::OpenCl, ..KernelConfig::new(settings, columns, refill) };
        let program = self.runtime.build(&task.kernel(&kernel_config)?);
        let kernel = Kernel::create(&program, KERNEL_NAME).unwrap();
        let compile = begin.elapsed();
        let mut raw = RawResults::default();
        for batch in columns.batches(sink.batch()) {
            let groups = groups_for(batch.len(), refill);
            in_memory(settings, batch, &kernel_config, &mut raw, |arguments, shared| {
                let arguments = [(&raw const *arguments).cast(), shared.as_ptr().cast()];
                // SAFETY: these are the kernel's arguments, by address. Their pointers refer to as
                // many elements as `KernelArguments` and `Shared` require.
                unsafe { self.runtime.launch(&kernel, groups, &arguments) };
            })?;
            if sink.store(batch, &mut raw)?.is_break() {
                break;
            }
        }
        let lanes = self.runtime.lanes(&kernel);
        let instructions = format!("OpenCL in sub-groups of {lanes}");
        let threads = groups_for(columns.trajectories, refill) * BLOCK as usize;
        let backend = Backend::Cpu { instructions, threads };
        let mut timings = Timings::default();
        timings.compile = compile;
        Ok(RunReport::new(backend, timings))
    }
}

impl EnsembleAlgorithm for OpenCl {
    type Compiled = backend::Text;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { draws_samples: true, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}
