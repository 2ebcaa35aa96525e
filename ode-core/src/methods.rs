//! The methods: one file each.

#[macro_use]
mod explicit;
pub mod rk4;
pub mod stepper;
pub mod tsit5;

pub use rk4::Rk4;
pub use stepper::Stepper;
pub use tsit5::Tsit5;

/// A method as the library offers it: a lane program, and its translation for devices.
pub trait Method<const K: usize>: Stepper<K> {
    /// Its name.
    const NAME: &'static str;
    /// Its type in C++.
    const DEVICE_NAME: &'static str;
    /// Its lane program as C++.
    const DEVICE: &'static str;
}

macro_rules! methods {
    ($($module:ident::$method:ident<$kept:literal>,)*) => {
        $(impl Method<$kept> for $method {
            const NAME: &'static str = stringify!($method);
            const DEVICE_NAME: &'static str = concat!(stringify!($module), "::", stringify!($method));
            const DEVICE: &'static str = $module::DEVICE;
        })*
    };
}

methods! {
    rk4::Rk4<5>,
    tsit5::Tsit5<7>,
}
