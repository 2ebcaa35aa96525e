//! A folder of results, written by any number of processes without locks.
//!
//! The folder of a solve is a Zarr group ([`ZarrGroup`]), which readers may open at any moment:
//!
//! ```text
//! out/0000/zarr.json             names, options and the manifest, as attributes
//! out/0000/u_end/zarr.json       an array
//! out/0000/u_end/c.3072.0        the final states of chunk 3072
//! out/0000/finished/c/3/0        the mark of chunk 3072, which is number 0 of group 3
//! out/0000/finished/sealed/3     all chunks of group 3 are there
//! out/0000/finished/manifest     a text that identifies the solve
//! out/0000/finished/new/         files that are being written
//! ```
//!
//! A file is written under a temporary name and gets its final name when it is complete. A file with
//! its final name is therefore complete, and a killed process leaves only temporary files.
//!
//! A chunk is a file in each array. The last file is the chunk's **mark**, in the array `finished`.
//! So a chunk counts as finished only if all of its files are complete. Two ranks that write the
//! same chunk replace files by equal files. Readers of Zarr see the fill values of other chunks.
//!
//! Each file ends with a checksum, which readers of Zarr also check. The mark has two hashes: of the
//! inputs of the chunk; and of the manifest, the chunk's index and the checksums of its files. So a
//! file of another chunk or of another solve is detected.
//!
//! One rank creates the manifest, and no other rank replaces it. The files of bookkeeping are in the
//! folder of the array `finished`, because readers of Zarr warn of other files in a group.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use blake3::{Hash, Hasher};
use ode_core::lane::Scalar;
use ode_core::persist::{self, Difference};
use ode_core::problem::inputs::InputRange;
use ode_core::solution::zarr::{FINISHED, ZarrGroup};
use ode_core::{RawResults, SolveError};

use crate::distributed_solve::ComputedChunk;
use crate::error::ClusterError;
use crate::folder_queue::{FinishedChunks, FinishedGroup, GROUP};
use crate::manifest::{self, Manifest};

/// The folder of one solve.
#[derive(Debug)]
pub(crate) struct Store<'p> {
    folder: PathBuf,
    manifest: &'p Manifest,
    group: ZarrGroup,
}

impl<'p> Store<'p> {
    /// Opens or creates the folder of a solve. If the folder is complete, nothing is written.
    ///
    /// # Errors
    /// [`ClusterError::Foreign`] if the folder has results of another solve,
    /// [`ClusterError::Damaged`] if its manifest is invalid, and [`ClusterError::File`].
    pub(crate) fn open(
        folder: PathBuf,
        manifest: &'p Manifest,
        group: ZarrGroup,
    ) -> Result<Self, ClusterError> {
        let group = group
            .chunk(manifest.chunk)
            .with_marks(GROUP as usize)
            .with_texts("manifest", manifest.lines().lines());
        let store = Store { folder, manifest, group };
        let path = manifest_path(&store.folder);
        let mut text = fs::read_to_string(&path);
        if text.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            make(&store.folder.join(FINISHED))?;
            persist::create(&path, &[manifest.text().as_bytes()])
                .map_err(|error| ClusterError::file("write", &path, error))?;
            // Another process may have been first, with another manifest.
            text = fs::read_to_string(&path);
        }
        let text = text.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => ClusterError::damaged(&path, "it is not text"),
            _ => ClusterError::file("read", &path, error),
        })?;
        store.check(&path, &text)?;
        store.describe()?;
        Ok(store)
    }

    /// Returns the manifest of the solve.
    pub(crate) fn manifest(&self) -> &'p Manifest {
        self.manifest
    }

    fn check(&self, path: &Path, text: &str) -> Result<(), ClusterError> {
        match self.manifest.difference(text) {
            Ok(None) => Ok(()),
            Ok(Some(Difference { name: key, theirs, ours })) => {
                Err(ClusterError::Foreign { folder: self.folder.clone(), key, theirs, ours })
            }
            Err(what) => Err(ClusterError::damaged(path, what)),
        }
    }

    /// Writes the files that describe the arrays, if they are missing.
    fn describe(&self) -> Result<(), ClusterError> {
        let group = ("zarr.json".to_owned(), self.group.metadata(false).into_bytes());
        let files = self.group.files().chain([group]);
        let files = files.map(|(path, bytes)| (self.folder.join(path), bytes));
        let missing: Vec<_> = files.filter(|(path, _)| !path.exists()).collect();
        missing.iter().filter_map(|(path, _)| path.parent()).try_for_each(make)?;
        self.write_all(missing.iter().map(|(path, bytes)| (path.clone(), vec![&bytes[..]])))
    }

    /// Declares the group as complete, and removes temporary files of killed processes.
    ///
    /// This is called only when all chunks exist, because files in progress are then obsolete.
    ///
    /// # Errors
    /// [`ClusterError::File`].
    pub(crate) fn complete(&self) -> Result<(), ClusterError> {
        // Manifests are written beside their final names.
        let finished = self.folder.join(FINISHED);
        for folder in [&finished, &finished.join("new")] {
            let files = fs::read_dir(folder).into_iter().flatten().flatten();
            let paths = files.map(|file| file.path());
            paths
                .filter(|path| path.extension().is_some_and(|extension| extension == "tmp"))
                .for_each(|path| drop(fs::remove_file(path)));
        }
        // The folder may be read-only, and other programs may have added attributes.
        let path = self.folder.join("zarr.json");
        match fs::read(&path) {
            Ok(bytes) if bytes == self.group.metadata(false).as_bytes() => {
                self.write(&path, &[self.group.metadata(true).as_bytes()])
            }
            _ => Ok(()),
        }
    }

    /// Returns the mark of a chunk.
    fn mark(&self, chunk: u64) -> PathBuf {
        group_path(&self.folder, chunk / GROUP).join((chunk % GROUP).to_string())
    }

    /// Writes the files of some chunks: all arrays but the codes, then the codes, then the marks.
    ///
    /// # Errors
    /// [`ClusterError::File`].
    pub(crate) fn commit<T: Scalar>(
        &self,
        chunks: &[ComputedChunk<'_, T>],
    ) -> Result<(), ClusterError> {
        let (mut written, mut marks) = ([Vec::new(), Vec::new()], Vec::new());
        let [_, codes] = self.group.chunk_arrays();
        for computed in chunks {
            let ComputedChunk { chunk, inputs, lease, results, ref within } = *computed;
            let files = self.group.chunk_files(chunk as usize, (lease, results), within.clone());
            let mut content = self.content(chunk);
            for (array, file) in files.enumerate() {
                content.update(&file.checksum);
                written[usize::from(codes.contains(&array))].push(file);
            }
            let text = format!("{} {}", manifest::inputs(inputs), content.finalize());
            marks.push((chunk, ZarrGroup::mark(&text)));
        }
        for files in &written {
            self.write_all(files.iter().map(|file| (self.folder.join(&file.path), file.parts())))?;
        }
        let groups = marks.chunk_by(|(a, _), (b, _)| a / GROUP == b / GROUP);
        groups
            .map(|of_group| group_path(&self.folder, of_group[0].0 / GROUP))
            .try_for_each(|path| make(&path))?;
        self.write_all(marks.iter().map(|(chunk, mark)| (self.mark(*chunk), vec![&mark[..]])))
    }

    /// Reads the results of a chunk with these `inputs`.
    ///
    /// Returns the first missing file, if a file is missing.
    ///
    /// # Errors
    /// [`ClusterError::Damaged`], [`ClusterError::Inputs`] and [`ClusterError::File`];
    /// [`SolveError::OutOfMemory`].
    pub(crate) fn read<T: Scalar>(
        &self,
        chunk: u64,
        inputs: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<Option<PathBuf>, SolveError> {
        let mark = self.mark(chunk);
        let Some(bytes) = read(&mark)? else { return Ok(Some(mark)) };
        let mut files = Vec::new();
        let mut content = self.content(chunk);
        for path in self.group.chunk_paths(chunk as usize) {
            let path = self.folder.join(path);
            let Some(file) = read(&path)? else { return Ok(Some(path)) };
            let checksum = self.group.check(files.len(), &file);
            content.update(&checksum.map_err(|what| ClusterError::damaged(&path, what))?);
            files.push(file);
        }
        let text = ZarrGroup::text_of_mark(&bytes);
        let text = text.map_err(|what| ClusterError::damaged(&mark, what))?;
        let (of_inputs, of_content) = text.split_once(' ').unwrap_or_default();
        if Hash::from_hex(of_content).ok() != Some(content.finalize()) {
            let what = "it belongs to other files, of another chunk or of another solve";
            return Err(ClusterError::damaged(&mark, what).into());
        }
        if Hash::from_hex(of_inputs).ok() != Some(manifest::inputs(inputs)) {
            return Err(ClusterError::Inputs { path: mark }.into());
        }
        self.group.restore(&files, inputs.len(), results)?;
        Ok(None)
    }

    /// Begins the hash of a chunk's files.
    fn content(&self, chunk: u64) -> Hasher {
        let mut content = Hasher::new();
        content.update(self.manifest.hash.as_bytes()).update(&chunk.to_le_bytes());
        content
    }

    /// Persists files, given as their parts, several at a time.
    fn write_all<'f>(
        &self,
        files: impl Iterator<Item = (PathBuf, Vec<&'f [u8]>)> + Send,
    ) -> Result<(), ClusterError> {
        persist::each(files, &|(path, parts)| self.write(&path, &parts))
    }

    /// Persists a file.
    fn write(&self, path: &Path, parts: &[&[u8]]) -> Result<(), ClusterError> {
        let new = self.folder.join(FINISHED).join("new");
        make(&new)?;
        match persist::replace(path, &new, parts) {
            // Another rank has found all chunks, including this one, and has removed the temporary
            // files.
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.exists() => Ok(()),
            written => written.map_err(|error| ClusterError::file("write", path, error)),
        }
    }
}

/// Creates a folder if it does not exist.
fn make(path: &Path) -> Result<(), ClusterError> {
    fs::create_dir_all(path).map_err(|error| ClusterError::file("create", path, error))
}

/// Returns the bytes of a file, or `None` if there is no such file.
fn read(path: &Path) -> Result<Option<Vec<u8>>, ClusterError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ClusterError::file("read", path, error)),
    }
}

/// Returns the manifest in the folder of a solve.
pub(crate) fn manifest_path(solve: &Path) -> PathBuf {
    solve.join(FINISHED).join("manifest")
}

/// Returns the number of chunks in the folder of a solve.
///
/// # Errors
/// [`ClusterError::File`].
pub(crate) fn count(solve: &Path) -> Result<u64, ClusterError> {
    let groups = numbers(&solve.join(FINISHED).join("c"))?.into_iter();
    groups.map(|group| Ok(numbers(&group_path(solve, group))?.len() as u64)).sum()
}

/// Returns the folder with the marks of a group.
fn group_path(solve: &Path, group: u64) -> PathBuf {
    solve.join(FINISHED).join("c").join(group.to_string())
}

/// Returns the numbers in the file names of a folder; empty if there is no such folder.
fn numbers(path: &Path) -> Result<Vec<u64>, ClusterError> {
    let list = |error| ClusterError::file("list", path, error);
    let files = match fs::read_dir(path) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(list(error)),
    };
    let mut found = Vec::new();
    for file in files {
        found.extend(file.map_err(list)?.file_name().to_string_lossy().parse::<u64>().ok());
    }
    Ok(found)
}

impl FinishedChunks for &Store<'_> {
    type Error = ClusterError;

    fn group(&mut self, group: u64) -> Result<FinishedGroup, ClusterError> {
        let mut found = FinishedGroup::default();
        let chunks = self.manifest.chunks().saturating_sub(group * GROUP).min(GROUP);
        let there = numbers(&group_path(&self.folder, group))?;
        there.into_iter().filter(|chunk| *chunk < chunks).for_each(|chunk| found.put(chunk));
        Ok(found)
    }

    fn sealed(&mut self) -> Result<Vec<u64>, ClusterError> {
        numbers(&self.folder.join(FINISHED).join("sealed"))
    }

    fn seal(&mut self, group: u64) {
        let sealed = self.folder.join(FINISHED).join("sealed");
        let path = sealed.join(group.to_string());
        if !path.exists() {
            // The folder may be read-only.
            let _ = fs::create_dir_all(&sealed).and_then(|()| File::create(path));
        }
    }
}
