//! NumPy archives.
//!
//! An archive is a zip file of `.npy` members. Members are stored, not compressed: trajectories are
//! noise to a compressor.

use super::npy::{self, NpyElement};
use crate::lane::Scalar;
use crate::persist::Replacement;
use ndarray::{ArrayView, Dimension};
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A NumPy archive during writing, for programs that have more to save.
///
/// [`write_npz`](crate::EnsembleSolution::write_npz) writes to such an archive.
///
/// ```
/// use ode_core::ndarray::arr2;
/// use ode_core::save::Npz;
///
/// # let path = std::env::temp_dir().join(format!("odes-doc-{}.npz", std::process::id()));
/// let mut archive = Npz::create(&path)?;
/// archive.add("rates", arr2(&[[1.0, 2.0], [3.0, 4.0]]).view())?;
/// archive.finish()?;
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Npz {
    // Dropped before the writer, which would complete the archive when it is dropped.
    abandon: Abandon,
    zip: ZipWriter<Output>,
    // Dropped after the file is closed.
    replacement: Replacement,
}

/// Ends all writing to an [`Output`] when it is dropped.
#[derive(Debug)]
struct Abandon(Arc<AtomicBool>);

impl Drop for Abandon {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The file of an archive.
///
/// After an error, or when the archive is abandoned, it discards all output. Otherwise the writer
/// of the archive would print an error when it is dropped.
#[derive(Debug)]
struct Output {
    file: BufWriter<File>,
    abandoned: Arc<AtomicBool>,
    /// The position in the file and its end, including discarded output.
    position: u64,
    end: u64,
}

impl Output {
    fn new(file: File) -> (Abandon, Output) {
        let abandoned = Arc::new(AtomicBool::new(false));
        let output = Output {
            file: BufWriter::new(file),
            abandoned: abandoned.clone(),
            position: 0,
            end: 0,
        };
        (Abandon(abandoned), output)
    }

    /// Runs `work` on the file, unless the file is abandoned.
    fn unless_abandoned<T>(
        &mut self,
        discarded: T,
        work: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.abandoned.load(Ordering::Relaxed) {
            return Ok(discarded);
        }
        let done = work(&mut self.file);
        // After an interruption the caller tries again.
        if done.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::Interrupted) {
            self.abandoned.store(true, Ordering::Relaxed);
        }
        done
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.unless_abandoned(bytes.len(), |file| file.write(bytes))?;
        self.position += written as u64;
        self.end = self.end.max(self.position);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_abandoned((), BufWriter::flush)
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(offset) => self.end.checked_add_signed(offset),
        };
        let position = position.ok_or(io::ErrorKind::InvalidInput)?;
        if position != self.position {
            self.unless_abandoned((), |file| file.seek(SeekFrom::Start(position)).map(|_| ()))?;
            self.position = position;
        }
        Ok(position)
    }
}

impl Npz {
    /// Creates an archive.
    ///
    /// [`finish`](Self::finish) replaces an existing file. Until then, and after an error, the
    /// existing file is unchanged: the archive is written under a temporary name in the same folder.
    ///
    /// # Errors
    /// If the file cannot be written; likewise in all that follows.
    pub fn create(path: &Path) -> io::Result<Npz> {
        let (replacement, file) = Replacement::begin(path)?;
        let (abandon, output) = Output::new(file);
        Ok(Npz { abandon, zip: ZipWriter::new(output), replacement })
    }

    /// Adds an array.
    ///
    /// # Errors
    /// If the file cannot be written, or has an array of this name.
    pub fn add<T: NpyElement, D: Dimension>(
        &mut self,
        name: &str,
        array: ArrayView<'_, T, D>,
    ) -> io::Result<()> {
        self.member(name, (T::DESCR, size_of::<T>()), array, T::append)
    }

    /// Adds an array in the precision of a solve.
    pub(super) fn add_numbers<T: Scalar, D: Dimension>(
        &mut self,
        name: &str,
        array: ArrayView<'_, T, D>,
    ) -> io::Result<()> {
        if T::DOUBLE {
            self.member(name, (f64::DESCR, 8), array, |x, bytes| x.widen().append(bytes))
        } else {
            self.member(name, (f32::DESCR, 4), array, |x, bytes| (x.widen() as f32).append(bytes))
        }
    }

    /// Adds an array of strings.
    ///
    /// # Errors
    /// If the file cannot be written, or has an array of this name.
    pub fn add_names(&mut self, name: &str, names: &[impl AsRef<str>]) -> io::Result<()> {
        // NumPy pads strings to a common length, in UTF-32.
        let length = names.iter().map(|s| s.as_ref().chars().count()).max().unwrap_or(0).max(1);
        self.begin(name, names.len() * length * 4)?;
        self.zip.write_all(&npy::header(&format!("<U{length}"), &[names.len()], false))?;
        let characters = names.iter().flat_map(|s| {
            let padding = std::iter::repeat('\0');
            s.as_ref().chars().chain(padding).take(length)
        });
        npy::write_elements(&mut self.zip, characters, |c, bytes| u32::from(c).append(bytes))
    }

    /// Completes the archive; without this it is removed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> io::Result<()> {
        let Npz { abandon, zip, replacement } = self;
        let file = zip.finish()?.file.into_inner()?;
        drop(abandon);
        replacement.finish(file)
    }

    fn begin(&mut self, name: &str, bytes: usize) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            // Beyond this a member needs 64-bit sizes.
            .large_file(bytes as u64 >= u64::from(u32::MAX) - 1024);
        Ok(self.zip.start_file(format!("{name}.npy"), options)?)
    }

    fn member<T: Copy, D: Dimension>(
        &mut self,
        name: &str,
        (descr, size): (&str, usize),
        array: ArrayView<'_, T, D>,
        append: impl Fn(T, &mut Vec<u8>),
    ) -> io::Result<()> {
        self.begin(name, array.len().saturating_mul(size))?;
        npy::write(&mut self.zip, descr, array, append)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::arr1;
    use zip::ZipArchive;

    #[test]
    fn archives_are_complete_when_they_are_finished() {
        let path = std::env::temp_dir().join(format!("odes-npz-{}.npz", std::process::id()));
        let members = |arrays: usize, finished: bool| {
            let mut archive = Npz::create(&path).unwrap();
            for k in 0..arrays {
                archive.add(&format!("rates_{k}"), arr1(&[1.0, 2.0]).view()).unwrap();
            }
            match finished {
                true => archive.finish().unwrap(),
                false => drop(archive),
            }
            File::open(&path).ok().map(|file| ZipArchive::new(file).unwrap().len())
        };
        assert_eq!(members(1, false), None);
        assert_eq!(members(1, true), Some(1));
        assert_eq!(members(2, false), Some(1));
        assert_eq!(members(2, true), Some(2));
        std::fs::remove_file(&path).unwrap();
    }

    /// A full disk is an error, after which nothing more is written.
    #[cfg(target_os = "linux")]
    #[test]
    fn full_disks_are_errors() {
        let full = || Npz::create(Path::new("/dev/full")).unwrap();
        let mut large = full();
        let error = large.add("large", arr1(&[0.0; 100_000]).view()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(large.abandon.0.load(Ordering::Relaxed));
        // Output that fits into the buffer fails at the end.
        let mut small = full();
        small.add("small", arr1(&[0.0]).view()).unwrap();
        assert_eq!(small.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
