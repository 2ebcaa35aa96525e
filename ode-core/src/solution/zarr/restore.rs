//! Results from the files of a chunk.

use super::ZarrGroup;
use super::array::{CHECKSUM, checked};
use super::variable::Variable;
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::layout::{Layout, RawResults};
use crate::step::guard::Guarded;
use crate::step::switching;
use bytemuck::Pod;

impl ZarrGroup {
    /// Checks the file of the array `array`, in the order of [`chunk_files`](Self::chunk_files).
    ///
    /// Returns its checksum.
    ///
    /// # Errors
    /// The defect of the file.
    pub fn check(&self, array: usize, file: &[u8]) -> Result<[u8; CHECKSUM], &'static str> {
        let (elements, checksum) = checked(file)?;
        let array = &self.variables[array].1;
        match elements.len() == array.bytes_of_trajectory().saturating_mul(self.chunk) {
            true => Ok(checksum),
            false => Err("its size differs from the size of a chunk"),
        }
    }

    /// Sets `results` to the results of a chunk of `n` trajectories.
    ///
    /// The files are [checked](Self::check), in the order of [`chunk_files`](Self::chunk_files).
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn restore<T: Scalar>(
        &self,
        files: &[Vec<u8>],
        n: usize,
        results: &mut RawResults<T>,
    ) -> Result<(), SolveError> {
        let layout = &self.sizes.layout;
        results.fit(layout, n)?;
        let chunk = StoredChunk { group: self, files, n };
        let Layout { states, row, slots, events, features, modes, .. } = *layout;
        chunk.copy(Variable::FinalStates, 0..states, &mut results.finals);
        chunk.copy(Variable::FinalModes, 0..modes, &mut results.modes);
        chunk.copy(Variable::EndTimes, 0..1, &mut results.ends);
        chunk.copy(Variable::Rejected, 0..1, &mut results.rejected);
        chunk.copy(Variable::SavedCounts, 0..1, &mut results.kept);
        chunk.copy(Variable::EventCounts, 0..events, &mut results.events);
        chunk.copy(Variable::Features, 0..features, &mut results.features);
        chunk.copy(Variable::Log, 0..layout.logged(), &mut results.log);
        for (variable, numbers) in [
            (Variable::SavedStates, 0..row.states),
            (Variable::SavedObservables, row.of_observables()),
            (Variable::SavedTimes, row.width() - row.times..row.width()),
        ] {
            let first = (0..slots).map(|slot| slot * row.width());
            let rows = first.flat_map(|first| first + numbers.start..first + numbers.end);
            chunk.copy(variable, rows, &mut results.saved);
        }
        chunk.copy(Variable::Codes, 0..1, &mut results.codes);
        for (variable, bit) in
            [(Variable::Stiff, switching::EVER), (Variable::StiffAtEnd, switching::STIFF)]
        {
            let flags = chunk.row::<u8>(variable).map(|flag| if flag == 1 { bit as u8 } else { 0 });
            results.codes.iter_mut().zip(flags).for_each(|(code, flag)| *code |= flag);
        }
        chunk.copy(Variable::Accepted, 0..1, &mut results.steps);
        let rejected = chunk.row::<u32>(Variable::Rejected);
        for (steps, count) in results.steps.iter_mut().zip(rejected) {
            *steps = steps.saturating_add(count);
        }
        let counts = chunk.row::<u32>(Variable::Guarded);
        let flags = chunk.row::<u8>(Variable::HeldUnstable);
        let flags = flags.zip(chunk.row::<u8>(Variable::GuardCare));
        for (report, (count, (held, care))) in results.guarded.iter_mut().zip(counts.zip(flags)) {
            *report = Guarded { count, held: held == 1, care }.to_lane();
        }
        Ok(())
    }
}

/// The files of a chunk of `n` trajectories.
struct StoredChunk<'a> {
    group: &'a ZarrGroup,
    files: &'a [Vec<u8>],
    n: usize,
}

impl<'a> StoredChunk<'a> {
    /// Returns the rows of a variable as bytes; no rows if the group does not have the variable.
    fn rows<V>(&self, variable: Variable) -> impl Iterator<Item = &'a [u8]> + use<'a, V> {
        let mut known = self.group.variables.iter();
        let file = known.position(|(known, _)| *known == variable).map(|k| &self.files[k][..]);
        let rows = file.map_or(&[][..], |file| &file[..file.len() - CHECKSUM]);
        let used = self.n * size_of::<V>();
        rows.chunks_exact(self.group.chunk * size_of::<V>()).map(move |row| &row[..used])
    }

    /// Copies the rows of a variable to these rows of `array`.
    fn copy<V: Pod>(
        &self,
        variable: Variable,
        rows: impl IntoIterator<Item = usize>,
        array: &mut [V],
    ) {
        for (bytes, row) in self.rows::<V>(variable).zip(rows) {
            let row = &mut array[row * self.n..][..self.n];
            bytemuck::cast_slice_mut(row).copy_from_slice(bytes);
        }
    }

    /// Returns the values of a variable with one row.
    fn row<V: Pod>(&self, variable: Variable) -> impl Iterator<Item = V> + use<'a, V> {
        let values = self.rows::<V>(variable).flat_map(|row| row.chunks_exact(size_of::<V>()));
        values.map(bytemuck::pod_read_unaligned)
    }
}

#[cfg(test)]
mod tests {
    use super::super::variable::Sizes;
    use super::*;
    use crate::problem::inputs::{Input, Inputs, SaveTimes};
    use crate::problem::options::{LogRow, SavedRow};
    use crate::solution::{ResultArray, ResultSet, ReturnCode};
    use crate::step::guard;

    /// Returns results of `n` trajectories, whose numbers have arbitrary bits.
    fn arbitrary<T: Scalar>(layout: &Layout, n: usize) -> RawResults<T> {
        let mut results = RawResults::<T>::default();
        results.fit(layout, n).unwrap();
        let mut state = 1u64;
        let mut next = || {
            // Knuth's constants of MMIX.
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        results.bytes_mut().into_iter().flatten().for_each(|byte| *byte = next());
        // The bits that lanes report.
        for code in results.codes.iter_mut() {
            *code = (*code % ReturnCode::ALL.len() as u8) | (*code & 192);
        }
        results.steps.iter_mut().for_each(|steps| *steps |= 1 << 31);
        results.rejected.iter_mut().for_each(|rejected| *rejected &= !(1 << 31));
        let reported = guard::COUNT + 3 * guard::CAREFUL + guard::HELD_BIT;
        results.guarded.iter_mut().for_each(|report| *report &= reported as u32);
        results
    }

    fn check<T: Scalar>(wanted: ResultSet, times: usize) {
        let layout = Layout {
            states: 2,
            row: SavedRow { states: 2, observables: 1, times },
            slots: 3,
            guarded: true,
            events: 2,
            features: 3,
            modes: 2,
            log: LogRow { marks: 2, before: 1, after: 0 },
            log_slots: 2,
            wanted,
        };
        let n = 11;
        let each = |of: usize| Input::each((0..n).map(|i| T::narrow((of + i) as f64)).collect());
        let inputs = Inputs {
            trajectories: n,
            first: 0,
            shape: vec![n],
            u0: vec![each(1), Input::all(T::narrow(2.0))],
            p: vec![each(3)],
            t0: Input::all(T::narrow(0.0)),
            t1: each(4),
            save: SaveTimes::all(vec![T::narrow(1.0); 3 * (1 - times)]),
            stops: SaveTimes::all(Vec::new()),
            abstols: Vec::new(),
        };
        let shared_times = times == 0;
        let sizes = Sizes {
            layout,
            trajectories: n,
            parameters: 1,
            shared_times,
            chosen: false,
            switches: true,
        };
        let (variables, attributes) = (Variable::of_solve::<T>(&sizes), Default::default());
        let coordinates = Vec::new();
        let group =
            ZarrGroup { sizes, variables, coordinates, marks: None, attributes, chunk: 0 }.chunk(4);
        // A batch that begins with the second chunk. The last chunk has three trajectories.
        let batch = inputs.range(4..11);
        let results = arbitrary::<T>(&layout, batch.len());
        for (index, range) in [(1, 0..4), (2, 4..7)] {
            let files = group.chunk_files(index, (batch, &results), range.clone());
            let files: Vec<(String, Vec<u8>)> =
                files.map(|file| (file.path.clone(), file.parts().concat())).collect();
            let (paths, mut files): (Vec<_>, Vec<_>) = files.into_iter().unzip();
            assert!(group.chunk_paths(index).eq(paths));
            for (k, file) in files.iter_mut().enumerate() {
                group.check(k, file).unwrap();
                file[0] ^= 1;
                assert!(group.check(k, file).is_err());
                file[0] ^= 1;
                assert!(group.check(k, &file[1..]).is_err());
            }
            let mut found = RawResults::<T>::default();
            group.restore(&files, range.len(), &mut found).unwrap();
            let arrays = results.bytes().into_iter().zip(found.bytes());
            for (array, (given, found)) in ResultArray::ALL.into_iter().zip(arrays) {
                let size = array.size::<T>();
                let rows = given.chunks_exact(size * batch.len());
                let expected = rows.flat_map(|row| &row[size * range.start..size * range.end]);
                assert!(expected.eq(found), "{array:?}");
            }
        }
    }

    /// The files of a chunk contain all bits of its results.
    #[test]
    fn results_are_restored_bit_for_bit() {
        let steps =
            ResultSet::from([ResultArray::Codes, ResultArray::Steps, ResultArray::Rejected]);
        for wanted in [ResultSet::ALL, steps] {
            check::<f64>(wanted, 0);
            check::<f64>(wanted, 1);
            check::<f32>(wanted, 1);
        }
    }
}
