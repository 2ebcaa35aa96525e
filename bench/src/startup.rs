//! The parts of the time to a first solution on a GPU, in a new process.

use std::time::Instant;

use ode_gpu::Nvrtc;
use serde::Serialize;

use crate::Failure;

/// The parts in milliseconds, measured one after the other.
///
/// A solve does the last two concurrently: it compiles while the driver creates the context.
#[derive(Debug, Serialize)]
struct Startup {
    bench: &'static str,
    device: String,
    driver_ms: f64,
    compiler_ms: f64,
    context_ms: f64,
    first_stream_ms: f64,
}

/// Prints one line of JSON.
pub(crate) fn run() -> Result<(), Failure> {
    let mut since = Instant::now();
    let mut lap = || {
        let ms = since.elapsed().as_secs_f64() * 1e3;
        since = Instant::now();
        ms
    };
    let device = ode_gpu::device(0)?;
    let driver_ms = lap();
    Nvrtc::get()?;
    let compiler_ms = lap();
    device.context()?;
    let context_ms = lap();
    device.new_stream()?.zeros::<u8>(1)?;
    let first_stream_ms = lap();
    let device = device.name().to_owned();
    let startup =
        Startup { bench: "startup", device, driver_ms, compiler_ms, context_ms, first_stream_ms };
    println!("{}", serde_json::to_string(&startup)?);
    Ok(())
}
