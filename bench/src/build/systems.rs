//! The programs of the build benchmark.

use std::path::Path;

/// A program with one system and one method.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) method: &'static str,
    /// Items with a system `SYSTEM`, and with `U0`, `P` and `SPAN`.
    source: Source,
    trajectories: usize,
    tolerance: f64,
}

#[derive(Debug)]
enum Source {
    Text(String),
    /// A system of `examples/models`.
    Model(&'static str),
}

/// The `main` of a program: solves an ensemble with every instruction set on one thread.
///
/// The first parameter varies by a tenth. The program prints the fields of `Ran`.
pub(crate) const SOLVE: &str = r#"
use std::time::Instant;
use odes::backend::InstructionSet;
#[allow(unused_imports)]
use odes::methods::*;
use odes::prelude::*;

#[derive(PartialEq)]
struct Bits(u64, u64, usize);

fn main() {
    let (t0, t1) = SPAN;
    let problem = OdeProblem::new(SYSTEM, U0, t0..=t1, P);
    let ensemble = EnsembleProblem::new(problem).trajectories(TRAJECTORIES).vary(|problem, i| {
        let mut p = P;
        if let Some(first) = p.first_mut() {
            *first *= 1.0 + 0.1 * i as f64 / TRAJECTORIES as f64;
        }
        problem.with_p(p)
    });
    let options = SolveOptions::default().abstol(TOLERANCE).reltol(TOLERANCE);
    let mut all = Vec::new();
    let mut best = |isa: Option<InstructionSet>| {
        let mut best = f64::INFINITY;
        let begin = Instant::now();
        while best.is_infinite() || begin.elapsed().as_secs_f64() < 0.3 {
            let begin = Instant::now();
            let threads = EnsembleThreads::new();
            let solution = match isa {
                None => ensemble.solve(METHOD, threads.instructions(InstructionSet::Baseline), &options),
                Some(isa) => ensemble.solve(METHOD, threads.instructions(isa), &options),
            }
            .unwrap();
            best = best.min(begin.elapsed().as_secs_f64() * 1e3);
            let mut hash = 0xcbf2_9ce4_8422_2325_u64;
            let (mut steps, mut failures) = (0, 0);
            for (i, trajectory) in solution.iter().enumerate() {
                let counts = u64::from(solution.accepted(i)) << 32 | u64::from(solution.rejected(i));
                steps += u64::from(solution.accepted(i));
                failures += usize::from(solution.code(i) != ReturnCode::Success);
                for word in trajectory.final_state().iter().map(|x| x.to_bits()).chain([counts]) {
                    hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
                }
            }
            let bits = Bits(hash, steps, failures);
            if !all.contains(&bits) {
                all.push(bits);
            }
        }
        best
    };
    let has = |isa: InstructionSet| isa.is_available().then_some(isa);
    let serial = best(None);
    let avx2 = has(InstructionSet::Avx2).map(|isa| best(Some(isa)));
    let avx512 = has(InstructionSet::Avx512).map(|isa| best(Some(isa)));
    let show = |ms: Option<f64>| ms.map_or("null".to_owned(), |ms| ms.to_string());
    println!(
        "{{\"trajectories\":{TRAJECTORIES},\"serial_ms\":{serial},\"avx2_ms\":{},\"avx512_ms\":{},\
         \"steps\":{},\"failures\":{},\"hash\":\"{:016x}\",\"same_bits\":{}}}",
        show(avx2), show(avx512), all[0].1, all[0].2, all[0].0, all.len() == 1,
    );
}
"#;

impl Case {
    fn new(name: &str, method: &'static str, source: String, trajectories: usize) -> Self {
        let source = Source::Text(source);
        Case { name: name.to_owned(), method, source, trajectories, tolerance: 1e-6 }
    }

    /// A program with a system of `examples/models` in the checkout `odes`.
    fn model(name: &'static str, method: &'static str) -> Self {
        let source = Source::Model(name);
        Case { name: format!("{name}_model"), method, source, trajectories: 64, tolerance: 1e-6 }
    }

    /// Returns the text of the program with the given `main`: [`SOLVE`] or another.
    pub(crate) fn program(&self, odes: &Path, main: &str) -> String {
        let Case { method, trajectories, tolerance, .. } = self;
        let items = match &self.source {
            Source::Text(text) => text.clone(),
            Source::Model(name) => {
                let path = odes.join(format!("examples/models/{name}.rs"));
                format!(
                    "#![allow(dead_code)]\n#[path = {path:?}]\nmod model;\n\
                     use model::{{P, SPAN, U0}};\nuse model::{name} as SYSTEM;\n"
                )
            }
        };
        // The text names the method and the system, as a user's program does.
        let main = main.replace("METHOD", method);
        format!(
            "{items}\nconst TRAJECTORIES: usize = {trajectories};\n\
             const TOLERANCE: f64 = {tolerance:e};\n{main}"
        )
    }
}

/// A ring of `n / 2` cells with the Brusselator's reaction.
fn brusselator(n: usize) -> String {
    let cells = n / 2;
    format!(
        "use system as SYSTEM;
const U0: [f64; {n}] = {{ let mut u = [1.0; {n}]; let mut i = 0; while i < {cells} {{
    u[2 * i] = 1.0 + 0.01 * i as f64; u[2 * i + 1] = 3.0; i += 1; }} u }};
const P: [f64; 3] = [3.4, 1.0, 10.0];
const SPAN: (f64, f64) = (0.0, 2.0);
#[odes::ode_system]
mod system {{
    const CELLS: usize = {cells};
    pub fn rhs(du: &mut [f64; 2 * CELLS], u: &[f64; 2 * CELLS], p: &[f64; 3]) {{
        let [b, a, alpha] = *p;
        for i in 0..CELLS {{
            let (left, right) = ((i + CELLS - 1) % CELLS, (i + 1) % CELLS);
            let (x, y) = (u[2 * i], u[2 * i + 1]);
            let reaction = x * x * y;
            du[2 * i] = a + reaction - (b + 1.0) * x
                + alpha * (u[2 * left] - 2.0 * x + u[2 * right]);
            du[2 * i + 1] = b * x - reaction
                + alpha * (u[2 * left + 1] - 2.0 * y + u[2 * right + 1]);
        }}
    }}
}}
"
    )
}

/// `n` species, each of which feeds on all others (Lotka–Volterra).
fn lotka_volterra(n: usize) -> String {
    format!(
        "use system as SYSTEM;
const U0: [f64; {n}] = [0.5; {n}];
const P: [f64; 1] = [1.0];
const SPAN: (f64, f64) = (0.0, 10.0);
#[odes::ode_system]
mod system {{
    const N: usize = {n};
    pub fn rhs(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1]) {{
        for i in 0..N {{
            let mut sum = 0.0;
            for j in 0..N {{
                let weight = if i == j {{ 1.0 }} else {{ 0.3 * ((i * 7 + j * 3) % 11) as f64 / N as f64 }};
                sum += weight * u[j];
            }}
            du[i] = u[i] * (p[0] * (1.0 + 0.1 * i as f64) - sum);
        }}
    }}
}}
"
    )
}

/// `n` neurons with `n * n` couplings by `tanh`.
fn tanh(n: usize) -> String {
    format!(
        "use system as SYSTEM;
const U0: [f64; {n}] = {{ let mut u = [0.0; {n}]; let mut i = 0; while i < {n} {{
    u[i] = 0.1 * (i + 1) as f64; i += 1; }} u }};
const P: [f64; 1] = [0.3];
const SPAN: (f64, f64) = (0.0, 5.0);
#[odes::ode_system]
mod system {{
    const N: usize = {n};
    pub fn rhs(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1]) {{
        for i in 0..N {{
            let mut s = 0.0;
            for j in 0..N {{
                s += (u[j] - u[i]).tanh() * (1.0 + (i * j % 7) as f64);
            }}
            du[i] = p[0] * s - u[i];
        }}
    }}
}}
"
    )
}

/// A system of 10 species and 20 reactions with rates `A T^b exp(-E/T)`.
fn arrhenius() -> String {
    "use system as SYSTEM;
const U0: [f64; 10] = [0.3, 1.0, 0.1, 0.05, 0.02, 0.01, 0.2, 0.1, 0.1, 1.0];
const P: [f64; 1] = [1.0];
const SPAN: (f64, f64) = (0.0, 1.0);
#[odes::ode_system]
mod system {
    const N: usize = 10;
    pub fn rhs(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1]) {
        let temperature = u[9];
        let mut sum = [0.0; N];
        for r in 0..20 {
            let a = 0.1 + 0.05 * r as f64;
            let b = 0.1 * (r % 7) as f64 - 0.3;
            let e = 0.5 + 0.2 * r as f64;
            let rate = p[0] * a * temperature.powf(b) * (-e / temperature).exp();
            let flow = rate * u[r % 9] * u[(r * 2 + 1) % 9];
            sum[r % 9] -= flow;
            sum[(r * 4 + 3) % 9] += flow;
            sum[9] += 0.01 * flow;
        }
        *du = sum;
    }
}
"
    .to_owned()
}

/// A network with two inputs, `width` hidden `tanh` and two outputs.
fn network(width: usize) -> String {
    format!(
        "use system as SYSTEM;
const COUNT: usize = 5 * {width} + 2;
const U0: [f64; 2] = [0.5, 0.1];
const P: [f64; COUNT] = {{ let mut p = [0.0; COUNT]; let mut i = 0; while i < COUNT {{
    p[i] = 0.001 * (i * 37 % 91) as f64 - 0.045; i += 1; }} p }};
const SPAN: (f64, f64) = (0.0, 1.0);
#[odes::ode_system]
mod system {{
    const HIDDEN: usize = {width};
    pub struct State {{
        pub u: [f64; 2],
    }}
    pub struct Parameters {{
        pub w1: [[f64; 2]; HIDDEN],
        pub b1: [f64; HIDDEN],
        pub w2: [[f64; HIDDEN]; 2],
        pub b2: [f64; 2],
    }}
    fn rhs(state: &State, p: &Parameters) -> State {{
        let hidden: [f64; HIDDEN] = std::array::from_fn(|k| {{
            (p.w1[k][0] * state.u[0] + p.w1[k][1] * state.u[1] + p.b1[k]).tanh()
        }});
        let mut u = p.b2;
        for d in 0..2 {{
            for k in 0..HIDDEN {{
                u[d] += p.w2[d][k] * hidden[k];
            }}
        }}
        State {{ u }}
    }}
}}
"
    )
}

/// Ten Hindmarsh-Rose neurons, coupled by their mean.
fn hindmarsh_rose() -> String {
    "use system as SYSTEM;
const U0: [f64; 30] = { let mut u = [0.0; 30]; let mut i = 0; while i < 10 {
    u[3 * i] = -1.6 + 0.05 * i as f64; u[3 * i + 1] = -11.0; u[3 * i + 2] = 3.0; i += 1; } u };
const P: [f64; 2] = [3.2, 0.2];
const SPAN: (f64, f64) = (0.0, 50.0);
#[odes::ode_system]
mod system {
    const CELLS: usize = 10;
    pub fn rhs(du: &mut [f64; 3 * CELLS], u: &[f64; 3 * CELLS], p: &[f64; 2]) {
        let mut mean = 0.0;
        for i in 0..CELLS { mean += u[3 * i]; }
        mean /= CELLS as f64;
        for i in 0..CELLS {
            let (x, y, z) = (u[3 * i], u[3 * i + 1], u[3 * i + 2]);
            du[3 * i] = y - x * x * x + 3.0 * x * x - z + p[0] + p[1] * (mean - x);
            du[3 * i + 1] = 1.0 - 5.0 * x * x - y;
            du[3 * i + 2] = 0.006 * (4.0 * (x + 1.6) - z);
        }
    }
}
"
    .to_owned()
}

const LORENZ: &str = "use lorenz as SYSTEM;
const U0: [f64; 3] = [1.0, 0.0, 0.0];
const P: [f64; 3] = [28.0, 10.0, 8.0 / 3.0];
const SPAN: (f64, f64) = (0.0, 10.0);
#[odes::ode_system]
fn lorenz(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3]) {
    let [x, y, z] = *u;
    let [rho, sigma, beta] = *p;
    du[0] = sigma * (y - x);
    du[1] = x * (rho - z) - y;
    du[2] = x * y - beta * z;
}
";

const ROBERTSON: &str = "use robertson as SYSTEM;
const U0: [f64; 3] = [1.0, 0.0, 0.0];
const P: [f64; 3] = [0.04, 3e7, 1e4];
const SPAN: (f64, f64) = (0.0, 1e4);
#[odes::ode_system]
fn robertson(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3]) {
    let [a, b, c] = *u;
    let [k1, k2, k3] = *p;
    du[0] = -k1 * a + k3 * b * c;
    du[1] = k1 * a - k3 * b * c - k2 * b * b;
    du[2] = k2 * b * b;
}
";

/// All programs, the shortest build first.
pub(crate) fn all() -> Vec<Case> {
    let text = str::to_owned;
    let mut all = vec![
        Case::new("lorenz", "Tsit5", text(LORENZ), 4096),
        Case::new("lorenz_vern7", "Vern7", text(LORENZ), 4096),
        Case::new("robertson", "Rodas4", text(ROBERTSON), 4000),
        Case::new("robertson_rodas5p", "Rodas5P", text(ROBERTSON), 4000),
        Case::new("robertson_kvaerno5", "Kvaerno5", text(ROBERTSON), 4000),
        Case::new("robertson_auto", "Auto", text(ROBERTSON), 4000),
        Case::new("tanh2", "Tsit5", tanh(2), 5000),
        Case::new("tanh4", "Tsit5", tanh(4), 2000),
        Case::new("tanh4_rodas4", "Rodas4", tanh(4), 2000),
        Case::new("arrhenius20", "Tsit5", arrhenius(), 2000),
        Case::new("arrhenius20_rodas5p", "Rodas5P", arrhenius(), 1000),
        Case::new("hindmarsh_rose30", "Tsit5", hindmarsh_rose(), 512),
        Case::new("hindmarsh_rose30_rodas5p", "Rodas5P", hindmarsh_rose(), 512),
        Case::new("brusselator20", "Rodas4", brusselator(20), 512),
        Case::new("brusselator20_auto", "Auto", brusselator(20), 512),
        Case::new("brusselator40_auto", "Auto", brusselator(40), 512),
        Case::new("brusselator80", "Rodas4", brusselator(80), 512),
        Case::new("brusselator80_tsit5", "Tsit5", brusselator(80), 512),
        Case::new("dense10", "Rodas4", lotka_volterra(10), 512),
        Case::new("dense20", "Rodas4", lotka_volterra(20), 512),
        Case::new("dense30", "Rodas4", lotka_volterra(30), 256),
        Case::new("dense40_auto", "Auto", lotka_volterra(40), 128),
        Case::new("dense50", "Rodas4", lotka_volterra(50), 128),
        Case::new("dense80", "Rodas4", lotka_volterra(80), 64),
        Case::new("tanh10", "Tsit5", tanh(10), 1000),
        Case::new("tanh10_rodas4", "Rodas4", tanh(10), 512),
        Case::new("tanh20", "Tsit5", tanh(20), 256),
        Case::new("tanh20_rodas4", "Rodas4", tanh(20), 128),
        Case::new("network256", "Tsit5", network(256), 64),
    ];
    let stiff = [
        "e5",
        "h2o2",
        "hires",
        "oregonator",
        "pollution",
        "robertson",
        "stiff_van_der_pol",
        "stratosphere",
        "stirred_tank",
    ];
    let others = [
        "arenstorf",
        "brusselator",
        "charged_particle",
        "diffusive_brusselator",
        "double_pendulum",
        "duffing",
        "fitzhugh_nagumo",
        "goodwin",
        "hodgkin_huxley",
        "keller_miksis",
        "kuramoto",
        "lorenz",
        "lorenz96",
        "lotka_volterra",
        "measles",
        "morris_lecar",
        "neural_ode",
        "phenytoin",
        "pleiades",
        "repressilator",
        "rossler",
        "satellite",
        "sir",
        "van_der_pol",
    ];
    all.extend(stiff.map(|name| Case::model(name, "Rodas4")));
    all.extend(others.map(|name| Case::model(name, "Tsit5")));
    all
}
