//! The text of a system for devices.

use core::fmt;

/// The C++ of a system, as [`System::device_source`](super::System::device_source) gives it.
///
/// A device runs the text as it is, without checks of its own. That is why only `unsafe` code makes
/// one: `#[ode_system]`, or whoever writes the text by hand and vouches for it.
///
/// ```
/// use ode_core::system::DeviceSource;
///
/// let text = "struct System { /* rhs, … */ };".to_owned();
/// // SAFETY: no place with a device gets this text.
/// let source = unsafe { DeviceSource::new(text, [2, 1, 0]) };
/// assert_eq!(source.sizes(), [2, 1, 0]);
/// assert!(source.to_string().starts_with("struct System"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceSource {
    text: String,
    sizes: [usize; 3],
}

impl DeviceSource {
    /// The definition of a struct `System`, of so many states, parameters and observables. Its
    /// static member templates are the functions of the system's traits; `observables`, where there
    /// are some, returns an array of them. A system with fields writes their values into it.
    ///
    /// # Safety
    /// Kernels are made of the text, and write to the memory of a device. Its functions must
    /// neither read nor write beyond the arrays that they get and return, and these must have the
    /// given sizes.
    #[must_use]
    pub const unsafe fn new(text: String, sizes: [usize; 3]) -> Self {
        DeviceSource { text, sizes }
    }

    /// The numbers of states, parameters and observables that the text was written for.
    #[must_use]
    pub const fn sizes(&self) -> [usize; 3] {
        self.sizes
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The text.
impl fmt::Display for DeviceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
