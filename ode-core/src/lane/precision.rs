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
/// for `'a`, or for `'a` and `'b`.
macro_rules! each_precision {
    ($(
        $(#[$documentation:meta])*
        $visibility:vis fn $name:ident<$a:lifetime $(, $b:lifetime)?, $T:ident>(
            $($arguments:tt)*
        ) -> $output:ty = $single:expr, $double:expr;
    )*) => { $(
        crate::lane::each_precision! {
            @lifetimes [$a $(, $b)?]
            ($(#[$documentation])* $visibility) $name, $T,
            ($($arguments)*) [$output] $single, $double
        }
    )* };
    (@lifetimes [$a:lifetime] $($rest:tt)*) => {
        crate::lane::each_precision! { @define [$a] [$a, 'second] $($rest)* }
    };
    (@lifetimes [$a:lifetime, $b:lifetime] $($rest:tt)*) => {
        crate::lane::each_precision! { @define [$a, $b] [$a, $b] $($rest)* }
    };
    (
        @define [$($lifetime:lifetime),*] [$a:lifetime, $b:lifetime]
        ($(#[$documentation:meta])* $visibility:vis) $name:ident, $T:ident,
        ($($argument:ident: $type:ty),* $(,)?) [$output:ty] $single:expr, $double:expr
    ) => {
        $(#[$documentation])*
        $visibility fn $name<$($lifetime,)* $T: crate::lane::Scalar>(
            $($argument: $type),*
        ) -> $output {
            struct Call;

            impl crate::lane::EachPrecision for Call {
                type Given<$a, $b: $a, $T: crate::lane::Scalar> = ($($type,)*);
                type Output<$a, $T: crate::lane::Scalar> = $output;

                #[inline(never)]
                fn single<$a, $b: $a>(
                    ($($argument,)*): Self::Given<$a, $b, f32>,
                ) -> Self::Output<$a, f32> {
                    $single($($argument),*)
                }

                #[inline(never)]
                fn double<$a, $b: $a>(
                    ($($argument,)*): Self::Given<$a, $b, f64>,
                ) -> Self::Output<$a, f64> {
                    $double($($argument),*)
                }
            }

            $T::call::<Call>(($($argument,)*))
        }
    };
}
pub(crate) use each_precision;
