//! Functions in their final form: separate graphs with expanded powers and fused products.

use crate::emit::Results;
use crate::functions::Cost;
use crate::fuse::{self, Fusion};
use crate::graph::{Graph, Id, Node, Scope};

/// The numbers of states, parameters, factor entries, learnt parameters and data of a trajectory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub states: usize,
    pub parameters: usize,
    pub factors: usize,
    /// The number of Wiener processes.
    pub processes: usize,
    pub learnt: usize,
    pub data: usize,
    /// The number of nonzeros of the Jacobian if there are gradients, then at least one.
    pub curve: usize,
}

impl Sizes {
    /// Returns the inputs, constants and tables that a function may mention.
    ///
    /// The inputs are its arguments (see `print::arguments`); `system` contains the constants and
    /// tables.
    fn scope(self, function: &str, system: &Scope) -> Scope {
        let Sizes { states, parameters, factors, processes, learnt, data, curve } = self;
        let both = states + parameters;
        let Scope { constants, tables, .. } = *system;
        let outside = Scope { constants, tables, ..Scope::default() };
        match function {
            "solve" => Scope { factors, vector: states, ..outside },
            "eliminate" => Scope { factors, ..outside },
            "mass" => Scope { vector: states, ..outside },
            "break_times" | "action_times" | "abscissae" => Scope { parameters, ..outside },
            "due_flags" | "dues_by_parameters" | "stop_by_parameters" => {
                Scope { parameters, time: true, scale: true, ..outside }
            }
            "pull_back" | "event_slopes" => {
                Scope { states, parameters, time: true, vector: states, ..outside }
            }
            "actions_by_state" | "actions_by_parameters" | "actions_by_time" => Scope {
                states,
                parameters,
                time: true,
                factors: parameters,
                vector: states,
                ..outside
            },
            "noise_sum" | "noise_milstein" | "noise_pull_back" | "milstein_pull_back" => Scope {
                states,
                parameters,
                time: true,
                vector: processes,
                factors: if function.ends_with("pull_back") { states } else { 0 },
                scale: function.contains("milstein"),
                ..outside
            },
            "solve_transposed" => Scope { factors, states, ..outside },
            "curve" => Scope { states, vector: states, ..outside },
            "curve_more" => Scope { factors: curve, states, vector: states, ..outside },
            "curved" => {
                Scope { states, parameters, time: true, factors: curve, vector: states, ..outside }
            }
            "pulled_state" | "pulled_parameters" => Scope { factors: both, ..outside },
            "lost_value" | "lost_state" | "lost_parameters" => {
                Scope { factors: 1 + both, ..outside }
            }
            "initial" | "given" | "begun" => {
                let vector = if function == "begun" { both } else { 0 };
                Scope { states: learnt, parameters: data, vector, ..outside }
            }
            _ => Scope {
                states,
                parameters,
                time: true,
                scale: matches!(
                    function,
                    "factor" | "matrix" | "step_bounds" | "jump_actions" | "jump_modes"
                ),
                ..outside
            },
        }
    }
}

/// A function in its final form.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub name: &'static str,
    pub graph: Graph,
    pub results: Results,
}

/// The number of operations of each kind, in the order of `ode_core::report::Operations`.
pub(crate) type Counts = [u32; 6];

impl Lowered {
    pub(crate) fn new(name: &'static str, graph: &Graph, results: Results, fusion: Fusion) -> Self {
        let (graph, roots) = fuse::fuse(graph, &results.roots(), fusion);
        Lowered { name, graph, results: results.with_roots(roots) }
    }

    /// Checks the graph after `fuse`, see [`Graph::validate`].
    pub(crate) fn validate(&self, sizes: Sizes, system: &Scope) {
        let Lowered { name, graph, results } = self;
        let scope = sizes.scope(name, system);
        graph.validate("fuse", &scope, results.kind(), results.roots());
    }

    /// Returns the nodes that the function needs.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = Node> {
        let reachable = self.graph.reachable(&self.results.roots());
        self.graph.ids().zip(reachable).filter(|(_, is)| *is).map(|(id, _)| self.graph.node(id))
    }

    /// Returns the number of operations of the function; an elementary function counts as nine.
    pub(crate) fn weight(&self) -> u32 {
        let counts = self.counts();
        counts.iter().sum::<u32>() + 8 * Cost::Function.position().map_or(0, |at| counts[at])
    }

    /// Returns the operation counts of the function, by kind.
    pub(crate) fn counts(&self) -> Counts {
        let reachable = self.graph.reachable(&self.results.roots());
        let mut counts = [0_u32; 6];
        for id in self.graph.ids().filter(|id| reachable[id.index()]) {
            if let Some(position) = cost(self.graph.node(id)).position() {
                counts[position] += 1;
            }
        }
        counts
    }

    /// Returns the number of operations with results that are used more than once.
    pub(crate) fn shared(&self) -> usize {
        let uses = fuse::count_uses(&self.graph, &self.results.roots());
        let shared = |id: &Id| uses[id.index()] > 1 && cost(self.graph.node(*id)) != Cost::Free;
        self.graph.ids().filter(shared).count()
    }
}

/// Returns the kind of operation that a node counts as.
fn cost(node: Node) -> Cost {
    match node {
        Node::Literal(_) | Node::Constant(_) | Node::Input(_) => Cost::Free,
        Node::Unary(function, _) => function.row().cost,
        Node::Binary(function, ..) => function.row().cost,
        Node::Powi(..) => Cost::Product,
        Node::MulAdd(..) => Cost::Fused,
        Node::Compare(..)
        | Node::And(..)
        | Node::Or(..)
        | Node::Not(_)
        | Node::Select(..)
        | Node::Lookup(..) => Cost::Choice,
    }
}
