//! Methods by name.

use crate::error::debug_as_display;

/// Declares an enum of some methods, each of which is a value, has a name and solves: for a method that
/// is chosen at run time, and for lists of methods.
///
/// ```
/// ode_core::any_method! {
///     /// What `--method` may be.
///     pub enum Chosen { Auto, Tsit5, Rodas5P, Vern7 }
/// }
///
/// let method: Chosen = "rodas5p".parse()?;
/// assert_eq!((method, method.to_string()), (Chosen::Rodas5P, "Rodas5P".to_owned()));
/// let list: [Chosen; 2] = [ode_core::methods::Tsit5.into(), Chosen::Vern7];
/// let error = "rk45".parse::<Chosen>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "there is no method `rk45` here; there are `Auto`, `Tsit5`, `Rodas5P`, `Vern7`"
/// );
/// # Ok::<(), ode_core::UnknownMethod>(())
/// ```
///
/// `ensemble.solve(method, EnsembleThreads, &options)` takes one like any method. All of them are those
/// that [`AnyMethod`](crate::AnyMethod) has; an enum of one's own names fewer, because **each method that an
/// enum names is compiled for each system that it solves**, whether it is chosen or not: an enum of four
/// methods takes rustc as long as four programs that each name one.
///
/// The enum is `Copy` and has
///
/// | | |
/// |---|---|
/// | `ALL` | the methods, in their order |
/// | `NAMES` | their names |
/// | `name(self)` | the name, as `Display` writes it |
/// | `FromStr` | by the name, in capitals or not; [`UnknownMethod`](crate::UnknownMethod) tells the names |
/// | `From` | for each method |
#[macro_export]
macro_rules! any_method {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $name:ident { $($method:ident),+ $(,)? }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $visibility enum $name { $(
            #[doc = concat!("The method `", stringify!($method), "`.")]
            $method,
        )+ }

        #[allow(dead_code)]
        impl $name {
            /// The methods, in their order.
            pub const ALL: &'static [Self] = &[$(Self::$method),+];
            /// Their names.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($method)),+];

            /// The name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$method => stringify!($method),)+
                }
            }
        }

        impl ::core::fmt::Display for $name {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.pad(self.name())
            }
        }

        impl ::core::str::FromStr for $name {
            type Err = $crate::UnknownMethod;

            fn from_str(name: &str) -> ::core::result::Result<Self, Self::Err> {
                let named = |known: &&str| known.eq_ignore_ascii_case(name);
                match Self::NAMES.iter().position(named) {
                    ::core::option::Option::Some(index) => {
                        ::core::result::Result::Ok(Self::ALL[index])
                    }
                    ::core::option::Option::None => ::core::result::Result::Err(
                        $crate::UnknownMethod { name: name.into(), known: Self::NAMES },
                    ),
                }
            }
        }

        $(impl ::core::convert::From<$crate::solver::named::$method> for $name {
            fn from(_: $crate::solver::named::$method) -> Self {
                Self::$method
            }
        })+

        impl $crate::solver::sealed::Sealed for $name {}

        impl $crate::Solver<0> for $name {
            fn properties(
                &self,
                options: &$crate::SolveOptions,
                states: usize,
                mass: bool,
            ) -> ::core::result::Result<$crate::methods::Properties, $crate::SolveError> {
                match self { $(
                    Self::$method => <$crate::solver::named::$method as $crate::Solver<_>>
                        ::properties(&$crate::solver::named::$method, options, states, mass),
                )+ }
            }

            fn integrate<T, S, A, const N: usize, const P: usize>(
                &self,
                algorithm: &A,
                inputs: &$crate::inputs::Inputs<T>,
            ) -> ::core::result::Result<$crate::RawResults<T>, $crate::SolveError>
            where
                T: $crate::lane::Scalar,
                S: $crate::system::System<N, P>,
                A: $crate::EnsembleAlgorithm,
            {
                match self { $(
                    Self::$method => <$crate::solver::named::$method as $crate::Solver<_>>
                        ::integrate::<T, S, A, N, P>(
                            &$crate::solver::named::$method, algorithm, inputs,
                        ),
                )+ }
            }
        }
    };
}

any_method! {
    /// Every method, and [`Auto`](crate::Auto): `"rodas5p".parse::<AnyMethod>()?`.
    ///
    /// All of them are compiled for each system that it solves, which takes rustc some twenty times as long as
    /// one does. While a program is written, and wherever a few will do, declare an enum of those by
    /// [`any_method!`].
    pub enum AnyMethod {
        Auto,
        Euler, Heun, Ralston, Rk4, Bs3, Dp5, Tsit5, Vern6, Vern7, Dop853, Vern9,
        Rosenbrock23, Rodas3, Rodas4, Rodas5P,
        TrBdf2, Kvaerno3, Kvaerno5, KenCarp4,
        Tsit5Rodas4, Vern7Rodas5P,
    }
}

/// A name that no method of a choice has.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no method `{name}` here; there are `{}`", .known.join("`, `"))]
pub struct UnknownMethod {
    /// The name that was asked for.
    pub name: String,
    /// The names there are.
    pub known: &'static [&'static str],
}
debug_as_display!(UnknownMethod);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods;

    #[test]
    fn every_method_has_its_name() {
        for properties in methods::ALL {
            let method: AnyMethod = properties.name.to_lowercase().parse().unwrap();
            assert_eq!(method.name(), properties.name);
            let options = crate::SolveOptions::default();
            assert_eq!(
                crate::Solver::properties(&method, &options, 3, false).unwrap(),
                *properties
            );
        }
        // And those that change between two.
        assert_eq!(AnyMethod::ALL.len(), methods::ALL.len() + 3);
    }

    #[test]
    fn a_wrong_name_is_told_the_right_ones() {
        let error = "rodas6".parse::<AnyMethod>().unwrap_err();
        assert_eq!((error.name.as_str(), error.known), ("rodas6", AnyMethod::NAMES));
        assert!(format!("{error:?}").contains("`Rodas5P`, `TrBdf2`"), "{error}");
    }
}
