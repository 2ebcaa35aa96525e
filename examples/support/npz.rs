//! NumPy archives: `numpy.load("file.npz")["u"]`.
//!
//! An archive is a zip file of `.npy` members, each a short header and the numbers as they are
//! in memory (format version 1.0, NEP 1). Members are stored, not compressed: trajectories are
//! noise to a compressor. An array that lies in memory in Fortran order, as a solution that is
//! stored component by component does, is written so and not transposed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use ndarray::{ArrayView, Dimension};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Numbers that have a name in NumPy.
pub trait Element: Copy {
    /// NumPy's name: byte order, kind, size.
    const DESCR: &'static str;

    /// Appends the number in little-endian order.
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! elements {
    ($($t:ty: $descr:literal),*) => { $(
        impl Element for $t {
            const DESCR: &'static str = $descr;
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}
elements!(f32: "<f4", f64: "<f8", u8: "|u1", i32: "<i4", u32: "<u4", i64: "<i8", u64: "<u8");

/// An archive being written.
pub struct Npz {
    zip: ZipWriter<BufWriter<File>>,
}

impl Npz {
    /// Begins an archive.
    pub fn create(path: &Path) -> io::Result<Npz> {
        Ok(Npz { zip: ZipWriter::new(BufWriter::new(File::create(path)?)) })
    }

    /// Adds an array.
    pub fn add<T: Element, D: Dimension>(
        &mut self,
        name: &str,
        array: ArrayView<'_, T, D>,
    ) -> io::Result<()> {
        let bytes = array.len() as u64 * size_of::<T>() as u64;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            // Beyond this a member needs 64-bit sizes.
            .large_file(bytes >= u64::from(u32::MAX) - 1024);
        self.zip.start_file(format!("{name}.npy"), options)?;
        let reversed = array.t();
        let fortran = !array.is_standard_layout() && reversed.is_standard_layout();
        self.zip.write_all(&header::<T>(array.shape(), fortran))?;
        if fortran {
            write_elements(&mut self.zip, reversed.iter().copied())
        } else {
            write_elements(&mut self.zip, array.iter().copied())
        }
    }

    /// Completes the archive.
    pub fn finish(self) -> io::Result<()> {
        self.zip.finish()?.flush()
    }
}

/// Magic, version, and a Python dictionary padded so that the numbers are aligned to 64 bytes.
fn header<T: Element>(shape: &[usize], fortran: bool) -> Vec<u8> {
    // A tuple of one has a trailing comma.
    let mut tuple: String = shape.iter().map(|n| format!("{n}, ")).collect();
    if shape.len() > 1 {
        tuple.truncate(tuple.len() - 2);
    }
    let order = if fortran { "True" } else { "False" };
    let mut dictionary =
        format!("{{'descr': '{}', 'fortran_order': {order}, 'shape': ({tuple}), }}", T::DESCR);
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

fn write_elements<T: Element>(
    out: &mut impl Write,
    elements: impl Iterator<Item = T>,
) -> io::Result<()> {
    const FULL: usize = 1 << 20;
    let mut bytes = Vec::with_capacity(FULL + 8);
    for element in elements {
        element.append(&mut bytes);
        if bytes.len() >= FULL {
            out.write_all(&bytes)?;
            bytes.clear();
        }
    }
    out.write_all(&bytes)
}
