//! The Zarr group (version 3) of a solve: its arrays, their metadata and their chunks.
//!
//! This module returns the paths and the bytes of files. Its users create the files: `ZarrFolder`
//! batch by batch, and the ranks of `ode-cluster` chunk by chunk, in any order. Both thus write one
//! format.

mod array;
mod header;
mod json;
mod restore;
mod variable;

pub use array::ChunkFile;
pub use header::ZarrHeader;

use crate::lane::Scalar;
use crate::problem::inputs::InputRange;
use crate::solution::{RawResults, RunReport};
use array::{Array, Element, first_string, strings};
use core::ops::Range;
use header::{attributes, coordinates};
use json::{Object, list, string};
use std::borrow::Cow;
use variable::{Sizes, Variable};

/// The name of the array with the [marks](ZarrGroup::mark) of finished chunks.
pub const FINISHED: &str = "finished";

/// The Zarr group of a solve.
#[derive(Debug)]
pub struct ZarrGroup {
    sizes: Sizes,
    variables: Vec<(Variable, Array)>,
    /// The arrays that do not depend on the trajectory, with their elements.
    coordinates: Vec<(Array, Vec<u8>)>,
    /// The array with the marks of finished chunks.
    marks: Option<Array>,
    attributes: Object,
    /// The number of trajectories of a chunk.
    chunk: usize,
}

impl ZarrGroup {
    /// Creates the group of a solve, in one chunk.
    #[must_use]
    pub fn new<T: Scalar>(header: &ZarrHeader<'_, T>) -> Self {
        let sizes = Sizes::of(header.options, header.inputs, header.wanted);
        let group = ZarrGroup {
            variables: Variable::of_solve::<T>(&sizes),
            coordinates: coordinates(header, &sizes),
            marks: None,
            attributes: attributes(header, &sizes),
            chunk: 0,
            sizes,
        };
        group.chunk(sizes.trajectories)
    }

    /// Sets the number of trajectories of a chunk: at least 1, and at most all trajectories.
    #[must_use]
    pub fn chunk(mut self, trajectories: usize) -> Self {
        self.chunk = trajectories.clamp(1, self.sizes.trajectories.max(1));
        self.variables.iter_mut().for_each(|(_, array)| array.chunk = vec![self.chunk]);
        self
    }

    /// Adds an array of strings, the [marks](Self::mark) of finished chunks.
    ///
    /// The array has a row for each `members` chunks. The marks of a row are in one folder.
    #[must_use]
    pub fn with_marks(mut self, members: usize) -> Self {
        let chunks = self.sizes.trajectories.div_ceil(self.chunk);
        let axes = vec![("group", chunks.div_ceil(members)), ("member", chunks.min(members))];
        let attributes = Object::default()
            .text("long_name", "hashes of the inputs and of the files of finished chunks");
        let array = Array::new(FINISHED, Element::Text, axes);
        self.marks = Some(Array { chunk: vec![1, 1], separator: '/', attributes, ..array });
        self
    }

    /// Adds an attribute: a list of strings.
    #[must_use]
    pub fn with_texts<'t>(mut self, name: &str, texts: impl Iterator<Item = &'t str>) -> Self {
        self.attributes = self.attributes.json(name, list(texts.map(string)));
        self
    }

    /// Returns the number of trajectories.
    #[must_use]
    pub fn trajectories(&self) -> usize {
        self.sizes.trajectories
    }

    /// Returns the number of trajectories of a chunk.
    #[must_use]
    pub fn chunk_len(&self) -> usize {
        self.chunk
    }

    /// Returns the bytes of a trajectory in the largest array, and in all arrays.
    #[must_use]
    pub fn bytes_of_trajectory(&self) -> (usize, usize) {
        let bytes = self.variables.iter().map(|(_, array)| array.bytes_of_trajectory());
        bytes.fold((1, 1), |(largest, all), bytes| (bytes.max(largest), bytes.saturating_add(all)))
    }

    /// Returns `zarr.json` of the group: of all trajectories, or before the end of the solve.
    #[must_use]
    pub fn metadata(&self, complete: bool) -> String {
        self.metadata_with(match complete {
            true => self.solved(self.trajectories()),
            false => Object::default().json("complete", 0),
        })
    }

    /// Returns `zarr.json` of the group after a solve, with its backend and its time.
    ///
    /// If the solve was cancelled, `solved` is less than the number of trajectories.
    #[must_use]
    pub fn metadata_of_run(&self, solved: usize, run: &RunReport) -> String {
        let report = self
            .solved(solved)
            .text("backend", &run.backend.to_string())
            .json("seconds", run.timings.total.as_secs_f64());
        self.metadata_with(report)
    }

    /// Returns the attributes with the number of solved trajectories, and whether these are all.
    fn solved(&self, solved: usize) -> Object {
        let is_complete = solved == self.trajectories();
        Object::default().json("complete", u8::from(is_complete)).json("solved", solved)
    }

    fn metadata_with(&self, report: Object) -> String {
        Object::default()
            .json("zarr_format", 3)
            .text("node_type", "group")
            .json("attributes", report.members(&self.attributes).finish())
            .finish()
    }

    /// Returns all arrays.
    fn all(&self) -> impl Iterator<Item = &Array> {
        let arrays = self.variables.iter().map(|(_, array)| array).chain(&self.marks);
        arrays.chain(self.coordinates.iter().map(|(array, _)| array))
    }

    /// Returns the names of the arrays, which are the names of their folders.
    pub fn arrays(&self) -> impl Iterator<Item = &'static str> {
        self.all().map(|array| array.name)
    }

    /// Returns the paths and the bytes of the files of arrays that do not depend on results.
    pub fn files(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let metadata = |array: &Array| array.metadata().into_bytes();
        let metadata =
            self.all().map(move |array| (format!("{}/zarr.json", array.name), metadata(array)));
        let coordinates = self.coordinates.iter().map(|(array, elements)| {
            let file = array.file(0, vec![Cow::Borrowed(elements)]);
            let bytes = file.parts().concat();
            (file.path, bytes)
        });
        metadata.chain(coordinates)
    }

    /// Returns the indices of the arrays that have a file for each chunk: all but the codes, and
    /// then the codes.
    ///
    /// Writers write the codes last: a code of a killed run then shows that all values exist.
    #[must_use]
    pub fn chunk_arrays(&self) -> [Range<usize>; 2] {
        let codes = self.variables.iter().position(|(variable, _)| *variable == Variable::Codes);
        let codes = codes.unwrap_or(self.variables.len());
        [0..codes, codes..self.variables.len()]
    }

    /// Returns the file of chunk `index` in one of the [`chunk_arrays`](Self::chunk_arrays).
    ///
    /// The chunk has the trajectories `range` of a batch.
    pub fn chunk_file<'a, T: Scalar>(
        &self,
        array: usize,
        index: usize,
        batch: (InputRange<'a, T>, &'a RawResults<T>),
        range: Range<usize>,
    ) -> ChunkFile<'a> {
        let (variable, array) = &self.variables[array];
        array.file(index, variable.rows(&self.sizes, batch, range))
    }

    /// Returns the files of chunk `index`, in the order of [`chunk_arrays`](Self::chunk_arrays).
    pub fn chunk_files<'a, T: Scalar>(
        &'a self,
        index: usize,
        batch: (InputRange<'a, T>, &'a RawResults<T>),
        range: Range<usize>,
    ) -> impl Iterator<Item = ChunkFile<'a>> {
        let arrays = 0..self.variables.len();
        arrays.map(move |array| self.chunk_file(array, index, batch, range.clone()))
    }

    /// Returns the paths of the files of chunk `index`, in the order of
    /// [`chunk_files`](Self::chunk_files).
    pub fn chunk_paths(&self, index: usize) -> impl Iterator<Item = String> {
        self.variables.iter().map(move |(_, array)| array.path(index))
    }

    /// Returns the bytes of a mark with this text.
    #[must_use]
    pub fn mark(text: &str) -> Vec<u8> {
        ChunkFile::new(String::new(), vec![Cow::Owned(strings(&[text]))], Vec::new())
            .parts()
            .concat()
    }

    /// Returns the text of a mark.
    ///
    /// # Errors
    /// The defect of the file.
    pub fn text_of_mark(file: &[u8]) -> Result<&str, &'static str> {
        first_string(array::checked(file)?.0).ok_or("it contains no text")
    }
}
