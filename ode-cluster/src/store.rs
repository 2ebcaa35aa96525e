//! A folder of results, written by any number of processes without locks.
//!
//! ```text
//! out/0000/plan                              what is solved, a text
//! out/0000/chunks/0000003/0000003072.chunk   the results of a chunk
//! out/0000/sealed/0000003                    all chunks of group 3 are there
//! out/0000/new/                              files that are being written
//! ```
//!
//! A file is written under a temporary name and gets its final name when it is complete. A file with
//! its final name is therefore complete, and a killed process leaves only temporary files. One rank
//! creates the manifest, and no other rank replaces it.

pub(crate) mod chunk;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ode_core::persist::{self, Difference};

use crate::error::ClusterError;
use crate::folder_queue::{FinishedChunks, FinishedGroup, GROUP};
use crate::manifest::Manifest;

/// The folder of one solve.
#[derive(Debug)]
pub(crate) struct Store<'p> {
    folder: PathBuf,
    manifest: &'p Manifest,
}

impl<'p> Store<'p> {
    /// Opens or creates the folder of a solve. If the folder has a manifest, nothing is written.
    ///
    /// # Errors
    /// [`ClusterError::Foreign`] if the folder has results of another solve,
    /// [`ClusterError::Damaged`] if its manifest is invalid, and [`ClusterError::File`].
    pub(crate) fn open(folder: PathBuf, manifest: &'p Manifest) -> Result<Self, ClusterError> {
        let store = Store { folder, manifest };
        let path = store.folder.join("plan");
        let mut text = fs::read_to_string(&path);
        if text.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            make(&store.folder)?;
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

    /// Returns the file of a chunk.
    pub(crate) fn path(&self, chunk: u64) -> PathBuf {
        group_path(&self.folder, chunk / GROUP).join(format!("{chunk:010}.chunk"))
    }

    /// Writes the file of a chunk.
    ///
    /// # Errors
    /// [`ClusterError::File`].
    pub(crate) fn commit(&self, chunk: u64, parts: &[&[u8]]) -> Result<(), ClusterError> {
        make(&group_path(&self.folder, chunk / GROUP))?;
        self.write(&self.path(chunk), parts)
    }

    /// Returns the bytes of a chunk's file, or `None` if there is no such file.
    ///
    /// # Errors
    /// [`ClusterError::File`].
    pub(crate) fn read(&self, chunk: u64) -> Result<Option<Vec<u8>>, ClusterError> {
        let path = self.path(chunk);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ClusterError::file("read", &path, error)),
        }
    }

    /// Removes temporary files of killed processes.
    ///
    /// This is called only when all chunks exist, because files in progress are then obsolete.
    pub(crate) fn tidy(&self) {
        // Manifests are written beside their final names.
        for folder in [&self.folder, &self.folder.join("new")] {
            let files = fs::read_dir(folder).into_iter().flatten().flatten();
            let paths = files.map(|file| file.path());
            paths
                .filter(|path| path.extension().is_some_and(|extension| extension == "tmp"))
                .for_each(|path| drop(fs::remove_file(path)));
        }
    }

    /// Persists the file of a chunk.
    fn write(&self, path: &Path, parts: &[&[u8]]) -> Result<(), ClusterError> {
        let new = self.folder.join("new");
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

/// Returns the number of chunks in the folder of a solve.
///
/// # Errors
/// [`ClusterError::File`].
pub(crate) fn count(solve: &Path) -> Result<u64, ClusterError> {
    let chunks = solve.join("chunks");
    let groups = numbers(&chunks)?.into_iter().map(|group| group_path(solve, group));
    groups.map(|group| Ok(numbers(&group)?.len() as u64)).sum()
}

/// Returns the folder of a group.
fn group_path(solve: &Path, group: u64) -> PathBuf {
    solve.join("chunks").join(format!("{group:07}"))
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
        let name = file.map_err(list)?.file_name();
        let name = name.to_string_lossy();
        found.extend(name.strip_suffix(".chunk").unwrap_or(&name).parse::<u64>().ok());
    }
    Ok(found)
}

impl FinishedChunks for &Store<'_> {
    type Error = ClusterError;

    fn group(&mut self, group: u64) -> Result<FinishedGroup, ClusterError> {
        let mut found = FinishedGroup::default();
        let chunks = group * GROUP..self.manifest.chunks().min((group + 1) * GROUP);
        let there = numbers(&group_path(&self.folder, group))?;
        there.into_iter().filter(|chunk| chunks.contains(chunk)).for_each(|chunk| {
            found.put(chunk % GROUP);
        });
        Ok(found)
    }

    fn sealed(&mut self) -> Result<Vec<u64>, ClusterError> {
        numbers(&self.folder.join("sealed"))
    }

    fn seal(&mut self, group: u64) {
        let sealed = self.folder.join("sealed");
        let path = sealed.join(format!("{group:07}"));
        if !path.exists() {
            // The folder may be read-only.
            let _ = fs::create_dir_all(&sealed).and_then(|()| File::create(path));
        }
    }
}
