//! Methods by name.

use crate::error::debug_as_display;
use crate::methods;

/// Declares an enum of methods, each with a name, to choose one at run time.
///
/// A value of the enum is a method and solves. The enum also serves for lists of methods.
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
///     "unknown method `rk45`; did you mean `Tsit5`? \
///      the methods are `Auto`, `Tsit5`, `Rodas5P`, `Vern7`"
/// );
/// let error = "rodas5".parse::<Chosen>().unwrap_err();
/// assert!(error.to_string().contains("did you mean `Rodas5P`?"));
/// # Ok::<(), ode_core::UnknownMethod>(())
/// ```
///
/// `ensemble.solve(method, EnsembleThreads, &options)` accepts a value of the enum like any method.
/// [`AnyMethod`](crate::AnyMethod) contains all methods. An enum of your own contains fewer,
/// because **each method of an enum is compiled for each system that the enum solves**, whether it
/// is chosen or not: an enum of four methods takes rustc as long as four programs with one method
/// each.
///
/// The enum is `Copy` and has
///
/// | | |
/// |---|---|
/// | `ALL` | the methods, in their order |
/// | `NAMES` | their names |
/// | `name(self)` | the name, as `Display` writes it |
/// | `FromStr` | by the name, in any case; [`UnknownMethod`](crate::UnknownMethod) lists them |
/// | `From` | for each method |
/// | `Serialize`, `Deserialize` | by the name, with the feature `serde` |
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
            /// The methods, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$method),+];
            /// The names of the methods, in the same order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($method)),+];

            /// Returns the name of the method.
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

        $(impl ::core::convert::From<$crate::ensemble::solver::named::$method> for $name {
            fn from(_: $crate::ensemble::solver::named::$method) -> Self {
                Self::$method
            }
        })+

        $crate::method_by_name! { $name }

        impl $crate::ensemble::solver::sealed::Sealed for $name {}

        impl $crate::Solver for $name {
            fn properties(
                &self,
                options: &$crate::SolveOptions,
                states: usize,
                mass: bool,
            ) -> ::core::result::Result<$crate::methods::Properties, $crate::SolveError> {
                match self { $(
                    Self::$method => <$crate::ensemble::solver::named::$method as $crate::Solver>
                        ::properties(&$crate::ensemble::solver::named::$method, options, states, mass),
                )+ }
            }

            fn integrate<T, S, C, const N: usize, const P: usize>(
                &self,
                system: S,
                place: &dyn $crate::EnsembleAlgorithm,
                settings: &$crate::problem::resolved_options::ResolvedOptions<T>,
                columns: &$crate::problem::inputs::Inputs<T>,
                sink: &mut dyn $crate::solution::ResultSink<T>,
            ) -> ::core::result::Result<$crate::solution::RunReport, $crate::SolveError>
            where
                T: $crate::lane::Scalar,
                S: $crate::system::System<N, P>,
                C: $crate::ensemble::task::CompiledLanes,
            {
                match self { $(
                    Self::$method => <$crate::ensemble::solver::named::$method as $crate::Solver>
                        ::integrate::<T, S, C, N, P>(
                            &$crate::ensemble::solver::named::$method,
                            system,
                            place,
                            settings,
                            columns,
                            sink,
                        ),
                )+ }
            }
        }
    };
}

/// Reads and writes the enum as the name of a method.
///
/// This is a macro of this crate, since only this crate can test whether its feature is on;
/// [`any_method!`] is expanded in other crates.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! method_by_name {
    ($name:ident) => {
        impl $crate::serde::Serialize for $name {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> $crate::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let name = <::std::string::String as $crate::serde::Deserialize>::deserialize(
                    deserializer,
                )?;
                name.parse().map_err(<D::Error as $crate::serde::de::Error>::custom)
            }
        }
    };
}

/// Expands to nothing without the feature `serde`.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! method_by_name {
    ($name:ident) => {};
}

any_method! {
    /// A method that a program chooses at run time.
    ///
    /// The enum has every method for ordinary equations, and [`Auto`](crate::Auto).
    /// `"rodas5p".parse::<AnyMethod>()?` chooses one by its name. [`AnyStochasticMethod`] has the
    /// methods for equations with noise.
    ///
    /// All of the methods are compiled for each system that the enum solves, which takes rustc
    /// about twenty times as long as one method does. While you write a program, and whenever a few
    /// methods suffice, declare an enum of these by [`any_method!`].
    pub enum AnyMethod {
        Auto,
        Euler, Heun, Ralston, Rk4, Bs3, Dp5, Tsit5, Vern6, Vern7, Dop853, Vern9,
        Rosenbrock23, Rodas3, Rodas4, Rodas5P,
        TrBdf2, Kvaerno3, Kvaerno5, KenCarp4,
        Tsit5Rodas4, Vern7Rodas5P,
    }
}

any_method! {
    /// A method for stochastic equations that a program chooses at run time.
    ///
    /// The enum has every method of [`STOCHASTIC`](crate::methods::STOCHASTIC), and no other one:
    /// no method solves systems with and without noise, and each method of an enum takes time to
    /// compile. A method that does not solve the noise of a system is an error of the solve.
    ///
    /// ```
    /// use ode_core::{AnyMethod, AnyStochasticMethod};
    ///
    /// let method: AnyStochasticMethod = "sriw1".parse()?;
    /// assert_eq!(method, AnyStochasticMethod::Sriw1);
    /// let error = "sriw1".parse::<AnyMethod>().unwrap_err().to_string();
    /// assert!(error.contains("`Sriw1` solves stochastic equations"));
    /// # Ok::<(), ode_core::UnknownMethod>(())
    /// ```
    pub enum AnyStochasticMethod {
        EulerMaruyama, Milstein, Siea, Sriw1, Sra1, Shark, StochasticHeun, Spark,
    }
}

/// A name that matches no method of an enum.
///
/// The message contains the [nearest](UnknownMethod::nearest) names and the names of all methods.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown method `{name}`; {}the methods are `{}`",
    meant(.name, .known), .known.join("`, `")
)]
pub struct UnknownMethod {
    /// The unknown name.
    pub name: String,
    /// The names of the enum's methods.
    pub known: &'static [&'static str],
}
debug_as_display!(UnknownMethod);

/// Adaptive explicit methods of order about 5, the first choice first.
const FIFTH: &[&str] = &["Tsit5", "Dp5", "Vern6", "Vern7", "Bs3"];
/// Methods for stiff systems.
const STIFF: &[&str] = &["Rodas5P", "Rodas4", "Kvaerno5", "Rosenbrock23"];

/// Method names of other libraries (SciPy, MATLAB, SUNDIALS, Fortran codes), each with the methods
/// of this library that do the same or serve the same purpose, best first. All of them are
/// adaptive, as their counterparts are.
const ELSEWHERE: &[(&str, &[&str])] = &[
    ("rk45", FIFTH),
    ("ode45", FIFTH),
    ("dopri5", FIFTH),
    ("odeint", FIFTH),
    ("rk23", &["Bs3", "Tsit5", "Dp5"]),
    ("ode23", &["Bs3", "Tsit5", "Dp5"]),
    ("ode78", &["Vern7", "Dop853", "Vern9"]),
    ("ode89", &["Vern9", "Dop853", "Vern7"]),
    ("dop853", &["Dop853", "Vern7", "Vern9"]),
    ("dopri853", &["Dop853", "Vern7", "Vern9"]),
    ("dopri8", &["Dop853", "Vern7", "Vern9"]),
    ("lsoda", &["Auto", "Tsit5Rodas4", "Vern7Rodas5P"]),
    ("radau", STIFF),
    ("bdf", STIFF),
    ("cvode", STIFF),
    ("ode15s", STIFF),
    ("ode23s", &["Rosenbrock23", "Rodas4", "Rodas5P"]),
    ("ode23tb", &["TrBdf2", "Rosenbrock23", "Rodas4"]),
];

/// Names of methods for stochastic equations in SciML and diffrax, as in [`ELSEWHERE`].
const STOCHASTIC_ELSEWHERE: &[(&str, &[&str])] = &[
    ("em", &["EulerMaruyama"]),
    ("gpuem", &["EulerMaruyama"]),
    ("gpusiea", &["Siea"]),
    ("rkmil", &["Milstein"]),
    ("itomilstein", &["Milstein"]),
    ("stratonovichmilstein", &["Milstein"]),
    ("sosri", &["Sriw1"]),
    ("sosra", &["Shark", "Sra1"]),
    ("eulerheun", &["StochasticHeun"]),
    ("slowrk", &["Spark"]),
];

impl UnknownMethod {
    /// Returns the names that the user probably meant; the list may be empty.
    ///
    /// For a name from another library, this is the method that serves its purpose best. Otherwise
    /// these are the names with the smallest edit distance, adaptive methods first.
    #[must_use]
    pub fn nearest(&self) -> Vec<&'static str> {
        nearest(&self.name, self.known)
    }
}

/// Computes [`UnknownMethod::nearest`].
fn nearest(name: &str, known: &[&'static str]) -> Vec<&'static str> {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let name = name.to_ascii_lowercase();
    let mut elsewhere = ELSEWHERE.iter().chain(STOCHASTIC_ELSEWHERE);
    if let Some((_, methods)) = elsewhere.find(|(other, _)| *other == name) {
        let of = |method: &&str| known.iter().copied().find(|known| known == method);
        return methods.iter().find_map(of).into_iter().collect();
    }
    let distance = |known: &&str| changes(&name, &known.to_ascii_lowercase());
    let distances: Vec<usize> = known.iter().map(distance).collect();
    let least = distances.iter().min().copied();
    let each = known.iter().copied().zip(distances);
    // At least half of the letters must match.
    let near = each.filter(|(known, n)| Some(*n) == least && 2 * n < known.len());
    let mut near: Vec<&'static str> = near.map(|(known, _)| known).collect();
    near.sort_by_key(|name| is_for_fixed_steps(name));
    near
}

/// Returns whether a method has no error estimate, so that its steps are fixed.
fn is_for_fixed_steps(name: &str) -> bool {
    methods::ALL.iter().any(|properties| properties.name == name && !properties.adaptive())
}

fn meant(name: &str, known: &[&'static str]) -> String {
    let all = || methods::ALL.iter().chain(methods::STOCHASTIC);
    // A method for another kind of equations than those of the enum.
    if let Some(found) = all().find(|method| method.name.eq_ignore_ascii_case(name)) {
        let is_stochastic = found.stochastic.is_some();
        let mut alike = all().filter(|method| method.stochastic.is_some() == is_stochastic);
        if !alike.any(|method| known.contains(&method.name)) {
            let kind = if is_stochastic { "stochastic" } else { "ordinary" };
            return format!("`{}` solves {kind} equations, and is none of these; ", found.name);
        }
    }
    match nearest(name, known).as_slice() {
        [] => String::new(),
        names => format!("did you mean `{}`? ", names.join("` or `")),
    }
}

/// Returns the least number of insertions, deletions and replacements that turn `a` into `b`
/// (Levenshtein distance).
fn changes(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // And the methods that switch between two.
        assert_eq!(AnyMethod::ALL.len(), methods::ALL.len() + 3);
        let names: Vec<&str> = methods::STOCHASTIC.iter().map(|method| method.name).collect();
        assert_eq!(AnyStochasticMethod::NAMES, names);
    }

    #[test]
    fn a_wrong_name_is_told_the_right_ones() {
        let error = "rodas6".parse::<AnyMethod>().unwrap_err();
        assert_eq!((error.name.as_str(), error.known), ("rodas6", AnyMethod::NAMES));
        assert!(format!("{error:?}").contains("`Rodas5P`, `TrBdf2`"), "{error}");
    }

    #[test]
    fn a_near_name_is_told_first() {
        let nearest = |name: &str| name.parse::<AnyMethod>().unwrap_err().nearest();
        for (name, expected) in [
            ("Tsit", ["Tsit5"].as_slice()),
            ("tist5", &["Tsit5"]),
            ("Rodas5", &["Rodas3", "Rodas4", "Rodas5P"]),
            ("rodas-5p", &["Rodas5P"]),
            ("Vern8", &["Vern6", "Vern7", "Vern9"]),
            ("dop835", &["Dop853"]),
            ("KenCarp5", &["KenCarp4"]),
            ("TRBDF", &["TrBdf2"]),
            ("tr_bdf2", &["TrBdf2"]),
            ("RK45", &["Tsit5"]),
            ("odeint", &["Tsit5"]),
            ("dopri853", &["Dop853"]),
            ("ode15s", &["Rodas5P"]),
            ("LSODA", &["Auto"]),
            ("", &[]),
            ("fast", &[]),
            ("stiff", &[]),
            ("implicit", &[]),
            ("runge-kutta", &[]),
        ] {
            assert_eq!(nearest(name), expected, "{name}");
        }
        let error = "rodas6p".parse::<AnyMethod>().unwrap_err().to_string();
        let begin = "unknown method `rodas6p`; did you mean `Rodas5P`? the methods are `Auto`, ";
        assert!(error.starts_with(begin), "{error}");
    }

    #[test]
    fn names_of_methods_for_other_equations() {
        let error = "shark".parse::<AnyMethod>().unwrap_err().to_string();
        let begin = "unknown method `shark`; `Shark` solves stochastic equations, and is none of \
                     these; the methods are `Auto`, ";
        assert!(error.starts_with(begin), "{error}");
        let error = "Tsit5".parse::<AnyStochasticMethod>().unwrap_err().to_string();
        assert!(error.contains("`Tsit5` solves ordinary equations"), "{error}");
        for (name, expected) in [("EM", "EulerMaruyama"), ("SOSRA", "Shark"), ("sriw2", "Sriw1")] {
            let error = name.parse::<AnyStochasticMethod>().unwrap_err();
            assert_eq!(error.nearest(), [expected], "{name}");
        }
        for method in STOCHASTIC_ELSEWHERE.iter().flat_map(|(_, methods)| *methods) {
            assert!(AnyStochasticMethod::NAMES.contains(method), "{method}");
        }
    }

    /// Methods of other libraries adapt their steps, and so do the suggested ones.
    #[test]
    fn methods_of_other_libraries_have_their_like_among_those_there_are() {
        let nearest =
            |name: &str, known| UnknownMethod { name: name.into(), known }.nearest().join(" ");
        for (name, known, expected) in [
            ("RK45", ["Rk4", "Vern7"].as_slice(), "Vern7"),
            ("rk45", &["Rk4", "Dp5"], "Dp5"),
            ("ode45", &["Dp5", "Tsit5"], "Tsit5"),
            ("dopri5", &["Rk4", "Dp5"], "Dp5"),
            ("RK45", &["Euler", "Rk4"], ""),
            ("DOP853", &["Rk4", "Dp5", "Vern7"], "Vern7"),
            ("lsoda", &["Tsit5", "Tsit5Rodas4"], "Tsit5Rodas4"),
            ("LSODA", &["Tsit5", "Auto"], "Auto"),
            ("BDF", &["Tsit5", "Rodas4"], "Rodas4"),
            // Of equally near methods, the one for fixed steps comes last.
            ("rk5", &["Rk4", "Rk9"], "Rk9 Rk4"),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
        let error = UnknownMethod { name: "BDF".into(), known: &["Tsit5"] };
        assert_eq!(error.to_string(), "unknown method `BDF`; the methods are `Tsit5`");
        for method in ELSEWHERE.iter().flat_map(|(_, methods)| *methods) {
            assert!(AnyMethod::NAMES.contains(method) && !is_for_fixed_steps(method), "{method}");
        }
    }

    #[test]
    fn changes_are_counted() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("kitten", "sitting", 3),
            ("abcd", "bcd", 1),
        ] {
            assert_eq!(changes(a, b), expected, "{a} {b}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn methods_are_their_names_in_json() {
        for (method, name) in AnyMethod::ALL.iter().zip(AnyMethod::NAMES) {
            let written = serde_json::to_string(method).unwrap();
            assert_eq!(written, format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<AnyMethod>(&written).unwrap(), *method);
            let small = written.to_lowercase();
            assert_eq!(serde_json::from_str::<AnyMethod>(&small).unwrap(), *method);
        }
        let error = serde_json::from_str::<AnyMethod>("\"rodas6\"").unwrap_err().to_string();
        assert!(error.contains("unknown method `rodas6`; did you mean"), "{error}");
    }
}
