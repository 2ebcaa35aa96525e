//! What the compiler tells of a system beside its functions.

use core::fmt;

/// What is known of a system beside its functions: data, for messages, reports and files.
#[derive(Clone, Copy, Debug)]
pub struct SystemInfo {
    /// The name of the function or module that was compiled.
    pub name: &'static str,
    /// The names of the `N` states, from a destructuring in the function, otherwise `u0`, `u1`, ….
    pub states: &'static [&'static str],
    /// The names of the `P` parameters, from a destructuring in the function, otherwise `p0`, ….
    pub parameters: &'static [&'static str],
    /// The names of the observables.
    pub observables: &'static [&'static str],
    /// The names of the events.
    pub events: &'static [&'static str],
    /// Where the Jacobian can be nonzero: (row, column), in row-major order.
    pub jacobian_pattern: &'static [(usize, usize)],
    /// Where the parameter Jacobian can be nonzero: (row, column), in row-major order.
    pub parameter_pattern: &'static [(usize, usize)],
    /// The components of the right-hand side that depend explicitly on the time, in order.
    pub time_pattern: &'static [usize],
    /// The times at which the right-hand side changes its form, as far as they are known when it is
    /// compiled, in ascending order: where two numbers that it compares are equal, also in the
    /// functions that it calls, and where the arguments of `abs` and `signum` are zero, if the
    /// difference is affine in the time, or a product, a quotient or a square of such numbers; and
    /// those at which a pulse or a step in closed form has its middle. See
    /// [`tstops_of`](crate::tstops_of).
    pub time_breaks: &'static [f64],
    /// The times at which the right-hand side changes its form that depend on parameters: formulas
    /// to be read by people, of the times that [`TimeBreaks::parameter_breaks`](crate::system::TimeBreaks::parameter_breaks) evaluates.
    pub parameter_breaks: &'static [&'static str],
    /// Whether times at which the right-hand side changes its form depend on parameters. There are no
    /// gradients of such systems where a solve stops at times.
    pub moving_time_breaks: bool,
    /// Whether the right-hand side compares the time in other ways, too, whose times are in neither
    /// list, or rounds it: as in `t % period < 1.0`, `t.sin() > 0.9` and `t < u[0]`.
    pub more_time_breaks: bool,
    /// The divisors of the right-hand side that are zero for some states, though not where all
    /// states are zero: formulas to be read by people, such as `k + u` of the rate `u / (k + u)`. A
    /// solution that is beyond such a pole by a small error may run away: a
    /// [domain](crate::system::Domain) keeps it from there.
    pub poles: &'static [&'static str],
    /// The names of states that grow from themselves at a rate that changes: competitors, infections.
    /// If such an amount is below `abstol`, errors decide how much of it there is later.
    pub growing: &'static [&'static str],
    /// Roots of numbers that may be zero, where their derivatives are not finite: formulas to be read
    /// by people, such as `sqrt(level)`. Implicit methods need these derivatives.
    pub steep: &'static [&'static str],
    /// Numbers that jump where states pass a value, such as the sign of a velocity: formulas to be read
    /// by people.
    pub jumps: &'static [&'static str],
    /// Operations of the right-hand side, the Jacobian, the parameter Jacobian and the time
    /// gradient.
    pub operations: [Operations; 4],
    /// Operations of the right-hand side as it was written, before simplification.
    pub written: u64,
    /// Operations of the right-hand side whose results are used more than once, and computed once.
    pub shared: usize,
    /// How the linear equations of implicit methods are solved.
    pub linear: LinearEquations,
}

/// Operations of a function after simplification; what occurs twice counts once.
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
    /// From the counts, in the order of the fields.
    #[must_use]
    pub const fn new(
        [sums, products, fused, quotients, functions, selections]: [u32; 6],
    ) -> Operations {
        Operations { sums, products, fused, quotients, functions, selections }
    }

    /// How long a function of them is to compile, and to run: an elementary function counts as
    /// nine.
    #[must_use]
    pub const fn weight(&self) -> u32 {
        self.total() + 8 * self.functions
    }

    /// All of them.
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
    /// By straight-line code over the nonzeros, in an order chosen for little fill.
    Nonzeros {
        /// Operations of a factorisation, with those of the Jacobian.
        factor: Operations,
        /// Operations of a solution with the factors.
        solve: Operations,
    },
    /// By loops over all entries.
    Loops {
        /// Straight-line code would take more operations than this.
        limit: usize,
    },
    /// By loops over all entries, since nearly all are needed.
    Full,
    /// By loops over all entries, with partial pivoting: asked for by `pivoting = "on"`, or because
    /// there are algebraic equations and few unknowns.
    Pivoting,
}
