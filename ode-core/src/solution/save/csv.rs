//! Tables of comma-separated values.

use crate::lane::Scalar;
use crate::persist::Replacement;
use crate::solution::{EnsembleSolution, Trajectory};
use crate::system::System;
use ndarray::Axis;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes the table of [`EnsembleSolution::write_csv`].
pub(super) fn write<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    solution: &EnsembleSolution<S, T, N, P>,
    path: &Path,
) -> io::Result<()> {
    let (replacement, file) = Replacement::begin(path)?;
    let mut out = BufWriter::new(file);
    let only_finals = solution.iter().all(|trajectory| trajectory.slots() == 0);
    let info = solution.system.info();
    let options = &solution.inputs.options;
    // Without saved times, rows have the final states and observables.
    let ([of_states, of_observables], names) = match only_finals {
        true => (
            [(0..N).collect(), (0..S::OBSERVABLES).collect()],
            [info.states.to_vec(), info.observables.to_vec()],
        ),
        false => (options.saved_indices(), options.saved_names([info.states, info.observables])),
    };
    let mut columns = Columns(vec!["trajectory".into(), "code".into(), "t".into()]);
    columns.add("u", &names[0]);
    columns.add("observable", &names[1]);
    columns.add("p", info.parameters);
    writeln!(out, "{}", columns.0.join(","))?;

    for trajectory in solution {
        let p = trajectory.parameters();
        let states = solution.all_states().index_axis_move(Axis(0), trajectory.index());
        let observables = trajectory.observables();
        for (slot, t) in trajectory.times().enumerate() {
            begin(&mut out, &trajectory, t)?;
            numbers(&mut out, states.row(slot).iter().copied())?;
            numbers(&mut out, observables.row(slot).iter().copied())?;
            numbers(&mut out, p)?;
            writeln!(out)?;
        }
        let end = trajectory.end_time();
        // The time of a failure is no saved time, unless it is the last one.
        let failed = !trajectory.code().is_success() && trajectory.times().last() != Some(end);
        if only_finals || failed {
            begin(&mut out, &trajectory, end)?;
            let (state, observed) =
                (solution.final_numbers(trajectory.index()), trajectory.final_observables());
            numbers(&mut out, of_states.iter().map(|&d| state[d]))?;
            numbers(&mut out, of_observables.iter().map(|&q| observed[q]))?;
            numbers(&mut out, p)?;
            writeln!(out)?;
        }
    }
    replacement.finish(out.into_inner()?)
}

/// The names of columns, each unique.
struct Columns(Vec<String>);

impl Columns {
    fn add(&mut self, kind: &str, names: &[&str]) {
        for &name in names {
            let mut name = name.to_owned();
            while self.0.contains(&name) {
                name = format!("{kind}.{name}");
            }
            self.0.push(name);
        }
    }
}

fn begin<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    out: &mut impl Write,
    trajectory: &Trajectory<'_, S, T, N, P>,
    t: T,
) -> io::Result<()> {
    write!(out, "{},{},{t:?}", trajectory.number(), trajectory.code())
}

/// Writes numbers as the shortest decimals that read back the same.
///
/// `Debug` writes them so, with an exponent if they are long.
fn numbers<T: Scalar>(out: &mut impl Write, row: impl IntoIterator<Item = T>) -> io::Result<()> {
    row.into_iter().try_for_each(|number| write!(out, ",{number:?}"))
}

#[cfg(test)]
mod tests {
    use super::Columns;

    #[test]
    fn names_that_are_there_already_say_what_they_are() {
        let mut columns = Columns(vec!["t".into()]);
        columns.add("u", &["x", "t"]);
        columns.add("p", &["x", "k", "u.t"]);
        assert_eq!(columns.0, ["t", "x", "u.t", "p.x", "k", "p.u.t"]);
    }
}
