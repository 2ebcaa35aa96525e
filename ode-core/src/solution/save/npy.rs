//! NumPy arrays.
//!
//! An array is a short header and the numbers as in memory (format version 1.0, NEP 1). An array in
//! Fortran order is written in this order and not transposed. Final states, which are stored
//! component by component, are such an array.

use super::error::SaveError;
use crate::persist::Replacement;
use ndarray::{ArrayView, Dimension};
use std::io::{self, Write};
use std::path::Path;

mod sealed {
    pub trait Sealed {}
}

/// Number types with a name in NumPy.
pub trait NpyElement: Copy + sealed::Sealed {
    /// NumPy's name: byte order, kind, size.
    const DESCR: &'static str;

    /// Appends the number in little-endian order.
    fn append(self, bytes: &mut Vec<u8>);
}

macro_rules! elements {
    ($($t:ty: $descr:literal),*) => { $(
        impl sealed::Sealed for $t {}
        impl NpyElement for $t {
            const DESCR: &'static str = $descr;
            fn append(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )* };
}
elements!(f32: "<f4", f64: "<f8", u8: "|u1", i32: "<i4", u32: "<u4", i64: "<i8", u64: "<u8");

/// Writes one array to a file, which NumPy can map into memory.
///
/// A complete file replaces an existing one; after an error the existing file is unchanged.
/// `numpy.load("u.npy", mmap_mode="r")` reads only the numbers that are used. (NumPy cannot map the arrays of [archives](super::Npz).)
///
/// ```
/// use ode_core::save::write_npy;
/// # use ode_core::{EnsembleSolution, save::SaveError, system::System};
/// # fn of<S: System<3, 1>>(solution: &EnsembleSolution<S, f64, 3, 1>) -> Result<(), SaveError> {
///
/// write_npy("u.npy", solution.all_states())?; // trajectory, save, component
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the file cannot be written.
pub fn write_npy<T: NpyElement, D: Dimension>(
    path: impl AsRef<Path>,
    array: ArrayView<'_, T, D>,
) -> Result<(), SaveError> {
    let path = path.as_ref();
    let written = Replacement::begin(path).and_then(|(replacement, mut file)| {
        write(&mut file, T::DESCR, array, T::append)?;
        replacement.finish(file)
    });
    written.map_err(|error| SaveError { path: path.to_owned(), error })
}

/// Writes an array with its header.
pub(super) fn write<T: Copy, D: Dimension>(
    out: &mut impl Write,
    descr: &str,
    array: ArrayView<'_, T, D>,
    append: impl Fn(T, &mut Vec<u8>),
) -> io::Result<()> {
    let reversed = array.t();
    let fortran = !array.is_standard_layout() && reversed.is_standard_layout();
    out.write_all(&header(descr, array.shape(), fortran))?;
    if fortran {
        write_elements(out, reversed.iter().copied(), append)
    } else {
        write_elements(out, array.iter().copied(), append)
    }
}

/// Magic, version, and a Python dictionary padded so that the numbers are aligned to 64 bytes.
pub(super) fn header(descr: &str, shape: &[usize], fortran: bool) -> Vec<u8> {
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

pub(super) fn write_elements<T>(
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

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::arr2;

    /// The bytes are the bytes of `numpy.save` in NumPy 2.4, for both orders.
    #[test]
    fn arrays_have_the_bytes_of_numpy() {
        let path = std::env::temp_dir().join(format!("odes-npy-{}.npy", std::process::id()));
        let array = arr2(&[[1u8, 2, 3], [4, 5, 6]]);
        let bytes = |array: ArrayView<'_, u8, ndarray::Ix2>| {
            write_npy(&path, array).unwrap();
            std::fs::read(&path).unwrap()
        };
        let file = |order: &str, shape: &str, numbers: [u8; 6]| {
            let text = format!("{{'descr': '|u1', 'fortran_order': {order}, 'shape': {shape}, }}");
            let header = format!("{text:<117}\n");
            [b"\x93NUMPY\x01\0\x76\0", header.as_bytes(), &numbers].concat()
        };
        assert_eq!(bytes(array.view()), file("False", "(2, 3)", [1, 2, 3, 4, 5, 6]));
        assert_eq!(bytes(array.t()), file("True", "(3, 2)", [1, 2, 3, 4, 5, 6]));
        let every_second = array.slice(ndarray::s![.., ..;2]);
        assert!(bytes(every_second).ends_with(b"\n\x01\x03\x04\x06"));
        std::fs::remove_file(&path).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error() {
        let error = write_npy("/dev/full", arr2(&[[0.0; 9]; 9]).view()).unwrap_err();
        assert_eq!(error.error.kind(), io::ErrorKind::StorageFull);
    }
}
