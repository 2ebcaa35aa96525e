//! Tables of arrays with a number for each trajectory: one row of a table declares an array.
//!
//! A table defines a struct of the arrays, a struct of slices of them, and an enum with a variant
//! for each array. The enum indexes whatever has a value for each array: offsets, byte counts, and
//! the pointers of a kernel. A row contains the name, the variant, the element type, and the number
//! of rows of the array for one trajectory. The order of the rows is the order everywhere: in the
//! arguments of a kernel, in device memory, in files and in messages.

use crate::error::Memory;
use bytemuck::Pod;

/// The slices of one array: a slice for an array of one row, or a vector with a slice for each row.
pub(crate) trait Slices<'a, V>: Sized {
    /// The type with a shorter lifetime.
    type Short<'r>
    where
        Self: 'r;

    /// Returns the slices of an array with rows of `n` numbers.
    fn whole(array: &'a mut [V], n: usize) -> Self;

    /// Splits into the slices of the first `count` trajectories and of the rest.
    fn split(self, count: usize) -> (Self, Self);

    /// Reborrows the slices.
    fn reborrow(&mut self) -> Self::Short<'_>;

    /// Returns the rows as bytes.
    fn bytes(&mut self) -> Vec<&mut [u8]>;
}

/// One row; empty if the solve does not have the array.
impl<'a, V: Pod> Slices<'a, V> for &'a mut [V] {
    type Short<'r>
        = &'r mut [V]
    where
        Self: 'r;

    fn whole(array: &'a mut [V], _: usize) -> Self {
        array
    }

    fn split(self, count: usize) -> (Self, Self) {
        let count = count.min(self.len());
        self.split_at_mut(count)
    }

    fn reborrow(&mut self) -> &mut [V] {
        self
    }

    fn bytes(&mut self) -> Vec<&mut [u8]> {
        if self.is_empty() { Vec::new() } else { vec![bytemuck::cast_slice_mut(self)] }
    }
}

/// Any number of rows.
impl<'a, V: Pod> Slices<'a, V> for Vec<&'a mut [V]> {
    type Short<'r>
        = Vec<&'r mut [V]>
    where
        Self: 'r;

    fn whole(array: &'a mut [V], n: usize) -> Self {
        array.chunks_mut(n.max(1)).collect()
    }

    fn split(self, count: usize) -> (Self, Self) {
        self.into_iter().map(|row| row.split_at_mut(count)).unzip()
    }

    fn reborrow(&mut self) -> Vec<&mut [V]> {
        self.iter_mut().map(|row| &mut **row).collect()
    }

    fn bytes(&mut self) -> Vec<&mut [u8]> {
        self.iter_mut().map(|row| bytemuck::cast_slice_mut(row)).collect()
    }
}

/// A layout of the arrays of a table.
pub(crate) trait Holds<Array> {
    /// Returns whether results have this array.
    fn holds(&self, array: Array) -> bool;

    /// Returns the memory of an array, as errors name it.
    fn memory(&self, _: Array) -> Memory {
        Memory::Host
    }
}

/// Declares a [table](self) of arrays.
macro_rules! arrays_of_trajectories {
    (
        $(#[$arrays_doc:meta])*
        arrays $Arrays:ident;
        $(#[$slices_doc:meta])*
        slices $Slices:ident;
        $(#[$index_doc:meta])*
        index $Index:ident for $Layout:ty;
        $(
            $(#[$doc:meta])*
            $field:ident $Variant:ident: $kind:ident of $element:ident, |$layout:pat_param| $rows:expr;
        )*
    ) => {
        $(#[$arrays_doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $Arrays<T> {
            $($(#[$doc])* pub $field: crate::memory::ResultBuffer<$element>,)*
        }

        impl<T: crate::lane::Scalar> $Arrays<T> {
            /// Sets the lengths of the arrays for `n` trajectories.
            ///
            /// The arrays reuse their memory if it suffices. The contents are arbitrary: a backend
            /// writes every number.
            ///
            /// # Errors
            /// [`SolveError::OutOfMemory`](crate::SolveError::OutOfMemory).
            pub fn fit(&mut self, layout: &$Layout, n: usize) -> Result<(), crate::SolveError> {
                $(
                    let array = $Index::$Variant;
                    let memory = crate::table::Holds::memory(layout, array);
                    let fitted = self.$field.fit(array.rows(layout).saturating_mul(n));
                    fitted.map_err(|error| error.of_memory(memory))?;
                )*
                Ok(())
            }

            /// Page-locks the arrays by `lock`, where
            /// [that pays](crate::memory::ResultBuffer::lock).
            pub fn lock(&mut self, lock: &dyn crate::memory::PageLock) {
                $(self.$field.lock(lock);)*
            }

            /// Returns the arrays as bytes.
            #[must_use]
            pub fn bytes(&self) -> [&[u8]; $Index::COUNT] {
                [$(bytemuck::cast_slice(&self.$field)),*]
            }

            /// Returns the arrays as bytes that can be written.
            pub fn bytes_mut(&mut self) -> [&mut [u8]; $Index::COUNT] {
                [$(bytemuck::cast_slice_mut(&mut self.$field)),*]
            }

            /// Returns the number of elements of each array.
            #[must_use]
            pub fn lengths(&self) -> [usize; $Index::COUNT] {
                [$(self.$field.len()),*]
            }
        }

        $(#[$slices_doc])*
        pub struct $Slices<'a, T> {
            $(
                $(#[$doc])*
                pub(crate) $field: crate::table::slices!($kind, 'a, $element),
            )*
        }

        impl<T> core::fmt::Debug for $Slices<'_, T> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($Slices)).finish_non_exhaustive()
            }
        }

        impl<'a, T: crate::lane::Scalar> $Slices<'a, T> {
            /// Returns the slices for all `n` trajectories of arrays that have the layout.
            pub fn whole(arrays: &'a mut $Arrays<T>, n: usize) -> Self {
                use crate::table::Slices as _;
                $Slices { $($field: <_>::whole(&mut arrays.$field, n)),* }
            }

            /// Splits into the slices of the first `count` trajectories and of the rest.
            #[must_use]
            pub fn split(self, count: usize) -> (Self, Self) {
                use crate::table::Slices as _;
                $(let $field = self.$field.split(count);)*
                ($Slices { $($field: $field.0),* }, $Slices { $($field: $field.1),* })
            }

            /// Reborrows the slices.
            #[must_use]
            pub fn reborrow(&mut self) -> $Slices<'_, T> {
                use crate::table::Slices as _;
                $Slices { $($field: self.$field.reborrow()),* }
            }

            /// Returns the rows of each array as bytes, as targets of copies from a device.
            pub fn bytes(&mut self) -> [Vec<&mut [u8]>; $Index::COUNT] {
                use crate::table::Slices as _;
                [$(self.$field.bytes()),*]
            }
        }

        $(#[$index_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $Index {
            $($(#[$doc])* $Variant,)*
        }

        impl $Index {
            /// All arrays, in the order of their declaration.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$Variant),*];
            /// The number of arrays.
            pub const COUNT: usize = [$(stringify!($field)),*].len();

            /// Returns the name of the array's field.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Variant => stringify!($field)),* }
            }

            /// Returns the number of rows: of numbers for each trajectory.
            #[must_use]
            pub fn rows(self, layout: &$Layout) -> usize {
                if !crate::table::Holds::holds(layout, self) {
                    return 0;
                }
                match self { $(Self::$Variant => { let $layout = layout; $rows }),* }
            }

            /// Returns the size of an element in bytes, in precision `T`.
            #[must_use]
            pub const fn size<T>(self) -> usize {
                match self { $(Self::$Variant => size_of::<$element>()),* }
            }

            /// Returns the value of this array among those of all arrays.
            #[must_use]
            pub fn of<V>(self, values: &[V; Self::COUNT]) -> &V {
                &values[self as usize]
            }

            /// Returns the C++ type of the elements, in a template over the number `R`.
            #[must_use]
            pub const fn device_type(self) -> &'static str {
                match self { $(Self::$Variant => crate::table::device_type!($element)),* }
            }
        }
    };
}

/// The type of the slices of an array with one `row`, or with any number of `rows`.
macro_rules! slices {
    (row, $a:lifetime, $element:ident) => { &$a mut [$element] };
    (rows, $a:lifetime, $element:ident) => { Vec<&$a mut [$element]> };
}

macro_rules! device_type {
    (T) => {
        "R"
    };
    (u32) => {
        "u32"
    };
    (u8) => {
        "unsigned char"
    };
}

pub(crate) use {arrays_of_trajectories, device_type, slices};
