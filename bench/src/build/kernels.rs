//! The time that NVRTC takes to compile the kernels of the programs of [`build`](super), without a
//! GPU.

use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::{Selection, prepare};
use crate::Failure;
use crate::output::{Output, Row, significant};

/// The measurements of one program's kernel.
///
/// The kernel is in double precision, with adaptive steps, final states only and a varied first
/// parameter.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    program: String,
    method: String,
    #[serde(flatten)]
    kernel: Kernel,
}

/// The measurements that a program prints.
#[derive(Debug, Serialize, Deserialize)]
struct Kernel {
    /// The compile time in seconds, the best of three.
    seconds: f64,
    /// The number of lines of the compiled text.
    lines: usize,
    registers: Option<u32>,
    stack_bytes: Option<u32>,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("program", 28),
        ("method", 12),
        ("NVRTC s", 8),
        ("lines", 7),
        ("registers", 9),
        ("stack", 7),
    ];

    fn cells(&self) -> Vec<String> {
        let count = |count: Option<u32>| count.map_or("-".to_owned(), |count| count.to_string());
        vec![
            self.program.clone(),
            self.method.clone(),
            significant(Some(self.kernel.seconds), 2),
            self.kernel.lines.to_string(),
            count(self.kernel.registers),
            count(self.kernel.stack_bytes),
        ]
    }
}

const MAIN: &str = r#"
use ode_gpu::{Cache, KernelSource};
use odes::backend::PreparedSolve;
use odes::internals::kernel::{self, KernelConfig, KERNEL_NAME};
#[allow(unused_imports)]
use odes::methods::*;
use odes::prelude::*;
use odes::system::System;
// `Auto` takes this pair at such tolerances.
#[allow(unused_imports)]
use odes::methods::Tsit5Rodas4 as Auto;

fn compile<S, M, const N: usize, const P: usize>(
    solved: S,
    _: M,
    u0: [f64; N],
    p: [f64; P],
) where
    S: System<N, P>,
    M: Method,
{
    let problem = OdeProblem::new(solved, u0, SPAN.0..=SPAN.1, p);
    let ensemble = EnsembleProblem::new(problem).trajectories(TRAJECTORIES).vary(|problem, i| {
        let mut p = p;
        if let Some(first) = p.first_mut() {
            *first *= 1.0 + 0.1 * i as f64 / TRAJECTORIES as f64;
        }
        problem.with_p(p)
    });
    let options = SolveOptions::default().abstol(TOLERANCE).reltol(TOLERANCE);
    let PreparedSolve { options: settings, inputs: columns } = PreparedSolve::new(&ensemble, &options, &M::PROPERTIES).unwrap();
    let source = kernel::source::<f64, S, M, N, P>(solved, &KernelConfig::new(&settings, &columns, true)).unwrap();
    let lines = source.lines().count();
    let mut seconds = f64::INFINITY;
    let mut resources = None;
    for _ in 0..3 {
        let begin = std::time::Instant::now();
        let compiled = KernelSource::new(KERNEL_NAME, source.clone()).compile("sm_90", &Cache::off()).unwrap();
        seconds = seconds.min(begin.elapsed().as_secs_f64());
        resources = compiled.resources;
    }
    let of = |count: Option<u32>| count.map_or("null".to_owned(), |count| count.to_string());
    println!(
        "{{\"seconds\":{seconds},\"lines\":{lines},\"registers\":{},\"stack_bytes\":{}}}",
        of(resources.as_ref().map(|r| r.registers)),
        of(resources.as_ref().map(|r| r.stack_bytes)),
    );
}

fn main() {
    compile(SYSTEM, METHOD, U0, P);
}
"#;

/// Builds the selected programs and runs each, which compiles its kernel.
pub(crate) fn run(selection: &Selection) -> Result<(), Failure> {
    let folder = selection.checkout()?.join("ode-gpu");
    let (package, cases) =
        prepare(selection, MAIN, &format!("ode-gpu = {{ path = {folder:?} }}\n"))?;
    let mut output = Output::new(selection.json.as_deref())?;
    for case in cases {
        let mut build = package.cargo();
        if !build.args(["--bin", &case.name]).stderr(Stdio::inherit()).status()?.success() {
            return Err(format!("{} could not be built", case.name).into());
        }
        let ran = Command::new(package.program(&case)).stderr(Stdio::inherit()).output()?;
        let kernel = serde_json::from_slice(&ran.stdout)?;
        let (program, method) = (case.name.clone(), case.method.to_owned());
        output.row(&Measured { bench: "kernels", program, method, kernel })?;
    }
    Ok(())
}
