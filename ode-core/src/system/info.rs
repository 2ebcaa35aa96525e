//! The data of a system beside its functions.

use crate::system::noise::NoiseInfo;
use core::fmt;

/// Data of a system beside its functions, for messages, reports and files.
#[derive(Clone, Copy, Debug)]
pub struct SystemInfo {
    /// The name of the compiled function or module.
    pub name: &'static str,
    /// The names of the `N` states, from a destructuring in the function, otherwise `u0`, `u1`, ….
    pub states: &'static [&'static str],
    /// The names of the `P` parameters, from a destructuring in the function, otherwise `p0`, ….
    pub parameters: &'static [&'static str],
    /// The names of the observables.
    pub observables: &'static [&'static str],
    /// The names of the events, scheduled actions, conditions and jumps.
    pub events: &'static [&'static str],
    /// The names of the results of features, such as `height.maximum`.
    pub features: &'static [&'static str],
    /// The names of the modes, which are also among the parameters.
    pub modes: &'static [&'static str],
    /// The kind of the noise; `None` if the equations have no noise.
    pub noise: Option<NoiseInfo>,
    /// The entries of the Jacobian that can be nonzero: (row, column), in row-major order.
    pub jacobian_pattern: &'static [(usize, usize)],
    /// The entries of the parameter Jacobian that can be nonzero: (row, column), in row-major
    /// order.
    pub parameter_pattern: &'static [(usize, usize)],
    /// The components of the right-hand side that depend explicitly on the time, in order.
    pub time_pattern: &'static [usize],
    /// The constant times at which the right-hand side changes its form, in ascending order.
    ///
    /// These are the times that the compiler can compute. At such a time two compared numbers are
    /// equal, also in called functions, or the argument of `abs` or `signum` is zero. The
    /// difference must be affine in the time, or a product, a quotient or a square of such numbers.
    /// The list also contains the middle of each pulse or step in closed form. See
    /// [`tstops_of`](crate::tstops_of).
    pub time_breaks: &'static [f64],
    /// Formulas, for people, of the times at which the form changes and that depend on parameters.
    ///
    /// [`TimeBreaks::parameter_breaks`](crate::system::TimeBreaks::parameter_breaks) evaluates
    /// these times.
    pub parameter_breaks: &'static [&'static str],
    /// Whether times at which the right-hand side changes its form depend on parameters.
    pub moving_time_breaks: bool,
    /// Whether the right-hand side also compares or rounds the time in ways without computable
    /// times.
    ///
    /// Examples are `t % period < 1.0`, `t.sin() > 0.9` and `t < u[0]`. The times of such
    /// comparisons are in neither list.
    pub more_time_breaks: bool,
    /// Divisors that are zero for some states, as formulas for people.
    ///
    /// An example is `k + u` of the rate `u / (k + u)`. Divisors that are zero if all states are
    /// zero are not listed. If a small error carries a solution past such a pole, the solution may
    /// run away; a [domain](crate::system::Domain) prevents this.
    pub poles: &'static [&'static str],
    /// The names of states that grow from themselves at a varying rate: competitors, infections.
    ///
    /// If such an amount is below `abstol`, errors determine its later size.
    pub growing: &'static [&'static str],
    /// Roots of numbers that may be zero, as formulas for people, such as `sqrt(level)`.
    ///
    /// The derivatives of a root at zero are not finite, and implicit methods need them.
    pub steep: &'static [&'static str],
    /// Numbers that jump when a state passes a value, such as the sign of a velocity.
    ///
    /// They are formulas for people.
    pub jumps: &'static [&'static str],
    /// Operations of the right-hand side, Jacobian, parameter Jacobian and time gradient.
    pub operations: [Operations; 4],
    /// Operations of the right-hand side as written, before simplification.
    pub written: u64,
    /// The number of right-hand side operations with results that are used more than once.
    ///
    /// Each of them is computed once.
    pub shared: usize,
    /// How the linear equations of implicit methods are solved.
    pub linear: LinearEquations,
}

impl SystemInfo {
    /// Creates the data of a system that states nothing but names, as in systems written by hand.
    ///
    /// ```
    /// use ode_core::system::SystemInfo;
    ///
    /// const INFO: SystemInfo = SystemInfo {
    ///     time_pattern: &[0],
    ///     ..SystemInfo::new("driven", &["u"], &["rate"])
    /// };
    /// assert_eq!(INFO.parameters, ["rate"]);
    /// ```
    #[must_use]
    pub const fn new(
        name: &'static str,
        states: &'static [&'static str],
        parameters: &'static [&'static str],
    ) -> Self {
        SystemInfo {
            name,
            states,
            parameters,
            observables: &[],
            events: &[],
            features: &[],
            modes: &[],
            noise: None,
            jacobian_pattern: &[],
            parameter_pattern: &[],
            time_pattern: &[],
            time_breaks: &[],
            parameter_breaks: &[],
            moving_time_breaks: false,
            more_time_breaks: false,
            poles: &[],
            growing: &[],
            steep: &[],
            jumps: &[],
            operations: [Operations::new([0; 6]); 4],
            written: 0,
            shared: 0,
            linear: LinearEquations::Full,
        }
    }
}

/// Operations of a function after simplification; a repeated one counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Operations {
    /// Sums and differences.
    pub sums: u32,
    /// Products.
    pub products: u32,
    /// Fused multiply-adds.
    pub fused: u32,
    /// Quotients and square roots.
    pub quotients: u32,
    /// Elementary functions.
    pub functions: u32,
    /// Comparisons, selections, minima and maxima.
    pub selections: u32,
}

impl Operations {
    /// Creates the counts from an array in the order of the fields.
    #[must_use]
    pub const fn new(
        [sums, products, fused, quotients, functions, selections]: [u32; 6],
    ) -> Operations {
        Operations { sums, products, fused, quotients, functions, selections }
    }

    /// Returns a measure of the time to compile and run a function with these operations.
    ///
    /// An elementary function counts as nine operations.
    #[must_use]
    pub const fn weight(&self) -> u32 {
        self.total() + 8 * self.functions
    }

    /// Returns the total number of operations.
    #[must_use]
    pub const fn total(&self) -> u32 {
        let Operations { sums, products, fused, quotients, functions, selections } = *self;
        sums + products + fused + quotients + functions + selections
    }
}

impl fmt::Display for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.sums, "sum", "sums"),
            (self.products, "product", "products"),
            (self.fused, "fused multiply-add", "fused multiply-adds"),
            (self.quotients, "quotient or root", "quotients and roots"),
            (self.functions, "elementary function", "elementary functions"),
            (self.selections, "selection", "selections"),
        ];
        if self.total() == 0 {
            return f.write_str("nothing to compute");
        }
        let mut separator = "";
        for (count, one, many) in counts {
            if count > 0 {
                write!(f, "{separator}{count} {}", if count == 1 { one } else { many })?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

/// How the linear equations of implicit methods are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum LinearEquations {
    /// Straight-line code over the nonzeros, in an order with little fill.
    Nonzeros {
        /// Operations of a factorisation, including the Jacobian.
        factor: Operations,
        /// Operations of a solution with the factors.
        solve: Operations,
    },
    /// Loops over all entries.
    Loops {
        /// The limit of operations, which straight-line code would exceed.
        limit: usize,
    },
    /// Loops over all entries, since nearly all of them are needed.
    Full,
    /// Loops over all entries, with partial pivoting.
    ///
    /// The reason is `pivoting = "on"`, or algebraic equations with few unknowns.
    Pivoting,
}
