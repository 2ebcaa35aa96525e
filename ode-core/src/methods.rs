//! The methods: one file each.
//!
//! ```text
#![doc = include_str!("methods/table.txt")]
//! ```

use core::fmt;

use crate::step::adjoint::Adjoint;
use crate::step::properties::row;
pub use crate::step::properties::{NoiseClass, Properties, Stability, Stochastic};
pub use crate::step::stepper::Stepper;
pub use crate::step::{esdirk, explicit, rosenbrock};

pub mod bs3;
pub mod dop853;
pub mod dp5;
pub mod euler;
pub mod euler_maruyama;
pub mod heun;
pub mod kencarp4;
pub mod kvaerno3;
pub mod kvaerno5;
pub mod milstein;
pub mod ralston;
pub mod rk4;
pub mod rodas3;
pub mod rodas4;
pub mod rodas5p;
pub mod rosenbrock23;
pub mod shark;
pub mod siea;
pub mod spark;
pub mod sra1;
pub mod sriw1;
pub mod stochastic_heun;
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
pub use euler_maruyama::EulerMaruyama;
pub use heun::Heun;
pub use kencarp4::KenCarp4;
pub use kvaerno3::Kvaerno3;
pub use kvaerno5::Kvaerno5;
pub use milstein::Milstein;
pub use ralston::Ralston;
pub use rk4::Rk4;
pub use rodas3::Rodas3;
pub use rodas4::Rodas4;
pub use rodas5p::Rodas5P;
pub use rosenbrock23::Rosenbrock23;
pub use shark::Shark;
pub use siea::Siea;
pub use spark::Spark;
pub use sra1::Sra1;
pub use sriw1::Sriw1;
pub use stochastic_heun::StochasticHeun;
pub use trbdf2::TrBdf2;
pub use tsit5::Tsit5;
pub use tsit5_rodas4::Tsit5Rodas4;
pub use vern6::Vern6;
pub use vern7::Vern7;
pub use vern7_rodas5p::Vern7Rodas5P;
pub use vern9::Vern9;

/// The definition of a method: lane program, C++ text and properties.
///
/// Programs use the public part, [`Method`](crate::Method).
pub trait Definition: Stepper + crate::sealed::Sealed + 'static {
    /// The order, the stages and further properties of the method.
    const DEFINED: Properties;
    /// The name of the method's type in C++.
    const DEVICE_NAME: &'static str;
    /// The method's lane program as C++, in several texts.
    const DEVICE: &'static [&'static str];
}

/// A method with an adjoint, for gradients.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no gradients",
    label = "expected an explicit method, such as `Tsit5`, or `Rodas3`, `Rodas4` or `Rodas5P`, \
             or for noise any method of `STOCHASTIC`"
)]
pub trait Differentiable: Definition {
    /// The adjoint of the method.
    type Adjoint: Adjoint<Method = Self>;
    /// The name of the adjoint's type in C++.
    const ADJOINT: &'static str;
    /// The adjoint's lane program as C++.
    const ADJOINT_DEVICE: &'static str;
}

/// The coefficients of a method as data.
#[derive(Clone, Copy, Debug)]
pub enum Coefficients {
    /// The coefficients of an explicit Runge–Kutta method.
    Explicit(&'static explicit::Tableau),
    /// The coefficients of a Rosenbrock method.
    Rosenbrock(&'static rosenbrock::Tableau),
}

/// A method that its [`Coefficients`] describe completely, for vectors of any kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot solve one large array",
    label = "expected an explicit method, such as `Tsit5`, or `Rodas3`, `Rodas4` or `Rodas5P`"
)]
pub trait Tabulated: Definition {
    /// The coefficients.
    const COEFFICIENTS: Coefficients;
}

/// Returns a table of the properties of all methods, with one method in each line.
///
/// The documentation of the [module](self) contains the table.
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
        { $($of_noise:ident::$stochastic:ident,)* }
    ) => {
        /// The properties of all methods for ordinary equations, except those that switch.
        pub const ALL: &[Properties] = &[$($module::PROPERTIES),*];

        methods! { @ $($module::$method [$($part::DEVICE,)? $module::DEVICE],)* }
        /// The properties of all methods for stochastic equations.
        pub const STOCHASTIC: &[Properties] = &[$($of_noise::PROPERTIES),*];

        methods! { @ $($of_noise::$stochastic [$of_noise::DEVICE],)* }
        methods! { @ $(
            $other::$pair
                [$explicit::DEVICE, $implicit::DEVICE, $other::DEVICE],
        )* }
    };
    (@ $($module:ident::$method:ident [$($part:expr),*],)*) => {
        $(impl crate::sealed::Sealed for $method {}
        // The properties of a method must agree with its lane program.
        const _: () = {
            let known = &$module::PROPERTIES;
            assert!(known.order == <$method as Stepper>::ORDER);
            assert!(known.adaptive() == <$method as Stepper>::ADAPTIVE);
            assert!(known.fsal == <$method as Stepper>::FSAL);
            assert!(known.iterates == <$method as Stepper>::ITERATES);
        };
        impl Definition for $method {
            const DEFINED: Properties = $module::PROPERTIES;
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
} {
    euler_maruyama::EulerMaruyama,
    milstein::Milstein,
    siea::Siea,
    sriw1::Sriw1,
    sra1::Sra1,
    shark::Shark,
    stochastic_heun::StochasticHeun,
    spark::Spark,
} }

macro_rules! differentiable {
    ($($module:ident::$method:ident by $adjoint:ident,)*) => { $(
        impl Differentiable for $method {
            type Adjoint = $module::adjoint::Backward;
            const ADJOINT: &'static str = concat!(stringify!($adjoint), "::Backward");
            const ADJOINT_DEVICE: &'static str = $module::adjoint::DEVICE;
        }
    )* };
}

differentiable! {
    euler::Euler by euler_adjoint,
    heun::Heun by heun_adjoint,
    ralston::Ralston by ralston_adjoint,
    rk4::Rk4 by rk4_adjoint,
    bs3::Bs3 by bs3_adjoint,
    dp5::Dp5 by dp5_adjoint,
    tsit5::Tsit5 by tsit5_adjoint,
    vern6::Vern6 by vern6_adjoint,
    vern7::Vern7 by vern7_adjoint,
    dop853::Dop853 by dop853_adjoint,
    vern9::Vern9 by vern9_adjoint,
    rodas3::Rodas3 by rodas3_adjoint,
    rodas4::Rodas4 by rodas4_adjoint,
    rodas5p::Rodas5P by rodas5p_adjoint,
    euler_maruyama::EulerMaruyama by euler_maruyama_adjoint,
    milstein::Milstein by milstein_adjoint,
    siea::Siea by siea_adjoint,
    sriw1::Sriw1 by sriw1_adjoint,
    sra1::Sra1 by sra1_adjoint,
    shark::Shark by shark_adjoint,
    stochastic_heun::StochasticHeun by stochastic_heun_adjoint,
    spark::Spark by spark_adjoint,
}

macro_rules! tabulated {
    ($($kind:ident { $($module:ident::$method:ident,)* })*) => { $($(
        impl Tabulated for $method {
            const COEFFICIENTS: Coefficients = Coefficients::$kind(&$module::TABLEAU);
        }
    )*)* };
}

tabulated! {
    Explicit {
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
    }
    Rosenbrock {
        rodas3::Rodas3,
        rodas4::Rodas4,
        rodas5p::Rodas5P,
    }
}

#[cfg(test)]
mod tests {
    /// The table of the documentation, which `BLESS=1` writes.
    #[test]
    fn table_is_documented() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/methods/table.txt");
        let table = format!("{}\n", super::table().to_string().trim_end());
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(path, &table).unwrap();
        }
        let documented = std::fs::read_to_string(path).unwrap();
        assert_eq!(documented.trim_end(), table.trim_end(), "run with BLESS=1 if that is right");
    }
}
