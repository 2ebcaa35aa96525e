//! Functions that are compiled once for each precision, in this crate.
//!
//! The crate that instantiates a generic function compiles it. Code that depends on the system is
//! compiled with the user's crate. All functions that it calls and that are generic over the
//! precision would be compiled there again, in each program: a quarter of the compile time of a
//! small program. So functions that depend only on the precision are called through an
//! [`EachPrecision`](crate::lane::EachPrecision) with two functions that are not generic. They
//! receive the system and closures as data and by `dyn` calls, each for the work of many
//! trajectories.

/// Declares functions that are generic over the precision and call a compiled one of this crate.
///
/// For `f32` they call the first of the two named functions, for `f64` the second. References live
/// for `'a`.
macro_rules! each_precision {
    ($(
        $(#[$documentation:meta])*
        $visibility:vis fn $name:ident<$a:lifetime, $T:ident>(
            $($argument:ident: $type:ty),* $(,)?
        ) -> $output:ty = $single:expr, $double:expr;
    )*) => { $(
        $(#[$documentation])*
        $visibility fn $name<$a, $T: crate::lane::Scalar>($($argument: $type),*) -> $output {
            struct Call;

            impl crate::lane::EachPrecision for Call {
                type Given<$a, $T: crate::lane::Scalar> = ($($type,)*);
                type Output<$T: crate::lane::Scalar> = $output;

                #[inline(never)]
                fn single(($($argument,)*): Self::Given<'_, f32>) -> Self::Output<f32> {
                    $single($($argument),*)
                }

                #[inline(never)]
                fn double(($($argument,)*): Self::Given<'_, f64>) -> Self::Output<f64> {
                    $double($($argument),*)
                }
            }

            $T::call::<Call>(($($argument,)*))
        }
    )* };
}
pub(crate) use each_precision;
