//! Arrays of Zarr, version 3: metadata and chunks.
//!
//! The specification is at <https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html>. An
//! array is a folder with `zarr.json` and a file for each chunk. All chunks have one shape: the
//! grid divides the first axis only, and the last chunk is padded.
//!
//! Solutions are stored component by component: the first axis varies fastest in memory. The codec
//! `transpose` declares that order, so no number is moved. Each file ends with a checksum (codec
//! `crc32c`: the polynomial of Castagnoli, RFC 3720).

use super::json::{Object, list, string};
use crate::lane::Scalar;
use std::borrow::Cow;

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
    /// The lengths of a chunk along the first axes; a chunk has the whole length of the others.
    pub(super) chunk: Vec<usize>,
    /// The character between the indices of a chunk in its path: `/` begins a folder.
    pub(super) separator: char,
    pub(super) attributes: Object,
}

impl Array {
    /// Creates an array in one chunk, without attributes.
    pub(super) fn new(
        name: &'static str,
        element: Element,
        axes: Vec<(&'static str, usize)>,
    ) -> Self {
        Array {
            name,
            element,
            axes,
            chunk: Vec::new(),
            separator: '.',
            attributes: Object::default(),
        }
    }

    /// Returns `zarr.json`.
    pub(super) fn metadata(&self) -> String {
        let shape = || self.axes.iter().map(|&(_, length)| length);
        // Lengths of chunks are positive.
        let chunk = self.chunk.iter().copied().chain(shape().skip(self.chunk.len()));
        let grid = Object::default().json("chunk_shape", list(chunk.map(|length| length.max(1))));
        let grid = Object::default().text("name", "regular").json("configuration", grid.finish());
        let keys = Object::default().text("separator", self.separator.encode_utf8(&mut [0; 4]));
        let keys = Object::default().text("name", "default").json("configuration", keys.finish());
        let mut codecs = Vec::new();
        if self.axes.len() > 1 {
            let order = list((1..self.axes.len()).chain([0]));
            let order = Object::default().json("order", order).finish();
            let codec = Object::default().text("name", "transpose").json("configuration", order);
            codecs.push(codec.finish());
        }
        codecs.push(self.element.codec());
        codecs.push(Object::default().text("name", "crc32c").finish());
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

    /// Returns the path of the chunk with index `index` along the first axis, in the group.
    pub(super) fn path(&self, index: usize) -> String {
        format!("{}/c.{index}{}", self.name, ".0".repeat(self.axes.len() - 1))
    }

    /// Returns the length of a chunk along the first axis.
    pub(super) fn rows_of(&self) -> usize {
        self.chunk.first().copied().unwrap_or(0)
    }

    /// Returns the file of the chunk with index `index` along the first axis.
    ///
    /// A row has the elements of one component, for at most as many trajectories as a chunk has.
    /// The chunk contains the rows one after the other, padded with the fill value.
    pub(super) fn file<'a>(&self, index: usize, rows: Vec<Cow<'a, [u8]>>) -> ChunkFile<'a> {
        let size = self.rows_of().saturating_mul(self.element.size());
        let lacking = rows.first().map_or(0, |row| size.saturating_sub(row.len()));
        let padding = self.element.fill().repeat(lacking / self.element.size().max(1));
        ChunkFile::new(self.path(index), rows, padding)
    }
}

/// The file of a chunk.
#[derive(Debug)]
pub struct ChunkFile<'a> {
    /// The path in the folder of the group.
    pub path: String,
    /// The checksum of the elements, which the file ends with.
    pub checksum: [u8; CHECKSUM],
    rows: Vec<Cow<'a, [u8]>>,
    /// The bytes behind each row.
    padding: Vec<u8>,
}

impl<'a> ChunkFile<'a> {
    pub(super) fn new(path: String, rows: Vec<Cow<'a, [u8]>>, padding: Vec<u8>) -> Self {
        let parts = rows.iter().flat_map(|row| [&**row, &padding]);
        let checksum = parts.fold(0, crc32c::crc32c_append).to_le_bytes();
        ChunkFile { path, checksum, rows, padding }
    }

    /// Returns the bytes of the file, in parts.
    #[must_use]
    pub fn parts(&self) -> Vec<&[u8]> {
        let parts = self.rows.iter().flat_map(|row| [&**row, &self.padding]);
        parts.chain([&self.checksum[..]]).filter(|part| !part.is_empty()).collect()
    }
}

/// The size of the checksum of a file, by the codec `crc32c`.
pub(super) const CHECKSUM: usize = 4;

/// Returns the elements of a file, and its checksum.
///
/// # Errors
/// The defect of the file.
pub(super) fn checked(file: &[u8]) -> Result<(&[u8], [u8; CHECKSUM]), &'static str> {
    let (elements, checksum) = file.split_last_chunk().ok_or("it is too short")?;
    match crc32c::crc32c(elements).to_le_bytes() == *checksum {
        true => Ok((elements, *checksum)),
        false => Err("its checksum does not match its bytes"),
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

/// Returns the first string of a chunk of [`strings`]; `None` if there is none.
pub(super) fn first_string(elements: &[u8]) -> Option<&str> {
    let (_, rest) = elements.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    core::str::from_utf8(rest.get(..u32::from_le_bytes(*length) as usize)?).ok()
}
