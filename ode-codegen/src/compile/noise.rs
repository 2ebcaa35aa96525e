//! The functions of noise, and its kind.

use super::gradients::Made;
use super::{Lowered, polynomial};
use crate::ast::{Calculus, System};
use crate::derive::{self, Gradient};
use crate::elaborate::{Factors, Noisy, Scheduled};
use crate::emit::Results;
use crate::graph::{Graph, Id, InputNode, Node};

/// The kind of a system's noise, as in `ode_core::system::NoiseInfo`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoiseKind {
    pub processes: usize,
    pub calculus: Calculus,
    pub additive: bool,
    pub diagonal: bool,
    pub commutative: bool,
    /// Whether each component has a process of its own, whatever its factor depends on.
    pub of_each: bool,
}

/// Returns the sum of two numbers, either of which may be a structural zero.
pub(super) fn sum(graph: &mut Graph, a: Option<Id>, b: Option<Id>) -> Option<Id> {
    match (a, b) {
        (Some(a), Some(b)) => Some(graph.add(a, b)),
        (one, other) => one.or(other),
    }
}

/// Returns whether a number depends on a component of the state that is not `except`.
fn depends(graph: &Graph, id: Id, except: Option<usize>) -> bool {
    let reachable = graph.reachable(&[id]);
    graph.ids().filter(|id| reachable[id.index()]).any(|id| match graph.node(id) {
        Node::Input(InputNode::State(index)) => except != Some(index as usize),
        _ => false,
    })
}

/// Returns the factors of each process in all components; `None` is a structural zero.
pub(super) fn columns(graph: &Graph, factors: &Factors) -> Vec<Vec<Option<Id>>> {
    match factors {
        Factors::Each(factors) => {
            let column = |(process, factor): (usize, &Id)| {
                let mut column = vec![None; factors.len()];
                column[process] = Some(*factor);
                column
            };
            factors.iter().enumerate().map(column).collect()
        }
        Factors::Columns(columns) => {
            let entry = |id: &Id| (!graph.is(*id, 0.0)).then_some(*id);
            columns.iter().map(|column| column.iter().map(entry).collect()).collect()
        }
    }
}

/// The factors of a system's noise, and their derivatives.
struct Derived<'a> {
    graph: &'a mut Graph,
    columns: Vec<Vec<Option<Id>>>,
    /// The gradient of each factor, in the order of `columns`.
    gradients: Vec<Vec<Gradient>>,
}

impl Derived<'_> {
    /// Returns `(g_j · ∇) g_l` in component `k`.
    fn along(&mut self, j: usize, l: usize, k: usize) -> Option<Id> {
        let mut all = None;
        for &(input, derivative) in &self.gradients[l][k].clone() {
            let InputNode::State(i) = input else { continue };
            if let Some(factor) = self.columns[j][i as usize] {
                let term = self.graph.mul(factor, derivative);
                all = sum(self.graph, all, Some(term));
            }
        }
        all.filter(|id| !self.graph.is(*id, 0.0))
    }

    /// Returns whether the derivatives of all pairs of processes commute, by their formulas.
    fn commutes(&mut self) -> bool {
        let processes = self.columns.len();
        let states = self.columns[0].len();
        (0..processes).all(|j| {
            (0..j).all(|l| {
                (0..states).all(|k| {
                    let both = [self.along(j, l, k), self.along(l, j, k)];
                    polynomial::equal(self.graph, both[0], both[1])
                })
            })
        })
    }

    /// Returns `½ Σ_jl (g_j · ∇) g_l (w_j w_l - δ_jl h)` in each component.
    fn milstein(&mut self) -> Vec<Option<Id>> {
        let (processes, states) = (self.columns.len(), self.columns[0].len());
        let weight = |graph: &mut Graph, j: usize| graph.input(InputNode::Vector(j as u32));
        let half = self.graph.literal(0.5);
        let mut component = |k: usize| {
            let mut all = None;
            for j in 0..processes {
                let w = weight(self.graph, j);
                if let Some(along) = self.along(j, j, k) {
                    let square = self.graph.mul(w, w);
                    let scale = self.graph.input(InputNode::Scale);
                    let difference = self.graph.sub(square, scale);
                    let part = self.graph.mul(half, difference);
                    let term = self.graph.mul(along, part);
                    all = sum(self.graph, all, Some(term));
                }
                for l in 0..j {
                    if let Some(along) = self.along(j, l, k) {
                        let v = weight(self.graph, l);
                        let product = self.graph.mul(w, v);
                        let term = self.graph.mul(along, product);
                        all = sum(self.graph, all, Some(term));
                    }
                }
            }
            all
        };
        (0..states).map(&mut component).collect()
    }
}

/// Checks that the times of scheduled actions are constants, if there are gradients.
///
/// A Brownian path has no derivative with respect to the time. `pulled` are the functions for
/// gradients.
pub(super) fn check_times(
    system: &System<'_>,
    timed: &[Scheduled],
    pulled: &[Lowered],
) -> syn::Result<()> {
    let Some(noise) = &system.noise else { return Ok(()) };
    let dues = pulled.iter().find(|function| function.name == "dues_by_parameters");
    let Some(Results::Matrix(rows, _)) = dues.map(|function| &function.results) else {
        return Ok(());
    };
    let moves = |(_, row): &(&Scheduled, &Vec<Option<Id>>)| row.iter().any(Option::is_some);
    match timed.iter().zip(rows).find(moves) {
        Some((action, _)) => {
            let message = format!(
                "the times of `{}` depend on parameters, and the path of the noise has no \
                 derivative with respect to the time: use constant times, or write a module \
                 without gradients",
                action.name
            );
            Err(syn::Error::new_spanned(noise.name, message))
        }
        None => Ok(()),
    }
}

/// Returns the kind of the noise, and its functions.
///
/// `noise_sum` is the sum of all factors, each times a number for its process. `noise_columns` has
/// the factors of diagonal and scalar noise. `noise_milstein` has the second term of Milstein's
/// method, if the noise is commutative. With `differentiable`, there are also products of vectors
/// with the derivatives of the first and of the last.
pub(super) fn functions(
    made: Made<'_, '_>,
    noisy: &Noisy,
    differentiable: bool,
) -> syn::Result<(NoiseKind, Vec<Lowered>)> {
    let Made { graph, system, settings, sizes } = made;
    let factors = noisy.ids();
    let Some(gradients) = derive::gradients(graph, &factors, settings.most_nodes()) else {
        let message = format!(
            "the derivatives of the noise of this system need too many operations; use fewer \
             operations, or raise the limit by `#[ode_system(limit = {})]`",
            settings.limit.saturating_mul(10)
        );
        return Err(syn::Error::new_spanned(system.name, message));
    };
    let columns = columns(graph, &noisy.factors);
    let (processes, states) = (columns.len(), columns[0].len());
    let of_each = matches!(noisy.factors, Factors::Each(_));
    let additive = factors.iter().all(|id| !depends(graph, *id, None));
    let own = |(component, id): (usize, &Id)| !depends(graph, *id, Some(component));
    let diagonal = of_each && factors.iter().enumerate().all(own);
    let gradients: Vec<Vec<Gradient>> = match &noisy.factors {
        Factors::Columns(_) => gradients.chunks(states).map(<[_]>::to_vec).collect(),
        Factors::Each(_) => {
            let column = |(process, gradient): (usize, Gradient)| {
                let mut column = vec![Gradient::new(); states];
                column[process] = gradient;
                column
            };
            gradients.into_iter().enumerate().map(column).collect()
        }
    };
    let mut weighted: Vec<Option<Id>> = vec![None; states];
    for (process, column) in columns.iter().enumerate() {
        let weight = graph.input(InputNode::Vector(process as u32));
        for (all, factor) in weighted.iter_mut().zip(column) {
            let term = factor.map(|factor| graph.mul(factor, weight));
            *all = sum(graph, *all, term);
        }
    }
    let mut derived = Derived { graph, columns, gradients };
    let commutative = additive || diagonal || processes == 1 || derived.commutes();
    let milstein = if commutative { Some(derived.milstein()) } else { None };
    let mut functions = Vec::new();
    if differentiable {
        let mut made = Made { graph, system, settings, sizes };
        functions.push(made.of_noise("noise_pull_back", &weighted)?);
        if let Some(terms) = &milstein {
            functions.push(made.of_noise("milstein_pull_back", terms)?);
        }
    }
    let lower = |name, results| Lowered::new(name, graph, results, settings.fusion);
    functions.push(lower("noise_sum", Results::Vector(weighted)));
    if of_each || processes == 1 {
        let factors = factors.into_iter().map(Some).collect();
        functions.push(lower("noise_columns", Results::Vector(factors)));
    }
    functions.extend(milstein.map(|terms| lower("noise_milstein", Results::Vector(terms))));
    let kind =
        NoiseKind { processes, calculus: noisy.calculus, additive, diagonal, commutative, of_each };
    Ok((kind, functions))
}
