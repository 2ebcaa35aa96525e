//! What the compiler made of a system.

use core::fmt;

use crate::system::System;

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

    /// All of them.
    #[must_use]
    pub fn total(&self) -> u32 {
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

/// What the compiler made of a system. `#[ode_system]` gives each one a function `report()`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// The name of the function.
    pub name: &'static str,
    /// Names of the states.
    pub states: &'static [&'static str],
    /// Names of the parameters.
    pub parameters: &'static [&'static str],
    /// Whether the time appears.
    pub depends_on_time: bool,
    /// Names of the observables.
    pub observables: &'static [&'static str],
    /// Operations of the right-hand side as it was written, loops unrolled, before simplification.
    pub written: u64,
    /// Operations of the right-hand side.
    pub rhs: Operations,
    /// Of these, how many have results that are used more than once.
    pub shared: usize,
    /// Operations of the Jacobian, on its own.
    pub jacobian: Operations,
    /// Operations of the derivatives by the parameters, on their own.
    pub parameter_jacobian: Operations,
    /// Operations of the derivative by the time, on its own.
    pub time_gradient: Operations,
    /// Entries of the Jacobian that can be nonzero.
    pub jacobian_nonzeros: usize,
    /// Entries of the factors of `γI - J` that can be nonzero, without a pivot search, in an order
    /// chosen for little fill (Markowitz 1957, restricted to the diagonal).
    pub factor_nonzeros: usize,
    /// Entries of the parameter Jacobian that can be nonzero.
    pub parameter_nonzeros: usize,
}

impl Report {
    /// The report of system `S`.
    #[must_use]
    pub fn of<S: System<N, P>, const N: usize, const P: usize>() -> Report {
        let [rhs, jacobian, parameter_jacobian, time_gradient] = S::OPERATIONS;
        Report {
            name: S::NAME,
            states: const { &S::STATES },
            parameters: const { &S::PARAMETERS },
            depends_on_time: !S::TIME_PATTERN.is_empty(),
            observables: S::OBSERVABLES,
            written: S::WRITTEN,
            rhs,
            shared: S::SHARED,
            jacobian,
            parameter_jacobian,
            time_gradient,
            jacobian_nonzeros: S::JACOBIAN_PATTERN.len(),
            factor_nonzeros: factor_nonzeros(N, S::JACOBIAN_PATTERN),
            parameter_nonzeros: S::PARAMETER_PATTERN.len(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, p) = (self.states.len(), self.parameters.len());
        let names = |names: &[&str]| match names.len() {
            0..=12 => names.join(", "),
            count => format!("{}, … {}", names[..4].join(", "), names[count - 1]),
        };
        writeln!(f, "{}", self.name)?;
        let list = |count: usize, what: &str, all: &[&str]| match count {
            0 => format!("no {what}s"),
            1 => format!("1 {what}: {}", all[0]),
            _ => format!("{count} {what}s: {}", names(all)),
        };
        writeln!(f, "  {}", list(n, "state", self.states))?;
        writeln!(f, "  {}", list(p, "parameter", self.parameters))?;
        let time = if self.depends_on_time { "appears" } else { "does not appear" };
        writeln!(f, "  the time {time}")?;
        if !self.observables.is_empty() {
            let count = self.observables.len();
            writeln!(f, "  {}", list(count, "observable", self.observables))?;
        }
        writeln!(
            f,
            "  right-hand side, {} operations as written: {}; {} used more than once",
            self.written, self.rhs, self.shared
        )?;
        writeln!(
            f,
            "  Jacobian: {} of {} entries, its factors {}: {}",
            self.jacobian_nonzeros,
            n * n,
            self.factor_nonzeros,
            self.jacobian
        )?;
        if p > 0 {
            writeln!(
                f,
                "  by the parameters: {} of {} entries: {}",
                self.parameter_nonzeros,
                n * p,
                self.parameter_jacobian
            )?;
        }
        write!(f, "  by the time: {}", self.time_gradient)
    }
}

/// Nonzeros of the factors of a matrix with this pattern and a full diagonal.
fn factor_nonzeros(n: usize, pattern: &[(usize, usize)]) -> usize {
    let mut nonzero = vec![false; n * n];
    for i in 0..n {
        nonzero[i * n + i] = true;
    }
    for &(row, column) in pattern {
        nonzero[row * n + column] = true;
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut count = 0;
    while !left.is_empty() {
        let in_row = |k: usize| left.iter().filter(|&&j| nonzero[k * n + j]).count();
        let in_column = |k: usize| left.iter().filter(|&&i| nonzero[i * n + k]).count();
        let cost = |k: usize| (in_row(k) - 1) * (in_column(k) - 1);
        let Some(at) = (0..left.len()).min_by_key(|&at| cost(left[at])) else { break };
        let pivot = left[at];
        count += in_row(pivot) + in_column(pivot) - 1;
        left.swap_remove(at);
        for &i in &left {
            for &j in &left {
                nonzero[i * n + j] |= nonzero[i * n + pivot] && nonzero[pivot * n + j];
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_of_an_arrow_fill_nothing_in_the_right_order() {
        // The first row and column are full: eliminated last, they fill nothing.
        let arrow: Vec<_> = (1..6).flat_map(|i| [(0, i), (i, 0)]).collect();
        assert_eq!(factor_nonzeros(6, &arrow), 6 + 10);
        let full: Vec<_> = (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).collect();
        assert_eq!(factor_nonzeros(4, &full), 16);
        assert_eq!(factor_nonzeros(3, &[]), 3);
        // A ring of five: two entries of fill in each triangle.
        let ring: Vec<_> = (0..5).flat_map(|i| [(i, (i + 1) % 5), ((i + 1) % 5, i)]).collect();
        assert_eq!(factor_nonzeros(5, &ring), 5 + 10 + 4);
    }
}
