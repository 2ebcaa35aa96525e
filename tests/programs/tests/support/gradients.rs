//! Derivatives of random programs with events.

use std::fmt::Write as _;

use odes_random_programs::definition::Case;
use odes_random_programs::derivatives::{Derivatives, Pair};
use odes_random_programs::shapes::{PARAMETERS, STATES};
use odes_skipped::needs;

use crate::random::Random;
use crate::{EventProgram, beyond, cases, cpp, host, written};

/// The derivatives of events, actions and their times are those of dual numbers.
#[test]
fn derivatives() {
    let (mut compared, mut nonzero) = (0, 0);
    for program in &written::programs() {
        let tapes = (program.tapes)();
        let Some(derivatives) = &tapes.derivatives else { continue };
        for Case { u, p, from, to } in cases(program) {
            let at = [&u[..], &p, &[0.5 * (from + to)]].concat();
            let times: Vec<_> = program.plain.times.iter().map(|times| times(&p)).collect();
            for Pair { of, emitted, expected } in derivatives.pairs(&tapes, &at, &times) {
                let EventProgram { replay, text, .. } = program;
                for (input, (a, b)) in emitted.iter().zip(&expected).enumerate() {
                    compared += 1;
                    nonzero += usize::from(*b != 0.0);
                    assert!(
                        !beyond((a - b).abs(), 1e-12 * (1.0 + b.abs())),
                        "{of} by input {input}: {a} instead of {b}\n{replay}\nat {at:?}\n{text}"
                    );
                }
            }
        }
    }
    eprintln!("{compared} derivatives, {nonzero} are not zero");
    assert!(8 * nonzero > compared, "{nonzero} of {compared}");
}

/// The derivatives have the same bits in C++.
#[needs(cpp)]
#[test]
fn derivatives_on_devices() {
    let Some(cpp) = cpp::HostCpp::find() else {
        eprintln!("skipped: no C++ compiler (c++, g++ or clang++)");
        return;
    };
    let all = written::programs().into_iter().map(|program| ((program.tapes)(), program));
    let all: Vec<_> = all.filter(|(tapes, _)| tapes.derivatives.is_some()).collect();
    let name =
        |program: &EventProgram, function: &str| format!("events_{}_{function}", program.number);
    let mut texts = String::new();
    for (tapes, program) in &all {
        write!(texts, "namespace events_{} {{\n{}\n", program.number, tapes.device_source())
            .expect("a string");
        for (function, call, _) in tapes.derivatives.iter().flat_map(Derivatives::functions) {
            let name = name(program, &function);
            write!(
                texts,
                "extern \"C\" void {name}(const double* in, double* out) {{
                    Arr<double, {STATES}> u, by_u;
                    Arr<double, {PARAMETERS}> p, by_p;
                    for (int i = 0; i < {STATES}; i++) u[i] = *in++;
                    for (int i = 0; i < {PARAMETERS}; i++) p[i] = *in++;
                    double t = *in++, near = *in;
                    for (int i = 0; i < {STATES}; i++) by_u[i] = in[i];
                    for (int i = 0; i < {PARAMETERS}; i++) by_p[i] = in[{STATES} + i];
                    {call}
                }}\n"
            )
            .expect("a string");
        }
        texts += "}\n";
    }
    let library = cpp.compile(&host::source(&texts));
    let mut compared = 0;
    for (tapes, program) in &all {
        for (function, _, tape) in tapes.derivatives.iter().flat_map(Derivatives::functions) {
            let mut random = Random(program.number);
            for Case { u, p, from, to } in cases(program) {
                let mut inputs = [&u[..], &p, &[0.5 * (from + to)]].concat();
                inputs.extend((0..STATES + PARAMETERS).map(|_| random.uniform(-1.5, 1.5)));
                let expected = tape.evaluate(&inputs);
                let name = name(program, &function);
                let computed = host::evaluate(&library, &name, &inputs, expected.len());
                let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect();
                let [computed, expected]: [Vec<u64>; 2] = [bits(&computed), bits(&expected)];
                assert_eq!(computed, expected, "{name} at {inputs:?}\n{}", program.replay);
                compared += expected.len();
            }
        }
    }
    eprintln!("{compared} derivatives in C++");
    assert!(compared > 1000, "{compared}");
}
