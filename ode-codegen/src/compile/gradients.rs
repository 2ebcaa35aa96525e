//! The functions for gradients:
//!
//! * products of vectors with the derivatives of the right-hand side;
//! * the same products for the noise, if there is any;
//! * the loss with its derivatives;
//! * the initial states and parameters as functions of learnt parameters.
//!
//! A pull-back is one function with the derivatives with respect to states and to parameters,
//! because both share most of their operations. Its value is one array, which `pulled_state` and
//! `pulled_parameters` split.
//!
//! The gradient of a Rosenbrock method solves with the transposed matrix, which is a reverse sweep
//! over the graph of the solution. It takes the derivatives of the Jacobian in one sweep for all
//! stages.

use super::derivatives::Derivatives;
use super::{Lowered, Settings};
use crate::ast::{Purpose, System};
use crate::derive::reverse;
use crate::elaborate::{Beginning, Number};
use crate::emit::Results;
use crate::graph::{Graph, Id, InputNode};

/// Returns the node of the loss, if there is one.
pub(super) fn loss(system: &System<'_>, numbers: &[Number]) -> syn::Result<Option<Id>> {
    let mut losses = system.others.iter().filter(|(purpose, _)| *purpose == Purpose::Loss);
    losses.next();
    if let Some((_, second)) = losses.next() {
        let message = "a system has only one loss: remove `#[loss]` from both functions, and add \
                       their values in a third function with `#[loss]`";
        return Err(syn::Error::new_spanned(second.name, message));
    }
    let mut numbers = numbers.iter().filter(|number| number.purpose == Purpose::Loss);
    match (numbers.next(), numbers.next()) {
        (Some(_), Some(_)) => {
            let part = system.other(Purpose::Loss).map(|part| part.name);
            let message = "a loss must be one number: a fit minimises its sum over all saved times \
                           and trajectories; return one `f64`, such as a sum of squares";
            Err(syn::Error::new_spanned(part.unwrap_or(system.name), message))
        }
        (first, _) => Ok(first.map(|number| number.id)),
    }
}

/// The input for the generation of these functions.
pub(super) struct Made<'a, 's> {
    pub graph: &'a mut Graph,
    pub system: &'a System<'s>,
    pub settings: &'a Settings,
    pub sizes: [usize; 2],
}

impl Made<'_, '_> {
    /// Returns all functions for gradients.
    pub(super) fn functions(
        &mut self,
        rhs: &[Id],
        by: &Derivatives,
        loss: Option<Id>,
        beginning: Option<&Beginning<'_>>,
    ) -> syn::Result<Vec<Lowered>> {
        let [states, parameters] = self.sizes;
        let both = states + parameters;
        let mut functions = vec![self.of_rhs(rhs, by)?];
        functions.extend(self.curvature(by)?);
        functions.push(self.part("pulled_state", 0, states));
        functions.push(self.part("pulled_parameters", states, parameters));
        if let Some(loss) = loss {
            let one = self.graph.literal(1.0);
            let inputs = self.pull_back(&[(loss, one)])?;
            let mut results = vec![Some(loss)];
            results.extend(self.arranged(&inputs));
            functions.push(self.lower("loss", results));
            functions.push(self.part("lost_value", 0, 1));
            functions.push(self.part("lost_state", 1, states));
            functions.push(self.part("lost_parameters", 1 + states, parameters));
        }
        if let Some(beginning) = beginning {
            let Beginning { initial, parameters, .. } = beginning;
            let all: Vec<Id> = initial.iter().chain(parameters).copied().collect();
            let cotangents = (0..both).map(|i| self.graph.input(InputNode::Vector(i as u32)));
            let roots: Vec<(Id, Id)> =
                all.into_iter().zip(cotangents.collect::<Vec<_>>()).collect();
            let inputs = self.pull_back(&roots)?;
            let mut results = vec![None; beginning.learnt()];
            for (input, id) in inputs {
                if let InputNode::State(index) = input {
                    results[index as usize] = Some(id);
                }
            }
            let some = |ids: &[Id]| ids.iter().copied().map(Some).collect();
            functions.push(self.lower("initial", some(initial)));
            functions.push(self.lower("given", some(parameters)));
            functions.push(self.lower("begun", results));
        }
        Ok(functions)
    }

    /// Returns the product of a vector with the derivatives of the right-hand side.
    ///
    /// It uses a reverse sweep or the entries of the Jacobians, whichever takes fewer operations.
    fn of_rhs(&mut self, rhs: &[Id], by: &Derivatives) -> syn::Result<Lowered> {
        let [states, parameters] = self.sizes;
        let cotangents: Vec<Id> =
            (0..states).map(|row| self.graph.input(InputNode::Vector(row as u32))).collect();
        let roots: Vec<(Id, Id)> = rhs.iter().copied().zip(cotangents.iter().copied()).collect();
        let swept = self.pull_back(&roots)?;
        let swept = self.arranged(&swept);
        let swept = self.lower("pull_back", swept);
        let mut product = |rows: &[Vec<Option<Id>>], column: usize| {
            let entries =
                rows.iter().zip(&cotangents).filter_map(|(row, b)| Some((row[column]?, *b)));
            let products: Vec<Id> = entries.map(|(entry, b)| self.graph.mul(entry, b)).collect();
            products.into_iter().reduce(|sum, product| self.graph.add(sum, product))
        };
        let mut products: Vec<Option<Id>> =
            (0..states).map(|column| product(&by.jacobian, column)).collect();
        products.extend((0..parameters).map(|column| product(&by.parameters, column)));
        let products = self.lower("pull_back", products);
        Ok(if products.weight() < swept.weight() { products } else { swept })
    }

    /// Returns the product of a vector with the derivatives of `sums`, a function of the noise.
    ///
    /// The vector is the input `w`, since `b` has the numbers of the processes.
    pub(super) fn of_noise(
        &mut self,
        name: &'static str,
        sums: &[Option<Id>],
    ) -> syn::Result<Lowered> {
        let mut roots = Vec::with_capacity(sums.len());
        for (component, sum) in sums.iter().enumerate() {
            if let Some(sum) = *sum {
                roots.push((sum, self.graph.input(InputNode::Factor(component as u32))));
            }
        }
        let inputs = self.pull_back(&roots)?;
        Ok(self.lower(name, self.arranged(&inputs)))
    }

    /// Returns the functions for adjoints of Rosenbrock methods.
    ///
    /// The steps of these methods contain the Jacobian and the time derivative. The functions
    /// compute the derivatives of `Σ w_rc J_rc + bᵀ ∂f/∂t` with respect to states and parameters,
    /// where `w` are the entries of a matrix at the nonzeros of the Jacobian. They also compute
    /// this matrix as a sum of products `b uᵀ`. A step needs one sweep, instead of one for each
    /// stage.
    fn curvature(&mut self, by: &Derivatives) -> syn::Result<[Lowered; 3]> {
        let mut roots = Vec::new();
        let (mut first, mut more) = (Vec::new(), Vec::new());
        for (row, entries) in by.jacobian.iter().enumerate() {
            for (column, entry) in entries.iter().enumerate() {
                let Some(entry) = *entry else { continue };
                let weight = self.graph.input(InputNode::Factor(roots.len() as u32));
                roots.push((entry, weight));
                let b = self.graph.input(InputNode::Vector(row as u32));
                let u = self.graph.input(InputNode::State(column as u32));
                let product = self.graph.mul(b, u);
                first.push(Some(product));
                more.push(Some(self.graph.add(weight, product)));
            }
        }
        if roots.is_empty() {
            // C++ has no empty arrays.
            (first, more) = (vec![None], vec![None]);
        }
        for (row, entry) in by.time.iter().enumerate() {
            if let Some(entry) = *entry {
                roots.push((entry, self.graph.input(InputNode::Vector(row as u32))));
            }
        }
        let inputs = self.pull_back(&roots)?;
        let curved = self.arranged(&inputs);
        Ok([
            self.lower("curve", first),
            self.lower("curve_more", more),
            self.lower("curved", curved),
        ])
    }

    /// Returns the derivatives with respect to states and parameters, in one row.
    fn arranged(&self, inputs: &[(InputNode, Id)]) -> Vec<Option<Id>> {
        let [states, parameters] = self.sizes;
        let mut all = vec![None; states + parameters];
        for &(input, id) in inputs {
            match input {
                InputNode::State(index) => all[index as usize] = Some(id),
                InputNode::Parameter(index) => all[states + index as usize] = Some(id),
                _ => {}
            }
        }
        all
    }

    /// Returns the products of the cotangents of `roots` with the derivatives of `roots`.
    pub(super) fn pull_back(&mut self, roots: &[(Id, Id)]) -> syn::Result<Vec<(InputNode, Id)>> {
        let limit = self.settings.most_nodes();
        reverse::pull_back(self.graph, roots, limit).ok_or_else(|| self.too_long())
    }

    /// Returns the error of derivatives that need too many operations.
    pub(super) fn too_long(&self) -> syn::Error {
        let message = format!(
            "the gradients of this system need more than {} operations; use fewer operations, or \
             raise the limit by `#[ode_system(limit = {})]`",
            self.settings.most_nodes(),
            self.settings.limit.saturating_mul(10)
        );
        syn::Error::new_spanned(self.system.name, message)
    }

    /// Returns the function for the part of an array that begins at `from`.
    fn part(&mut self, name: &'static str, from: usize, count: usize) -> Lowered {
        let entries =
            (from..from + count).map(|i| Some(self.graph.input(InputNode::Factor(i as u32))));
        let entries = entries.collect();
        self.lower(name, entries)
    }

    fn lower(&self, name: &'static str, results: Vec<Option<Id>>) -> Lowered {
        self.lower_as(name, Results::Vector(results))
    }

    /// Returns a function with results in this arrangement.
    pub(super) fn lower_as(&self, name: &'static str, results: Results) -> Lowered {
        Lowered::new(name, self.graph, results, self.settings.fusion)
    }
}
