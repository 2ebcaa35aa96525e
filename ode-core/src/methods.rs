//! The methods: one file each.

pub mod explicit;
pub mod tsit5;

pub use explicit::Explicit;
pub use tsit5::Tsit5;

/// A method as the library offers it: a lane program, and its translation for devices.
pub trait Method<const K: usize>: Explicit<K> {
    /// Its type in C++.
    const NAME: &'static str;
    /// Its lane program as C++.
    const DEVICE: &'static str;
}

impl Method<7> for Tsit5 {
    const NAME: &'static str = "tsit5::Tsit5";
    const DEVICE: &'static str = tsit5::DEVICE;
}
