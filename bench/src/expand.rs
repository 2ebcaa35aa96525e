//! The expansion time of `#[ode_system]`, including derivatives, simplification and both texts.

use std::time::Instant;

use proc_macro2::TokenStream;
use serde::Serialize;

use crate::Failure;
use crate::output::{Output, Row, median, significant};

/// The measurements of one right-hand side.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    system: String,
    milliseconds: f64,
    /// Bytes of the expansion's text.
    bytes: usize,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[("system", 18), ("ms", 8), ("bytes", 10)];

    fn cells(&self) -> Vec<String> {
        let milliseconds = significant(Some(self.milliseconds), 3);
        vec![self.system.clone(), milliseconds, self.bytes.to_string()]
    }
}

/// Returns the right-hand side in the file of a model, which ends with it.
fn function(file: &str) -> &str {
    file.split_once("#[ode_system]").map_or(file, |(_, function)| function)
}

/// Returns the text of `du = P u` with all of `P` as parameters.
fn dense(n: usize) -> String {
    format!(
        "fn dense(du: &mut [f64; {n}], u: &[f64; {n}], p: &[f64; {}], _t: f64) {{
            for i in 0..{n} {{
                let mut sum = 0.0;
                for j in 0..{n} {{
                    sum += p[{n} * i + j] * u[j];
                }}
                du[i] = sum;
            }}
        }}",
        n * n
    )
}

/// Measures all right-hand sides and prints a table.
pub(crate) fn run(output: &mut Output) -> Result<(), Failure> {
    let systems = [
        ("Pollution, 20", function(include_str!("../../examples/models/pollution.rs")).to_owned()),
        (
            "2-50-2 network",
            function(include_str!("../../examples/models/neural_ode.rs")).to_owned(),
        ),
        ("dense linear, 20", dense(20)),
        ("dense linear, 100", dense(100)),
    ];
    for (system, text) in systems {
        let tokens: TokenStream = text.parse().map_err(|error| format!("{system}: {error}"))?;
        let mut times = Vec::new();
        let mut bytes = 0;
        for _ in 0..3 {
            let begin = Instant::now();
            let expansion = ode_codegen::system::expand(TokenStream::new(), tokens.clone());
            times.push(begin.elapsed().as_secs_f64() * 1e3);
            let text = expansion.to_string();
            if text.contains("compile_error") {
                return Err(format!("{system} does not compile").into());
            }
            bytes = text.len();
        }
        let milliseconds = median(times);
        output.row(&Measured {
            bench: "expand",
            system: system.to_owned(),
            milliseconds,
            bytes,
        })?;
    }
    Ok(())
}
