//! The text of a system for devices.

use core::fmt;

/// The C++ text of a system, from [`System::device_source`](super::System::device_source).
///
/// A device runs the text as it is, without checks. Only `unsafe` code can create one for this
/// reason: `#[ode_system]`, or code with a hand-written text that its author guarantees.
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
    /// Creates a device source from the definition of a struct `System`.
    ///
    /// `sizes` are the numbers of states, parameters and observables. The static member templates
    /// of the struct are the functions of the system's traits; `observables`, if there are any,
    /// returns an array of them. A system with fields writes their values into the text.
    ///
    /// # Safety
    /// Kernels are built from the text and write to the memory of a device. The functions of the
    /// text must neither read nor write beyond the arrays that they receive and return. These
    /// arrays must have the given sizes.
    #[must_use]
    pub const unsafe fn new(text: String, sizes: [usize; 3]) -> Self {
        DeviceSource { text, sizes }
    }

    /// Returns the numbers of states, parameters and observables that the text was written for.
    #[must_use]
    pub const fn sizes(&self) -> [usize; 3] {
        self.sizes
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Writes the text.
impl fmt::Display for DeviceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
