//! Functions that are compiled once for each precision, in this crate.
//!
//! A generic function is compiled by the crate that says for which types. What knows the system is
//! compiled with the user's, and so would be all that it calls and that is generic over the
//! precision: again in each program, which is a quarter of the time that a small one takes. So what
//! depends on the precision alone is called by way of an [`EachPrecision`](crate::lane::EachPrecision), whose two functions are
//! not generic. What they need of the system and of closures they get as data and by `dyn` calls,
//! each for the work of many trajectories.

/// Functions that are generic over the precision and call another one, compiled in this crate: for
/// `f32` the first of two that are named, for `f64` the second. References live for `'a`.
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
