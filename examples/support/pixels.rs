//! Pictures that were written, for tests of their colors.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The pixels of a picture.
pub struct Pixels {
    pub width: usize,
    pub height: usize,
    bytes: Vec<u8>,
}

impl Pixels {
    /// Reads a picture of 8-bit colors, and removes the file.
    pub fn take(path: &Path) -> Pixels {
        let file = BufReader::new(File::open(path).expect("the picture was written"));
        let mut reader = png::Decoder::new(file).read_info().expect("the file is a picture");
        let mut bytes = vec![0; reader.output_buffer_size().expect("the picture fits into memory")];
        let info = reader.next_frame(&mut bytes).expect("the picture is complete");
        std::fs::remove_file(path).expect("the picture can be removed");
        Pixels { width: info.width as usize, height: info.height as usize, bytes }
    }

    /// Returns red, green and blue at a position, in pixels.
    pub fn color(&self, [x, y]: [f32; 2]) -> [u8; 3] {
        let at = 3 * (y as usize * self.width + x as usize);
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }
}
