//! Solutions as files: Zarr folders, NumPy archives and tables of comma-separated values (feature
//! `save`).
//!
//! ```python
//! data = numpy.load("lorenz.npz")        # EnsembleSolution::write_npz
//! data["u"][42, :, 0]                    # component 0 of trajectory 42 at data["t"]
//! table = pandas.read_csv("lorenz.csv")  # EnsembleSolution::write_csv
//! table[table.trajectory == 42].plot("t", "x")
//! ds = xarray.open_zarr("lorenz.zarr", consolidated=False)  # EnsembleSolution::write_zarr
//! ds.u.sel(state="x", trajectory=42).plot()
//! ```

mod csv;
mod error;
mod npy;
mod npz;
mod zarr;

pub use error::SaveError;
pub use npy::{NpyElement, write_npy};
pub use npz::Npz;
pub use zarr::ZarrFolder;

use crate::lane::Scalar;
use crate::solution::{EnsembleSolution, ReturnCode};
use crate::system::System;
use ndarray::{Array1, Array2, ArrayView1, arr1};
use std::io;
use std::path::Path;

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Writes the whole solution to a NumPy archive, which `numpy.load` reads.
    ///
    /// A complete file replaces an existing one; after an error the existing file is unchanged.
    /// Values at times that a trajectory did not reach are NaN.
    ///
    /// | array | shape | content |
    /// |---|---|---|
    /// | `t` | `[save]`; `[trajectory, save]` if trajectories have different times | saved times, padded with NaN |
    /// | `u` | `[trajectory, save, component]` | saved states; absent if not saved |
    /// | `observables` | `[trajectory, save, observable]` | saved observables; absent if not saved |
    /// | `u_end` | `[trajectory, component]` | final states |
    /// | `modes_end` | `[trajectory, mode]` | [`all_final_modes`](Self::all_final_modes); absent without modes |
    /// | `t_end` | `[trajectory]` | times of the final states |
    /// | `u0` | `[trajectory, component]` | initial states |
    /// | `p` | `[trajectory, parameter]` | parameters |
    /// | `tspan` | `[trajectory, 2]` | both ends of the time spans |
    /// | `code` | `[trajectory]` | return codes, as indices of `code_names` |
    /// | `accepted`, `rejected` | `[trajectory]` | numbers of steps |
    /// | `guarded` | `[trajectory]` | [`guarded`](Self::guarded); absent if the guard is off |
    /// | `held_unstable` | `[trajectory]` | [`held_unstable`](Self::held_unstable), 1 or 0; absent if the guard is off |
    /// | `event_counts` | `[trajectory, event]` | [`event_counts`](Self::event_counts); absent without events |
    /// | `features` | `[trajectory, feature]` | [`features`](Self::features); absent without features |
    /// | `log` | `[trajectory, slot, number]` | [`all_logs`](Self::all_logs); absent without a log |
    /// | `log_names` | `[number]` | the meaning of each number of a slot: `time`, `event`, and states as `before.prey` and `after.prey`; absent without a log |
    /// | `shape` | `[axis]` | the length of each axis of the grid: `data["u_end"].reshape(*data["shape"], -1)` |
    /// | `axis_0`, `axis_1`, … | `[value]` | the values along each axis of the grid, if there is one |
    /// | `axis_names` | `[axis]` | the varied quantities: `p.beta`, `u0.prey` |
    /// | `numbers` | `[2]` | [`numbers`](Self::numbers): the first index, and one more than the last |
    /// | `state_names`, `parameter_names`, `observable_names`, `event_names`, `feature_names`, `mode_names`, `code_names` | | names |
    /// | `saved_state_names`, `saved_observable_names` | | names along `u` and `observables`, after [`save_only`](crate::SolveOptions::save_only) |
    ///
    /// A [shard](crate::EnsembleProblem::shard) of a grid is a list of trajectories: `shape` contains
    /// their number, and there are no axes. To get an array of the whole ensemble, concatenate the
    /// arrays of all shards in their order, for example `u_end`, by `numpy.concatenate`. (If
    /// trajectories have different numbers of saves, so may the arrays of saved values of shards.)
    ///
    /// # Errors
    /// If the file cannot be written. The file is written under a temporary name in the same folder.
    pub fn write_npz(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        self.npz(path).map_err(|error| SaveError { path: path.to_owned(), error })
    }

    fn npz(&self, path: &Path) -> io::Result<()> {
        let n = self.len();
        let mut file = Npz::create(path)?;
        match self.shared_times() {
            Some(times) => file.add_numbers("t", ArrayView1::from(times))?,
            None => {
                let slots = self.iter().map(|trajectory| trajectory.slots()).max().unwrap_or(0);
                let time = |(i, slot): (usize, usize)| {
                    let trajectory = self.trajectory(i);
                    let within = slot < trajectory.slots();
                    if within { trajectory.time(slot) } else { T::nan() }
                };
                file.add_numbers("t", Array2::from_shape_fn((n, slots), time).view())?;
            }
        }
        for (name, array) in [("u", self.all_states()), ("observables", self.observables())] {
            if array.shape()[2] > 0 {
                file.add_numbers(name, array)?;
            }
        }
        file.add_numbers("u_end", self.final_states())?;
        if !self.all_final_modes().is_empty() {
            file.add_numbers("modes_end", self.all_final_modes())?;
        }
        file.add_numbers("t_end", ArrayView1::from(self.end_times()))?;
        file.add_numbers("u0", rows(n, |i| self.trajectory(i).initial_numbers())?.view())?;
        file.add_numbers("p", rows(n, |i| self.trajectory(i).parameters())?.view())?;
        file.add_numbers("tspan", rows(n, |i| self.trajectory(i).tspan().into())?.view())?;
        let each = |of: &dyn Fn(usize) -> u32| Array1::from_iter((0..n).map(of));
        file.add("code", Array1::from_iter(self.codes().map(|code| code as u8)).view())?;
        file.add("accepted", each(&|i| self.accepted(i)).view())?;
        file.add("rejected", each(&|i| self.rejected(i)).view())?;
        if self.is_guarded() {
            file.add("guarded", each(&|i| self.guarded(i)).view())?;
            let held = (0..n).map(|i| u8::from(self.held_unstable(i)));
            file.add("held_unstable", Array1::from_iter(held).view())?;
        }
        if !self.event_counts().is_empty() {
            file.add("event_counts", self.event_counts())?;
        }
        if !self.features().is_empty() {
            file.add_numbers("features", self.features())?;
        }
        if !self.all_logs().is_empty() {
            file.add_numbers("log", self.all_logs())?;
            let names = self.inputs.options.log.names(self.system.info());
            file.add_names("log_names", &names)?;
        }
        let numbers = self.numbers();
        file.add("numbers", arr1(&[numbers.start, numbers.end]).view())?;
        let shape: Vec<u64> = self.shape().iter().map(|&n| n as u64).collect();
        file.add("shape", arr1(&shape).view())?;
        for (k, axis) in self.axes().iter().enumerate() {
            file.add_numbers(&format!("axis_{k}"), ArrayView1::from(axis.values()))?;
        }
        let names: Vec<String> = self.axes().iter().map(ToString::to_string).collect();
        file.add_names("axis_names", &names)?;
        let info = self.system.info();
        file.add_names("state_names", info.states)?;
        file.add_names("parameter_names", info.parameters)?;
        file.add_names("observable_names", info.observables)?;
        if self.inputs.options.components.is_some() {
            let all = [info.states, info.observables];
            let [states, observables] = self.inputs.options.saved_names(all);
            file.add_names("saved_state_names", &states)?;
            file.add_names("saved_observable_names", &observables)?;
        }
        file.add_names("event_names", info.events)?;
        file.add_names("feature_names", info.features)?;
        file.add_names("mode_names", info.modes)?;
        let codes: Vec<String> = ReturnCode::ALL.iter().map(ToString::to_string).collect();
        file.add_names("code_names", &codes)?;
        file.finish()
    }

    /// Writes a table of comma-separated values.
    ///
    /// A complete file replaces an existing one; after an error the existing file is unchanged.
    /// Each saved time that a trajectory reached is a row. A trajectory that failed has a last row with the state and the time at which it ended. If no
    /// times were saved, each trajectory has one row, for its final state and time.
    ///
    /// The columns are `trajectory` (its [index](crate::Trajectory::number) in the whole ensemble),
    /// `code` (the name of the return code) and `t`. Then follow, by their names, the saved states,
    /// the saved observables and the parameters. A name that is already taken is written `u.name`,
    /// `observable.name` or `p.name`. Reading the numbers back gives the same values.
    ///
    /// # Errors
    /// If the file cannot be written. The file is written under a temporary name in the same folder.
    pub fn write_csv(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        csv::write(self, path).map_err(|error| SaveError { path: path.to_owned(), error })
    }
}

/// Returns an array with a row for each trajectory.
fn rows<T: Scalar, const K: usize>(
    n: usize,
    row: impl Fn(usize) -> [T; K],
) -> io::Result<Array2<T>> {
    let numbers = (0..n).flat_map(row).collect();
    Array2::from_shape_vec((n, K), numbers).map_err(io::Error::other)
}
