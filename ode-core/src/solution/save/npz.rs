//! NumPy archives.
//!
//! An archive is a zip file of `.npy` members, each a short header and the numbers as they are in
//! memory (format version 1.0, NEP 1). Members are stored, not compressed: trajectories are noise
//! to a compressor. An array that lies in memory in Fortran order, as a solution that is stored
//! component by component does, is written so and not transposed.

use crate::lane::Scalar;
use ndarray::{ArrayView, Dimension};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

mod sealed {
    pub trait Sealed {}
}

/// Numbers that have a name in NumPy.
pub trait Element: Copy + sealed::Sealed {
    /// NumPy's name: byte order, kind, size.
    const DESCR: &'static str;

    /// Appends the number in little-endian order.
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! elements {
    ($($t:ty: $descr:literal),*) => { $(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DESCR: &'static str = $descr;
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}
elements!(f32: "<f4", f64: "<f8", u8: "|u1", i32: "<i4", u32: "<u4", i64: "<i8", u64: "<u8");

/// A NumPy archive being written: what [`write_npz`](crate::EnsembleSolution::write_npz) writes to,
/// for programs that have more to save.
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
    zip: ZipWriter<BufWriter<File>>,
}

impl Npz {
    /// Begins an archive. A file that exists is replaced.
    ///
    /// # Errors
    /// If the file cannot be written; likewise in all that follows.
    pub fn create(path: &Path) -> io::Result<Npz> {
        Ok(Npz { zip: ZipWriter::new(BufWriter::new(File::create(path)?)) })
    }

    /// Adds an array.
    ///
    /// # Errors
    /// If the file cannot be written, or has an array of this name.
    pub fn add<T: Element, D: Dimension>(
        &mut self,
        name: &str,
        array: ArrayView<'_, T, D>,
    ) -> io::Result<()> {
        self.member(name, T::DESCR, size_of::<T>(), array, T::append)
    }

    /// Adds an array in the precision of a solve.
    pub(super) fn add_numbers<T: Scalar, D: Dimension>(
        &mut self,
        name: &str,
        array: ArrayView<'_, T, D>,
    ) -> io::Result<()> {
        if T::DOUBLE {
            self.member(name, f64::DESCR, 8, array, |x, bytes| x.widen().append(bytes))
        } else {
            self.member(name, f32::DESCR, 4, array, |x, bytes| (x.widen() as f32).append(bytes))
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
        self.zip.write_all(&header(&format!("<U{length}"), &[names.len()], false))?;
        let characters = names.iter().flat_map(|s| {
            let padding = std::iter::repeat('\0');
            s.as_ref().chars().chain(padding).take(length)
        });
        write_elements(&mut self.zip, characters, |c, bytes| u32::from(c).append(bytes))
    }

    /// Completes the archive; without this it cannot be read.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> io::Result<()> {
        self.zip.finish()?.flush()
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
        descr: &str,
        size: usize,
        array: ArrayView<'_, T, D>,
        append: impl Fn(T, &mut Vec<u8>),
    ) -> io::Result<()> {
        self.begin(name, array.len().saturating_mul(size))?;
        let reversed = array.t();
        let fortran = !array.is_standard_layout() && reversed.is_standard_layout();
        self.zip.write_all(&header(descr, array.shape(), fortran))?;
        if fortran {
            write_elements(&mut self.zip, reversed.iter().copied(), append)
        } else {
            write_elements(&mut self.zip, array.iter().copied(), append)
        }
    }
}

/// Magic, version, and a Python dictionary padded so that the numbers are aligned to 64 bytes.
fn header(descr: &str, shape: &[usize], fortran: bool) -> Vec<u8> {
    // A tuple of one has a trailing comma.
    let lengths: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let tuple = lengths.join(", ") + if shape.len() == 1 { "," } else { "" };
    let order = if fortran { "True" } else { "False" };
    let mut dictionary =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({tuple}), }}");
    const PREFIX: usize = 10;
    while !(PREFIX + dictionary.len() + 1).is_multiple_of(64) {
        dictionary.push(' ');
    }
    dictionary.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&(dictionary.len() as u16).to_le_bytes());
    out.extend_from_slice(dictionary.as_bytes());
    out
}

fn write_elements<T>(
    out: &mut impl Write,
    elements: impl Iterator<Item = T>,
    append: impl Fn(T, &mut Vec<u8>),
) -> io::Result<()> {
    const FULL: usize = 1 << 20;
    let mut bytes = Vec::with_capacity(FULL + 8);
    for element in elements {
        append(element, &mut bytes);
        if bytes.len() >= FULL {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    out.write_all(&bytes)
}
