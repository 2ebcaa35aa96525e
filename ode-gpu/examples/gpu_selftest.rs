//! Exercises the CUDA back end on the machine at hand, and says what passed.
//!
//! `cargo run --release -p ode-gpu --example gpu_selftest`
//!
//! Exits with 0 if all passed, with 1 if something failed, with 2 where there is no GPU.

use std::process::ExitCode;
use std::time::Instant;

use ode_gpu::cudarc::driver::{LaunchConfig, PushKernelArg};
use ode_gpu::{
    Cache, Device, Direction, GpuError, KernelSource, Nvrtc, Origin, Pinned, Stopwatch, Stream,
    devices,
};

const SOURCE: &str = r#"
extern "C" __global__ void saxpy(float a, const float *x, float *y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"#;

const FUSED: &str = r#"
extern "C" __global__ void fused(double a, const double *x, double *y, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = sqrt(fma(a, x[i], y[i])) / x[i];
}
"#;

type Outcome = Result<String, Box<dyn std::error::Error>>;

/// Counts and prints.
struct Report {
    failed: usize,
}

impl Report {
    fn check(&mut self, name: &str, test: impl FnOnce() -> Outcome) {
        let begin = Instant::now();
        let outcome = test();
        let ms = begin.elapsed().as_secs_f64() * 1e3;
        match outcome {
            Ok(detail) => println!("PASS {ms:9.2} ms  {name}: {detail}"),
            Err(error) => {
                self.failed += 1;
                println!("FAIL {ms:9.2} ms  {name}: {error}");
            }
        }
    }
}

fn ensure(condition: bool, message: impl Into<String>) -> Result<(), Box<dyn std::error::Error>> {
    if condition { Ok(()) } else { Err(message.into().into()) }
}

fn main() -> ExitCode {
    let begin = Instant::now();
    let devices = match devices() {
        Ok(devices) => devices,
        Err(error) => {
            println!("no GPU: {error}");
            return ExitCode::from(2);
        }
    };
    let ms = begin.elapsed().as_secs_f64() * 1e3;
    println!("driver: CUDA {:?}, probed in {ms:.1} ms", ode_gpu::driver_cuda_version());
    let mut report = Report { failed: 0 };
    report.check("NVRTC", || {
        let nvrtc = Nvrtc::get()?;
        Ok(format!("{:?} from {}", nvrtc.version(), nvrtc.path().display()))
    });
    for device in &devices {
        println!("{device}");
        test_device(&mut report, device);
    }
    if report.failed == 0 {
        println!("all passed in {:.2} s", begin.elapsed().as_secs_f64());
        ExitCode::SUCCESS
    } else {
        println!("{} failed", report.failed);
        ExitCode::FAILURE
    }
}

fn test_device(report: &mut Report, device: &Device) {
    let folder = std::env::temp_dir().join(format!("odes-selftest-{}", std::process::id()));
    let cache = Cache::at(&folder);
    report.check("compile and load, with the context created meanwhile", || {
        let kernel = device.kernel_with(&KernelSource::new("saxpy", SOURCE), &cache)?;
        ensure(kernel.report().registers > 0, "no registers")?;
        Ok(format!("{:?}", kernel.report()))
    });
    report.check("context, a second time", || {
        ensure(device.context()?.is_event_tracking(), "streams of callers are not ordered")?;
        Ok("at hand, with events".to_owned())
    });
    report.check("the same kernel again", || {
        let program = KernelSource::new("saxpy", SOURCE);
        let (a, b) = (device.kernel_with(&program, &cache)?, device.kernel(&program)?);
        ensure(std::sync::Arc::ptr_eq(&a, &b), "loaded twice")?;
        Ok("from memory".to_owned())
    });
    report.check("disk cache", || {
        let arch = device.arch()?;
        let again = KernelSource::new("saxpy", SOURCE).compile(&arch, &cache)?;
        ensure(again.origin == Origin::Disk || device.ordinal() > 0, "not from disk")?;
        Ok(format!("{:?} in {:?}", again.origin, again.time))
    });
    report.check("compile error", || {
        match device.kernel_with(&KernelSource::new("bad", "int x = ;"), &cache) {
            Err(error @ GpuError::Compile { .. }) => {
                let text = error.to_string();
                ensure(text.contains("| int x = ;"), format!("no source line in: {text}"))?;
                Ok("reported".to_owned())
            }
            other => Err(format!("{other:?}").into()),
        }
    });
    report.check("memory information", || {
        let info = device.memory_info()?;
        ensure(info.free > 0 && info.total >= info.free, "not plausible")?;
        Ok(format!("{} of {} MiB free", info.free >> 20, info.total >> 20))
    });
    let stream = match device.new_stream() {
        Ok(stream) => stream,
        Err(error) => return report.check("stream", || Err(error.into())),
    };
    for n in [1usize, 63, 1000, 1 << 20, (1 << 22) + 13] {
        report.check(&format!("saxpy, f32, {n}"), || saxpy(&stream, &cache, n));
    }
    report.check("fma, sqrt and division, f64, bit for bit", || fused(&stream, &cache));
    report.check("copies of 512 MiB", || copies(&stream));
    report.check("copies of 512 MiB, blocks pooled", || copies(&stream));
    report.check("pinned memory, owned by transfers", || pinned(&stream));
    report.check("buffers of another stream are refused", || {
        let mut buffer = device.new_stream()?.zeros::<f32>(100_000)?;
        let refused = stream.upload_into(&vec![0f32; 100_000], &mut buffer);
        ensure(refused.is_err(), "accepted")?;
        Ok("refused".to_owned())
    });
    report.check("out of memory", || out_of_memory(&stream));
    report.check("out of memory, by a size beyond all", || {
        match stream.allocate::<f64>(usize::MAX / 2) {
            Err(GpuError::OutOfMemory { .. }) => Ok("typed error".to_owned()),
            other => Err(format!("{other:?}").into()),
        }
    });
    report.check("pooled device memory makes room", || room(&stream));
    report.check("many allocations", || {
        let begin = Instant::now();
        for i in 0..1000 {
            drop(stream.zeros::<f64>(1 + i * 100)?);
        }
        stream.synchronize()?;
        Ok(format!("{:.1} us each", begin.elapsed().as_secs_f64() * 1e3))
    });
    report.check("free", || {
        ode_gpu::trim_pinned();
        device.trim_memory()?;
        ensure(ode_gpu::pooled_bytes() == 0, "pinned memory is left")?;
        Ok(format!("{:?}", device.memory_info()?))
    });
    let _ = std::fs::remove_dir_all(folder);
}

fn saxpy(stream: &Stream, cache: &Cache, n: usize) -> Outcome {
    let kernel = stream.device().kernel_with(&KernelSource::new("saxpy", SOURCE), cache)?;
    let x: Vec<f32> = (0..n).map(|i| (i % 1013) as f32 * 0.37).collect();
    let y: Vec<f32> = (0..n).map(|i| (i % 911) as f32 * 0.11 - 7.0).collect();
    let a = 1.000_37f32;
    let dx = stream.upload(&x)?;
    let mut dy = stream.upload(&y)?;
    let config = kernel.launch_for(n as u32);
    let count = u32::try_from(n)?;
    let watch = Stopwatch::start(stream)?;
    let mut launch = stream.raw().launch_builder(kernel.function());
    launch.arg(&a).arg(&dx).arg(&mut dy).arg(&count);
    // SAFETY: the arguments are those of the kernel above, and the buffers hold `count` each.
    unsafe { launch.launch(config) }?;
    watch.stop(stream)?;
    let mut out = vec![0f32; n];
    stream.download(&dy.as_view(), &mut out)?;
    stream.synchronize()?;
    let wrong = (0..n).filter(|&i| out[i].to_bits() != (a * x[i] + y[i]).to_bits()).count();
    ensure(wrong == 0, format!("{wrong} of {n} differ"))?;
    Ok(format!("kernel {:?}, block {}", watch.elapsed()?, config.block_dim.0))
}

fn fused(stream: &Stream, cache: &Cache) -> Outcome {
    let n = 1 << 20;
    let kernel = stream.device().kernel_with(&KernelSource::new("fused", FUSED), cache)?;
    let x: Vec<f64> = (0..n).map(|i| 1.0 + f64::from(i) * 0.37).collect();
    let y: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.11).collect();
    let a = 1.000_37f64;
    let dx = stream.upload(&x)?;
    let mut dy = stream.upload(&y)?;
    let count = n as u32;
    let config = LaunchConfig {
        grid_dim: (count.div_ceil(kernel.report().block_size), 1, 1),
        block_dim: (kernel.report().block_size, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.raw().launch_builder(kernel.function());
    launch.arg(&a).arg(&dx).arg(&mut dy).arg(&count);
    // SAFETY: the arguments are those of the kernel above, and the buffers hold `count` each.
    unsafe { launch.launch(config) }?;
    let mut out = vec![0f64; n as usize];
    stream.download(&dy.as_view(), &mut out)?;
    let expected = |i: usize| a.mul_add(x[i], y[i]).sqrt() / x[i];
    let wrong = (0..n as usize).filter(|&i| out[i].to_bits() != expected(i).to_bits()).count();
    ensure(wrong == 0, format!("{wrong} of {n} differ"))?;
    Ok(format!("{n} equal"))
}

fn copies(stream: &Stream) -> Outcome {
    let n = (512 << 20) / 4 + 3;
    let host: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let rate = |begin: Instant| (n * 4) as f64 / 1e9 / begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let device = stream.upload(&host)?;
    let up = rate(begin);
    let begin = Instant::now();
    let mut back = vec![0u32; n];
    stream.download(&device.as_view(), &mut back)?;
    let fresh = rate(begin);
    ensure(back == host, "the copy differs")?;
    let begin = Instant::now();
    stream.download(&device.as_view(), &mut back)?;
    let warm = rate(begin);
    ensure(back == host, "the second copy differs")?;
    let pooled = ode_gpu::pooled_bytes() >> 20;
    Ok(format!(
        "up {up:.1}, down to fresh memory {fresh:.1}, to used memory {warm:.1} GB/s, \
         {pooled} MiB pooled"
    ))
}

fn pinned(stream: &Stream) -> Outcome {
    let n = 1 << 22;
    let mut up = Pinned::<f64>::new(stream, n, Direction::Upload)?;
    for (i, v) in up.iter_mut().enumerate() {
        *v = i as f64;
    }
    let mut device = stream.allocate::<f64>(n)?;
    let begin = Instant::now();
    let going = stream.start_upload(up, &mut device, 0)?;
    let down = Pinned::<f64>::new(stream, n, Direction::Download)?;
    let coming = stream.start_download(&device.as_view(), down)?;
    // The buffer may go while the copies are under way: its freeing is queued behind them.
    drop(device);
    let queued = begin.elapsed();
    let down = coming.wait()?;
    drop(going);
    ensure(down.iter().enumerate().all(|(i, v)| *v == i as f64), "the copy differs")?;
    // A transfer that nobody waits for.
    let again = stream.zeros::<f64>(n)?;
    drop(stream.start_download(&again.as_view(), down)?);
    stream.synchronize()?;
    Ok(format!("queued in {queued:?}"))
}

fn out_of_memory(stream: &Stream) -> Outcome {
    let info = stream.device().memory_info()?;
    let needed = info.free + (1 << 30);
    match stream.allocate::<u8>(usize::try_from(needed)?) {
        Err(GpuError::OutOfMemory { needed: n, free, .. }) => {
            ensure(n == needed && free > 0 && free < needed, "implausible sizes")?;
            let after = stream.zeros::<u8>(1 << 20);
            ensure(after.is_ok(), "the stream is unusable afterwards")?;
            stream.synchronize()?;
            Ok(GpuError::OutOfMemory { device: stream.device().ordinal(), needed: n, free }
                .to_string())
        }
        other => Err(format!("{other:?}").into()),
    }
}

/// Frees two fifths of the memory in small buffers, which the pool keeps in part, then asks for
/// four fifths in one.
fn room(stream: &Stream) -> Outcome {
    let free = stream.device().memory_info()?.free;
    let piece = usize::try_from(free / 50)?;
    let pieces: Result<Vec<_>, _> = (0..20).map(|_| stream.allocate::<u8>(piece)).collect();
    drop(pieces?);
    stream.synchronize()?;
    let after = stream.device().memory_info()?.free;
    let large = stream.allocate::<u8>(usize::try_from(free / 5 * 4)?)?;
    drop(large);
    stream.synchronize()?;
    Ok(format!("{} MiB free at first, {} MiB counting the pool", free >> 20, after >> 20))
}
