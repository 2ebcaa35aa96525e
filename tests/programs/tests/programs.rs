//! Random programs: results of rustc's code and the compiler's code agree.

#![allow(missing_docs)]

#[path = "../../support/cpp.rs"]
mod cpp;
#[path = "support/device.rs"]
mod device;
#[path = "support/host.rs"]
mod host;
#[path = "../../support/random.rs"]
mod random;
#[path = "../../support/special.rs"]
mod special;

use ode_core::lane::Real;
use ode_core::lane::dispatch;
use std::sync::atomic::{AtomicUsize, Ordering};

use odes_random_programs::bounded::{Bounded, settled};
use odes_random_programs::program::{Point, Program};
use odes_random_programs::tape::Tape;
use odes_skipped::needs;
use random::Random;

/// The programs that the build script wrote.
#[allow(warnings, clippy::all, clippy::pedantic)]
mod written {
    use odes_random_programs::own::{Calling, Own};
    use odes_random_programs::program::{Program, gradients, lane_code, plain};

    include!(concat!(env!("OUT_DIR"), "/programs.rs"));
}

/// Returns points of ordinary numbers.
fn ordinary(program: &Program) -> Vec<Point> {
    let mut random = Random(3);
    let point = |_| {
        let mut point: Point = (1..program.inputs()).map(|_| random.uniform(-1.5, 1.5)).collect();
        point.push(random.uniform(0.0, 10.0));
        point
    };
    (0..20).map(point).collect()
}

/// Returns points with zeros, infinities, NaN, very large or very small numbers.
fn unusual(program: &Program) -> Vec<Point> {
    let numbers = special::special::<f64>();
    let mut random = Random(4);
    let mut points = [ordinary(program), ordinary(program)].concat();
    for number in points.iter_mut().flatten() {
        if random.uniform(0.0, 3.0) < 1.0 {
            *number = numbers[random.uniform(0.0, numbers.len() as f64) as usize];
        }
    }
    points
}

/// Fails with the first reports, if there are any.
fn conclude(test: &str, summary: &str, reports: &[String]) {
    eprintln!("{test}: {} programs, {summary}", written::programs().len());
    let first: Vec<&str> = reports.iter().take(3).map(String::as_str).collect();
    assert!(reports.is_empty(), "{} failures, the first:\n{}", reports.len(), first.join("\n"));
}

/// Returns whether all numbers are equal, bit for bit; all NaN count as one.
fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan())
}

/// Without fusing, the lane code has the bits of the plain function, except signs of zeros.
#[test]
fn plain_functions() {
    let (mut points, mut finite, mut excused) = (0, 0, 0);
    let mut reports = Vec::new();
    for program in &written::programs() {
        for point in ordinary(program).into_iter().chain(unusual(program)) {
            let expected = (program.plain)(&point);
            let computed = (program.lane_code)(&point);
            points += 1;
            finite += usize::from(expected.iter().all(|value| value.is_finite()));
            // A sum with a zero clears the sign.
            let unsigned = |values: &[f64]| values.iter().map(|x| x + 0.0).collect::<Vec<f64>>();
            if same_bits(&unsigned(&computed), &unsigned(&expected)) {
                continue;
            }
            let tape = &program.unfused_tape;
            let excuses =
                [Tape::sign_of_zero_matters, Tape::sign_of_nan_matters, Tape::has_large_quotient];
            if excuses.iter().any(|excuse| excuse(tape, &point)) {
                excused += 1;
                continue;
            }
            reports.push(program.report(&point, format!("{computed:?} instead of {expected:?}")));
            break;
        }
    }
    let operations: usize =
        written::programs().iter().map(|program| program.unfused_tape.operations()).sum();
    let summary =
        format!("{operations} operations; {points} points, {finite} finite, {excused} excused");
    conclude("plain functions", &summary, &reports);
    assert!(2 * finite > points, "{summary}");
    assert!(100 * excused < points, "{summary}");
}

/// With fusing the function is the same, with other rounding.
#[test]
fn fused_functions() {
    let (mut compared, mut sharp, mut skipped) = (0, 0, 0);
    let mut reports = Vec::new();
    for program in &written::programs() {
        'program: for point in ordinary(program) {
            let inputs: Vec<Bounded> = point.iter().copied().map(Bounded::exact).collect();
            let evaluations = settled(|| {
                (program.functions[0].evaluate(&inputs), program.unfused_tape.evaluate(&inputs))
            });
            let Some((fused, unfused)) = evaluations else {
                skipped += 1;
                continue;
            };
            for (a, b) in fused.into_iter().zip(unfused) {
                match a.agrees(b) {
                    Some(true) => {
                        compared += 1;
                        sharp += usize::from(a.is_sharp() && b.is_sharp());
                    }
                    None => skipped += 1,
                    Some(false) => {
                        reports.push(program.report(&point, format!("{a:?} instead of {b:?}")));
                        break 'program;
                    }
                }
            }
        }
    }
    let summary = format!("{compared} values, {sharp} with a sharp bound, {skipped} skipped");
    conclude("fused functions", &summary, &reports);
    assert!(3 * sharp > 2 * (compared + skipped), "{summary}");
}

/// All functions of a program at some points, in the lanes of an instruction set.
struct InLanes<'a> {
    program: &'a Program,
    points: &'a [Point],
}

impl dispatch::LaneProgram<f64> for InLanes<'_> {
    /// For each function, the results at each point.
    type Output = Vec<Vec<Vec<f64>>>;
    const VECTORS: usize = 1;

    #[inline(always)]
    fn run<R: Real<Scalar = f64>>(self) -> Self::Output {
        let evaluate = |tape: &Tape| {
            let mut results = Vec::new();
            for points in self.points.chunks(R::LANES) {
                let lanes = |input: usize| {
                    let mut lanes = R::lit(0.0);
                    for (lane, point) in points.iter().enumerate() {
                        lanes.set_lane(lane, point[input]);
                    }
                    lanes
                };
                let inputs: Vec<R> = (0..self.program.inputs()).map(lanes).collect();
                let outputs = tape.evaluate(&inputs);
                let of_lane = |lane| outputs.iter().map(|output| output.lane(lane)).collect();
                results.extend((0..points.len()).map(of_lane));
            }
            results
        };
        self.program.functions.iter().map(evaluate).collect()
    }
}

/// SIMD lanes have the bits of one lane.
#[test]
fn lanes() {
    let instructions = dispatch::InstructionSet::best();
    let mut reports = Vec::new();
    let mut compared = 0;
    for program in &written::programs() {
        let mut points = ordinary(program);
        points.extend(unusual(program));
        let in_lanes = dispatch::run(instructions, InLanes { program, points: &points });
        let functions = program.functions.iter().zip(in_lanes);
        let wrong = functions.enumerate().find_map(|(function, (tape, in_lanes))| {
            points.iter().zip(in_lanes).find_map(|(point, computed)| {
                let expected = tape.evaluate(point);
                compared += expected.len();
                if same_bits(&computed, &expected) || tape.sign_of_nan_matters(point) {
                    return None;
                }
                let what = format!("function {function}: {computed:?} instead of {expected:?}");
                Some(program.report(point, what))
            })
        });
        reports.extend(wrong);
    }
    conclude("lanes", &format!("{instructions:?}, {compared} values"), &reports);
}

/// The device text has the bits of the Rust code, in all functions.
#[needs(cpp)]
#[test]
fn device_text() {
    let Some(cpp) = cpp::HostCpp::find() else {
        eprintln!("skipped: no C++ compiler (c++, g++ or clang++)");
        return;
    };
    let programs = written::programs();
    // Two sources are compiled concurrently, because one takes hardly longer than its half.
    let parts: Vec<&[Program]> = programs.chunks(programs.len().div_ceil(2).max(1)).collect();
    let compared = AtomicUsize::new(0);
    let judge = &|part: &&[Program]| {
        let texts: String = part.iter().map(device::text).collect();
        let library = cpp.compile(&host::source(&texts));
        let mut reports = Vec::new();
        for program in *part {
            let points = ordinary(program).into_iter().chain(unusual(program));
            reports.extend(points.into_iter().find_map(|point| {
                program.functions.iter().enumerate().find_map(|(function, tape)| {
                    let expected = tape.evaluate(&point);
                    let count = expected.len();
                    let name = format!("{}_{function}", program.name);
                    let computed = host::evaluate(&library, &name, &point, count);
                    compared.fetch_add(count, Ordering::Relaxed);
                    if same_bits(&computed, &expected) || tape.sign_of_nan_matters(&point) {
                        return None;
                    }
                    let what = format!("function {function}: {computed:?} instead of {expected:?}");
                    Some(program.report(&point, what))
                })
            }));
        }
        reports
    };
    let reports: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = parts.iter().map(|part| scope.spawn(move || judge(part))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a panic there")).collect()
    });
    conclude("device text", &format!("{} values", compared.into_inner()), &reports);
}

/// The derivatives equal those of the right-hand side, and the patterns are right.
#[test]
fn derivatives() {
    let (mut compared, mut sharp, mut skipped, mut seen, mut said) = (0, 0, 0, 0, 0);
    let mut reports = Vec::new();
    for program in &written::programs() {
        let mut nonzero = vec![vec![false; program.inputs()]; program.states];
        let mut wrong = None;
        'points: for point in ordinary(program) {
            let inputs: Vec<Bounded> = point.iter().copied().map(Bounded::exact).collect();
            for input in 0..program.inputs() {
                let derivatives = settled(|| {
                    (program.column(input, &inputs), program.differentiated(input, &inputs))
                });
                let Some((emitted, expected)) = derivatives else {
                    skipped += 1;
                    continue;
                };
                for (row, (a, b)) in emitted.into_iter().zip(expected).enumerate() {
                    nonzero[row][input] |= b.nonzero();
                    match a.agrees(b) {
                        Some(true) => {
                            compared += 1;
                            sharp += usize::from(a.is_sharp() && b.is_sharp());
                        }
                        None => skipped += 1,
                        Some(false) => {
                            let what = format!("[{row}] by input {input}: {a:?} instead of {b:?}");
                            wrong = Some(program.report(&point, what));
                            break 'points;
                        }
                    }
                }
            }
        }
        let dependences = program.functions[0].dependences();
        for (row, inputs) in program.pattern.iter().enumerate() {
            for (input, &stated) in inputs.iter().enumerate() {
                let possible = dependences[row].contains(&(input as u32));
                seen += usize::from(nonzero[row][input]);
                said += usize::from(stated);
                if nonzero[row][input] && !stated || stated && !possible {
                    let what = format!("the pattern at [{row}], input {input}, is {stated}");
                    wrong = Some(program.report(&ordinary(program)[0], what));
                }
            }
        }
        reports.extend(wrong);
    }
    let summary = format!(
        "{compared} derivatives, {sharp} with a sharp bound, {skipped} skipped; {seen} nonzeros seen \
         of {said} in the patterns"
    );
    conclude("derivatives", &summary, &reports);
    assert!(2 * sharp > compared + skipped, "{summary}");
}

/// Products with derivatives are right.
///
/// The reference is the derivatives themselves, and dual numbers for products with second
/// derivatives.
#[test]
fn gradients() {
    let (mut compared, mut sharp, mut skipped) = (0, 0, 0);
    let mut reports = Vec::new();
    for program in &written::programs() {
        let [_, _, _, _, pulled, curved] = program.functions.as_slice() else { continue };
        'program: for point in ordinary(program) {
            let inputs: Vec<Bounded> = point.iter().copied().map(Bounded::exact).collect();
            for input in 0..program.states + program.parameters {
                let pair = settled(|| {
                    let emitted = [pulled, curved].map(|tape| tape.evaluate(&inputs)[input]);
                    (emitted, program.pulled(input, &inputs))
                });
                let Some((emitted, expected)) = pair else {
                    skipped += 2;
                    continue;
                };
                for (function, (a, b)) in emitted.into_iter().zip(expected).enumerate() {
                    match a.agrees(b) {
                        Some(true) => {
                            compared += 1;
                            sharp += usize::from(a.is_sharp() && b.is_sharp());
                        }
                        None => skipped += 1,
                        Some(false) => {
                            let name = ["pull_back", "curved"][function];
                            let what = format!("{name} by input {input}: {a:?} instead of {b:?}");
                            reports.push(program.report(&point, what));
                            break 'program;
                        }
                    }
                }
            }
        }
    }
    let summary = format!("{compared} products, {sharp} with a sharp bound, {skipped} skipped");
    conclude("gradients", &summary, &reports);
    assert!(2 * sharp > compared + skipped, "{summary}");
}
