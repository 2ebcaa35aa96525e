//! The methods: one file each.
//!
//! ```text
#![doc = include_str!("methods/table.txt")]
//! ```

use core::fmt;

use crate::problem::Controller;
pub use crate::step::stepper::Stepper;
pub use crate::step::{esdirk, explicit, rosenbrock};

pub mod bs3;
pub mod dop853;
pub mod dp5;
pub mod euler;
pub mod heun;
pub mod kencarp4;
pub mod kvaerno3;
pub mod kvaerno5;
pub mod ralston;
pub mod rk4;
pub mod rodas3;
pub mod rodas4;
pub mod rodas5p;
pub mod rosenbrock23;
pub mod trbdf2;
pub mod tsit5;
pub mod tsit5_rodas4;
pub mod vern6;
pub mod vern7;
pub mod vern7_rodas5p;
pub mod vern9;

pub use bs3::Bs3;
pub use dop853::Dop853;
pub use dp5::Dp5;
pub use euler::Euler;
pub use heun::Heun;
pub use kencarp4::KenCarp4;
pub use kvaerno3::Kvaerno3;
pub use kvaerno5::Kvaerno5;
pub use ralston::Ralston;
pub use rk4::Rk4;
pub use rodas3::Rodas3;
pub use rodas4::Rodas4;
pub use rodas5p::Rodas5P;
pub use rosenbrock23::Rosenbrock23;
pub use trbdf2::TrBdf2;
pub use tsit5::Tsit5;
pub use tsit5_rodas4::Tsit5Rodas4;
pub use vern6::Vern6;
pub use vern7::Vern7;
pub use vern7_rodas5p::Vern7Rodas5P;
pub use vern9::Vern9;

/// A method: a lane program and its translation for devices. Only the methods of the library
/// implement it.
pub trait Method: Stepper + crate::Solver + crate::sealed::Sealed + 'static {
    /// Order, stages and further properties of the method.
    const PROPERTIES: Properties;
    /// The name of the method's type in C++.
    const DEVICE_NAME: &'static str;
    /// The method's lane program as C++, in parts.
    const DEVICE: &'static [&'static str];
}

/// The properties of a method: orders, stages and costs. Its `Display` is a row of [`table`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Properties {
    /// The name of the method.
    pub name: &'static str,
    /// Order of the solution.
    pub order: usize,
    /// Orders of the embedded solutions, from which the error is estimated; without them the method
    /// is for fixed steps.
    pub embedded: &'static [usize],
    /// Stages of a step.
    pub stages: usize,
    /// Whether the first stage of a step is the last one of the step before (first same as last).
    pub fsal: bool,
    /// The order of the local error that is estimated, which step sizes follow: that of the
    /// solution, or of the embedded one, plus one.
    pub error: usize,
    /// The step-size controller, unless the options have another.
    pub controller: Controller,
    /// Order of the solution between the ends of a step.
    pub interpolant: usize,
    /// Evaluations of the right-hand side in a step, without [`Properties::extra`].
    pub evaluations: usize,
    /// Further evaluations for the interpolant, in steps within which a state is saved.
    pub extra: usize,
    /// Systems of linear equations in a step; all of them have one matrix, which is factorised
    /// once.
    pub solves: usize,
    /// Whether stages are found by iteration, each change of one taking an evaluation and a system:
    /// then both counts are of one iteration for each stage.
    pub iterates: bool,
    /// For a method that [switches](crate::step::switching), its implicit method, which takes over
    /// stiff trajectories; all other fields are then those of its explicit method.
    pub switches_to: Option<&'static Properties>,
    /// The region of stability for `u' = λ u`.
    pub stability: Stability,
}

/// The set of `z = λ h` for which steps of size `h` of `u' = λ u` do not grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stability {
    /// A bounded region: stiff systems take many steps.
    Bounded,
    /// A-stable: the whole left half plane, where the solution does not grow.
    A,
    /// L-stable: A-stable, and steps tend to zero for `z` towards minus infinity.
    L,
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stability::Bounded => "bounded",
            Stability::A => "A",
            Stability::L => "L",
        })
    }
}

impl Properties {
    /// Whether the method estimates its error; otherwise it is for fixed steps only.
    #[must_use]
    pub const fn adaptive(&self) -> bool {
        !self.embedded.is_empty()
    }
}

/// Writes one row of [`table`], or its head.
fn row(f: &mut fmt::Formatter<'_>, cells: [&dyn fmt::Display; 11]) -> fmt::Result {
    let [name, order, embedded, adaptive, stages, fsal, evaluations, interpolant, extra, ..] =
        cells;
    let [.., solves, stability] = cells;
    write!(f, "{name:<12}{order:>6}{embedded:>10}{adaptive:>10}{stages:>8}{fsal:>6}")?;
    write!(f, "{evaluations:>13}{interpolant:>13}{extra:>7}{solves:>8}{stability:>11}")
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |yes| if yes { "yes" } else { "no" };
        let each = |count: usize| format!("{count}{}", if self.iterates { " each" } else { "" });
        let mut embedded: Vec<String> = self.embedded.iter().map(ToString::to_string).collect();
        if embedded.is_empty() {
            embedded.push("none".to_string());
        }
        let cells: [&dyn fmt::Display; 11] = [
            &self.name,
            &self.order,
            &embedded.join(", "),
            &yes(self.adaptive()),
            &self.stages,
            &yes(self.fsal),
            &each(self.evaluations),
            &self.interpolant,
            &self.extra,
            &each(self.solves),
            &self.stability,
        ];
        row(f, cells)
    }
}

/// The properties of all methods, one in a line: see the [module](self).
#[must_use]
pub fn table() -> impl fmt::Display {
    fmt::from_fn(|f| {
        let head = "method order embedded adaptive stages FSAL evaluations interpolant extra \
                    solves stability";
        let mut words = head.split(' ');
        let cells = core::array::from_fn::<&str, 11, _>(|_| words.next().unwrap_or_default());
        row(f, cells.each_ref().map(|cell| cell as &dyn fmt::Display))?;
        ALL.iter().try_for_each(|properties| write!(f, "\n{properties}"))
    })
}

macro_rules! methods {
    (
        { $($module:ident::$method:ident $(with $part:ident)?,)* }
        { $($other:ident::$pair:ident of $explicit:ident and $implicit:ident,)* }
    ) => {
        /// The properties of all methods but those that switch.
        pub const ALL: &[Properties] = &[$($module::PROPERTIES),*];

        methods! { @ $($module::$method [$($part::DEVICE,)? $module::DEVICE],)* }
        methods! { @ $(
            $other::$pair
                [$explicit::DEVICE, $implicit::DEVICE, $other::DEVICE],
        )* }
    };
    (@ $($module:ident::$method:ident [$($part:expr),*],)*) => {
        $(impl crate::sealed::Sealed for $method {}
        impl crate::ensemble::solver::sealed::Sealed for $method {}
        impl Method for $method {
            const PROPERTIES: Properties = $module::PROPERTIES;
            const DEVICE_NAME: &'static str = concat!(stringify!($module), "::", stringify!($method));
            const DEVICE: &'static [&'static str] = &[$($part),*];
        })*
    };
}

methods! { {
    euler::Euler,
    heun::Heun,
    ralston::Ralston,
    rk4::Rk4,
    bs3::Bs3,
    dp5::Dp5,
    tsit5::Tsit5,
    vern6::Vern6,
    vern7::Vern7,
    dop853::Dop853,
    vern9::Vern9,
    rosenbrock23::Rosenbrock23,
    rodas3::Rodas3,
    rodas4::Rodas4,
    rodas5p::Rodas5P,
    trbdf2::TrBdf2 with esdirk,
    kvaerno3::Kvaerno3 with esdirk,
    kvaerno5::Kvaerno5 with esdirk,
    kencarp4::KenCarp4 with esdirk,
} {
    tsit5_rodas4::Tsit5Rodas4 of tsit5 and rodas4,
    vern7_rodas5p::Vern7Rodas5P of vern7 and rodas5p,
} }

#[cfg(test)]
mod tests {
    /// The table of the documentation.
    #[test]
    fn table_is_documented() {
        assert_eq!(
            super::table().to_string().trim_end(),
            include_str!("methods/table.txt").trim_end()
        );
    }
}
