//! Arrays of Zarr, version 3: metadata and chunks.
//!
//! The specification is at <https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html>. An
//! array is a folder with `zarr.json` and a file for each chunk. All chunks have one shape: the
//! grid divides the first axis only, and the last chunk is padded.
//!
//! Solutions are stored component by component: the first axis varies fastest in memory. The codec
//! `transpose` declares that order, so no number is moved.

use super::json::{Object, list, string};
use crate::lane::Scalar;
use crate::persist;
use std::io;
use std::path::Path;

/// The type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    F32,
    F64,
    U32,
    U8,
    /// Text in UTF-8.
    Text,
}

impl Element {
    /// Returns the type of the numbers of a solve.
    pub(super) fn of<T: Scalar>() -> Self {
        if T::DOUBLE { Element::F64 } else { Element::F32 }
    }

    fn name(self) -> &'static str {
        match self {
            Element::F32 => "float32",
            Element::F64 => "float64",
            Element::U32 => "uint32",
            Element::U8 => "uint8",
            Element::Text => "string",
        }
    }

    /// Returns the bytes of the fill value: NaN, or the largest integer.
    fn fill(self) -> Vec<u8> {
        match self {
            Element::F32 => f32::NAN.to_ne_bytes().to_vec(),
            Element::F64 => f64::NAN.to_ne_bytes().to_vec(),
            Element::U32 => u32::MAX.to_ne_bytes().to_vec(),
            Element::U8 => vec![u8::MAX],
            Element::Text => Vec::new(),
        }
    }

    /// Returns the fill value as JSON.
    fn fill_json(self) -> String {
        match self {
            Element::F32 | Element::F64 => string("NaN"),
            Element::U32 => u32::MAX.to_string(),
            Element::U8 => u8::MAX.to_string(),
            Element::Text => string(""),
        }
    }

    /// Returns the size of an element in bytes; 0 for text, which has no fixed size.
    pub(super) fn size(self) -> usize {
        self.fill().len()
    }

    /// Returns the codec between elements and bytes.
    fn codec(self) -> String {
        let endian = if cfg!(target_endian = "big") { "big" } else { "little" };
        let codec = Object::default();
        match self {
            Element::Text => codec.text("name", "vlen-utf8"),
            Element::U8 => codec.text("name", "bytes"),
            _ => {
                let order = Object::default().text("endian", endian).finish();
                codec.text("name", "bytes").json("configuration", order)
            }
        }
        .finish()
    }
}

/// An array: its name, elements, attributes, and axes with their lengths.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) name: &'static str,
    pub(super) element: Element,
    pub(super) axes: Vec<(&'static str, usize)>,
    /// The length of a chunk along the first axis.
    pub(super) chunk: usize,
    pub(super) attributes: Object,
}

impl Array {
    /// Returns `zarr.json`.
    fn metadata(&self) -> String {
        let shape = || self.axes.iter().map(|&(_, length)| length);
        let chunk = core::iter::once(self.chunk).chain(shape().skip(1));
        let grid = Object::default().json("chunk_shape", list(chunk)).finish();
        let grid = Object::default().text("name", "regular").json("configuration", grid);
        // Without folders of chunks.
        let keys = Object::default().text("separator", ".").finish();
        let keys = Object::default().text("name", "default").json("configuration", keys);
        let mut codecs = Vec::new();
        if self.axes.len() > 1 {
            let order = list((1..self.axes.len()).chain([0]));
            let order = Object::default().json("order", order).finish();
            let codec = Object::default().text("name", "transpose").json("configuration", order);
            codecs.push(codec.finish());
        }
        codecs.push(self.element.codec());
        let names: Vec<&str> = self.axes.iter().map(|&(name, _)| name).collect();
        Object::default()
            .json("zarr_format", 3)
            .text("node_type", "array")
            .json("shape", list(shape()))
            .text("data_type", self.element.name())
            .json("chunk_grid", grid.finish())
            .json("chunk_key_encoding", keys.finish())
            .json("fill_value", self.element.fill_json())
            .json("codecs", list(codecs))
            .texts("dimension_names", &names)
            .json("attributes", self.attributes.finish())
            .finish()
    }

    /// Returns the size of the elements with one index of the first axis.
    pub(super) fn bytes_of_trajectory(&self) -> usize {
        let lengths = self.axes[1..].iter().map(|&(_, length)| length);
        lengths.fold(self.element.size(), usize::saturating_mul)
    }

    /// Creates the array in the folder of its group.
    pub(super) fn create(&self, group: &Path) -> io::Result<()> {
        let folder = group.join(self.name);
        std::fs::create_dir(&folder)?;
        persist::replace(&folder.join("zarr.json"), &folder, &[self.metadata().as_bytes()])
    }

    /// Writes chunk `index`.
    ///
    /// A row has the elements of one component, for at most `self.chunk` trajectories. The chunk
    /// contains the rows one after the other, padded with the fill value.
    pub(super) fn write(
        &self,
        group: &Path,
        index: usize,
        rows: &[impl AsRef<[u8]>],
    ) -> io::Result<()> {
        let folder = group.join(self.name);
        let name = format!("c.{index}{}", ".0".repeat(self.axes.len() - 1));
        let size = self.chunk.saturating_mul(self.element.size());
        let lacking = rows.first().map_or(0, |row| size.saturating_sub(row.as_ref().len()));
        let padding = self.element.fill().repeat(lacking / self.element.size().max(1));
        let parts = rows.iter().flat_map(|row| [row.as_ref(), &padding]);
        let parts: Vec<&[u8]> = parts.filter(|part| !part.is_empty()).collect();
        persist::replace(&folder.join(name), &folder, &parts)
    }
}

/// Returns strings as the codec `vlen-utf8` stores them: their number, then each after its length.
pub(super) fn strings(values: &[impl AsRef<str>]) -> Vec<u8> {
    let length = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    let mut bytes = length(values.len()).to_vec();
    for value in values {
        let value = value.as_ref().as_bytes();
        bytes.extend_from_slice(&length(value.len()));
        bytes.extend_from_slice(value);
    }
    bytes
}
