//! Compilation of an elaborated system to [`CompiledSystem`]: all facts about the system, as data.
//!
//! This module produces no text. It computes derivatives, factorises the linear equations of
//! implicit methods, brings functions into their final form, and counts operations for reports. The
//! printers in `print` produce the text: Rust for the macro, and a
//! [`Dialect`](crate::print::Dialect) for devices.

mod bounds;
mod dependent;
mod derivatives;
mod event_gradients;
mod events;
mod facts;
mod features;
mod gradients;
mod jumps;
mod linear;
mod lowered;
pub(crate) mod mass;
mod noise;
mod points;
mod polynomial;
mod timed;

use std::collections::HashSet;

use proc_macro2::Ident;

use self::derivatives::Derivatives;
pub(crate) use self::facts::{Capability, Fact, FactValue, Settings};
pub(crate) use self::linear::Linear;
pub(crate) use self::lowered::{Counts, Lowered, Sizes};
pub(crate) use self::mass::Mass;
pub(crate) use self::noise::NoiseKind;
use crate::ast::{Law, Purpose, System};
use crate::breaks::formula::Formula;
use crate::breaks::{self, Breaks};
use crate::derive;
use crate::elaborate::table::{Constant, Table};
use crate::elaborate::{Elaborated, Noisy};
use crate::emit::Results;
use crate::factor::{self, Unsuitable};
use crate::graph::{Graph, Id, InputNode, Kind, Node, Scope};
use crate::{hints, poles};

/// A compiled system.
#[derive(Debug)]
pub struct CompiledSystem {
    pub(crate) info: Info,
    pub(crate) facts: Vec<Fact>,
    pub(crate) sizes: Sizes,
    /// The functions of the system.
    ///
    /// They are `rhs`, `jacobian`, `parameter_jacobian` and `time_gradient`; `observables`, if
    /// there are any; those of [`linear`](Self::linear); `mass` and `out_of_domain`, if the system
    /// has them.
    pub(crate) functions: Vec<Lowered>,
    /// The times of breaks that are functions of the parameters, in the order of
    /// [`Info::parameter_breaks`].
    pub(crate) break_times: Option<Lowered>,
    /// The times of scheduled actions.
    pub(crate) action_times: Option<Lowered>,
    /// The abscissae of all tables in [`Info::abscissae`].
    pub(crate) abscissae: Option<Lowered>,
    /// The laws of the random numbers of jumps, for each jump.
    pub(crate) laws: Vec<Option<Law>>,
    pub(crate) linear: Linear,
    pub(crate) mass: Option<Mass>,
    pub(crate) breaks: Breaks,
    /// The graph with the nodes of [`breaks`](Self::breaks).
    pub(crate) graph: Graph,
    /// The constants and tables, indexed by [`Node::Constant`] and [`Node::Lookup`].
    pub(crate) constants: Vec<Mentioned>,
    pub(crate) tables: Vec<Mentioned>,
}

/// The facts about a system in reports and in the constants of the trait `System`.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    pub name: String,
    pub states: Vec<String>,
    pub parameters: Vec<String>,
    pub observables: Vec<String>,
    pub events: Vec<String>,
    /// The names of the results of features.
    pub features: Vec<String>,
    /// The names of the modes, if actions change modes.
    pub modes: Vec<String>,
    /// The kind of the noise, if there is any.
    pub noise: Option<NoiseKind>,
    /// The names of the learnt parameters.
    pub learnt: Vec<String>,
    /// The positions of nonzeros, row by row.
    pub jacobian_pattern: Vec<(usize, usize)>,
    pub parameter_pattern: Vec<(usize, usize)>,
    pub time_pattern: Vec<usize>,
    /// The operation counts of the right-hand side and its derivatives.
    ///
    /// The derivatives are with respect to state, parameters and time, in this order.
    pub operations: [Counts; 4],
    /// The number of operations of the right-hand side as written.
    pub written: u64,
    /// The number of operations of the right-hand side with several uses.
    pub shared: usize,
    /// The times of breaks that are functions of the parameters, as formulas.
    pub parameter_breaks: Vec<String>,
    /// The abscissae of each table whose abscissae depend on parameters, as formulas.
    pub abscissae: Vec<Vec<String>>,
    /// The divisors that are zero for some states, as formulas.
    pub poles: Vec<String>,
    /// The names of states that reinforce themselves.
    pub growing: Vec<String>,
    /// Roots with possibly infinite derivatives, and numbers that jump where states cross a value.
    ///
    /// Both are formulas.
    pub steep: Vec<String>,
    pub jumps: Vec<String>,
}

/// The name of a constant or a table in functions.
#[derive(Clone, Debug)]
pub(crate) struct Mentioned {
    /// The name, which is unique and still shows the origin.
    pub name: String,
    /// Whether a function mentions the constant or the table.
    pub needed: bool,
    /// The entries of a table; `None` if only rustc can compute the values.
    pub values: Option<Vec<f64>>,
}

/// The items from outside that a system mentions.
///
/// Only rustc can compute their values. They are tokens for the Rust printer, and not part of the
/// data.
pub(crate) struct Outside {
    /// The `use` declarations that constants may need.
    pub uses: Vec<syn::ItemUse>,
    /// The constants and tables of [`CompiledSystem`].
    pub constants: Vec<Constant>,
    pub tables: Vec<Table>,
    /// The constant with the mass matrix.
    pub mass: Option<Ident>,
}

/// Returns the constants and tables, with whether `functions` mention them.
fn mentioned<'a>(
    functions: impl Iterator<Item = &'a Lowered>,
    constants: &[Constant],
    tables: &[Table],
) -> [Vec<Mentioned>; 2] {
    let mut needed = (vec![false; constants.len()], vec![false; tables.len()]);
    for node in functions.flat_map(Lowered::nodes) {
        match node {
            Node::Constant(index) => needed.0[index as usize] = true,
            Node::Lookup(index, _) => needed.1[index as usize] = true,
            _ => {}
        }
    }
    let constants =
        constants.iter().zip(needed.0).enumerate().map(|(index, (constant, needed))| {
            let (Constant::Value(outside) | Constant::Last(outside)) = constant;
            Mentioned { name: format!("constant{index}_{}", outside.name), needed, values: None }
        });
    let tables =
        tables.iter().zip(needed.1).enumerate().map(|(index, (table, needed))| match table {
            Table::Known(values) => {
                Mentioned { name: format!("table{index}"), needed, values: Some(values.clone()) }
            }
            Table::Outside { array, .. } => {
                Mentioned { name: format!("table{index}_{}", array.name), needed, values: None }
            }
            Table::Knots { .. } => {
                Mentioned { name: format!("knots{index}"), needed, values: None }
            }
        });
    [constants.collect(), tables.collect()]
}

/// Returns the positions of the nonzeros of a matrix.
fn pattern(rows: &[Vec<Option<Id>>]) -> Vec<(usize, usize)> {
    let rows = rows.iter().enumerate();
    let entries = rows
        .flat_map(|(row, entries)| nonzeros(entries).into_iter().map(move |column| (row, column)));
    entries.collect()
}

fn nonzeros(entries: &[Option<Id>]) -> Vec<usize> {
    (0..entries.len()).filter(|index| entries[*index].is_some()).collect()
}

/// Compiles a system that was elaborated without errors, under this name.
///
/// Returns the compiled system and its items from outside.
pub(crate) fn compile(
    system: &System<'_>,
    mut elaborated: Elaborated<'_>,
    settings: &Settings,
    name: String,
) -> syn::Result<(CompiledSystem, Outside)> {
    let (states, parameters) = (elaborated.states(), elaborated.parameters());
    let (learnt, data) =
        elaborated.beginning.as_ref().map_or((0, 0), |map| (map.learnt(), map.data()));
    // Learnt parameters and the data of a trajectory are inputs of the same kinds.
    let scope = Scope {
        states: states.max(learnt),
        parameters: parameters.max(data),
        time: true,
        constants: elaborated.constants.len(),
        tables: elaborated.tables.len(),
        powers: true,
        // The random numbers of actions of jumps.
        scale: !elaborated.jumps.is_empty(),
        ..Scope::default()
    };
    elaborated.validate("elaborate", &scope);
    let mut by = derivatives(system, &mut elaborated, settings)?;
    elaborated.graph.validate("derive", &scope, Kind::Real, by.ids());
    by.take_by_hand(system, &elaborated, settings)?;
    let positions = bounds::timed(&elaborated.graph, &elaborated.positions);
    let whole: Vec<Id> = elaborated.positions.iter().map(|position| position.whole).collect();
    let looked_up: Vec<Id> = positions.iter().map(|position| position.whole).collect();
    let all = elaborated.points.iter();
    let mut compared: HashSet<Id> =
        all.clone().flat_map(|points| &points.comparisons).copied().collect();
    let searched: HashSet<Id> = all.flat_map(|points| &points.searched).copied().collect();
    let Elaborated { graph, derivatives, modes, happenings, features, noise, .. } = &mut elaborated;
    let events = happenings.iter().map(|event| event.value);
    let events = events.chain(features.iter().map(|feature| feature.value));
    let noise = noise.iter().flat_map(Noisy::ids);
    let roots: Vec<Id> = derivatives.iter().copied().chain(noise).chain(events).collect();
    let breaks = breaks::breaks(graph, &roots, modes, &looked_up, [&compared, &searched]);
    compared.extend(searched);
    elaborated.graph.validate("breaks", &scope, Kind::Real, breaks.ids());
    let Elaborated {
        mut graph,
        derivatives,
        mut mass,
        truths,
        numbers,
        happenings,
        timed,
        conditions,
        jumps: random,
        features,
        noise,
        modes,
        mode_names,
        beginning,
        operations: written,
        constants,
        mut tables,
        points,
        state_names,
        parameter_names,
        ..
    } = elaborated;
    let truth = |of: Purpose| truths.iter().find(|(purpose, _)| *purpose == of).map(|(_, id)| *id);
    let out_of_domain = truth(Purpose::Domain);
    let mut rhs: Vec<Option<Id>> = derivatives.into_iter().map(Some).collect();
    if let Some(mass) = &mut mass {
        dependent::combine(&mut graph, mass, &mut rhs, &mut by);
        let made = rhs.iter().flatten().copied().chain(by.ids());
        graph.validate("dependent", &scope, Kind::Real, made);
    }
    let bounds = self::bounds::Made {
        graph: &mut graph,
        tables: &mut tables,
        rhs: &rhs.iter().flatten().copied().collect::<Vec<Id>>(),
        mass: mass.is_some(),
        whole: &whole,
        most_nodes: settings.most_nodes(),
    }
    .bounds(&positions, &happenings);
    let scope = Scope { tables: tables.len(), ..scope };
    let jacobian_pattern = pattern(&by.jacobian);
    let parameter_pattern = pattern(&by.parameters);
    let time_pattern = nonzeros(&by.time);

    let diagonal: Vec<Option<Id>> = (0..states).map(|state| by.jacobian[state][state]).collect();
    let all: Vec<Id> = rhs.iter().flatten().copied().collect();
    let hints = hints::hints(&graph, &all, &diagonal, &compared);
    let divisors = poles::poles(&graph, &rhs.iter().flatten().copied().collect::<Vec<Id>>());

    // A comparison with the time has no derivative with respect to the time.
    let events = happenings.iter().map(|event| event.value);
    let events = events.chain(features.iter().map(|feature| feature.value));
    let roots: Vec<Id> = rhs.iter().flatten().copied().chain(out_of_domain).chain(events).collect();
    let reachable = graph.reachable(&roots);
    let time = |id: &Id| graph.node(*id) == Node::Input(InputNode::Time);
    let of_time = graph.ids().filter(time).any(|id| reachable[id.index()]);
    let stepwise = time_pattern.is_empty() && of_time;

    let loss = self::gradients::loss(system, &numbers)?;
    let (observable_names, observed): (Vec<_>, Vec<_>) =
        (numbers.into_iter().filter(|number| number.purpose == Purpose::Observable))
            .map(|number| (number.name, Some(number.id)))
            .unzip();
    let gradients = settings.gradients || loss.is_some() || beginning.is_some();
    let one = graph.literal(1.0);
    let identity = || (0..states).map(|state| vec![(state, one)]).collect();
    let entries = mass.clone().unwrap_or_else(identity);
    let (linear, solving) = match factor::factorization(&graph, &by.jacobian, &entries) {
        Ok(made) => {
            made.validate(&scope);
            Linear::new(made, settings.fusion, gradients)
        }
        Err(Unsuitable::Long { equation_of }) => {
            (Linear::Loops { equation_of, full: false }, Vec::new())
        }
        Err(Unsuitable::Full) => {
            (Linear::Loops { equation_of: (0..states).collect(), full: true }, Vec::new())
        }
        Err(Unsuitable::Singular { equations, unknowns }) => {
            return Err(mass::singular(system, &state_names, &equations, &unknowns));
        }
    };
    let (mass, product) = match (mass, &system.mass) {
        (Some(entries), Some(constant)) => {
            let product = mass::product(&entries, &mut graph);
            (Some(Mass::new(&entries, &graph, constant)), Some(product))
        }
        _ => (None, None),
    };
    let algebraic = mass.as_ref().map_or(0, Mass::algebraic);
    let (linear, solving) = match settings.pivoting || (algebraic > 0 && states <= Linear::TINY) {
        true => (Linear::Pivoting, Vec::new()),
        false => (linear, solving),
    };

    let sizes = [states, parameters];
    let all = (&happenings[..], &timed[..], &conditions[..]);
    let pulled = match gradients {
        true => {
            let rhs: Vec<Id> = rhs.iter().flatten().copied().collect();
            let mut made = self::gradients::Made { graph: &mut graph, system, settings, sizes };
            let mut functions = made.functions(&rhs, &by, loss, beginning.as_ref())?;
            functions.extend(made.of_events(all, &modes, &breaks)?);
            functions
        }
        false => Vec::new(),
    };
    let mut watched: Vec<Id> = happenings.iter().map(|event| event.value).collect();
    watched.extend(self::features::values(&mut graph, &features));
    let of_events =
        self::events::functions(&mut graph, watched, noise.as_ref(), settings, system.name)?;
    let change = self::events::change_modes(all) || self::jumps::change_modes(&random);
    let actions = self::events::actions(&mut graph, all, sizes, &modes, change, settings);
    let of_jumps = self::jumps::functions(&mut graph, &random, sizes, &modes, change, settings);
    self::noise::check_times(system, &timed, &pulled)?;
    if let (Some(mass), Some(_)) = (&system.mass, &noise) {
        let message = "a system with noise cannot have a mass matrix: solve the equations for \
                       the derivatives, and write these";
        return Err(syn::Error::new_spanned(mass.name, message));
    }
    let (noise, of_noise) = match &noise {
        Some(noisy) => {
            let made = self::gradients::Made { graph: &mut graph, system, settings, sizes };
            let (kind, functions) = self::noise::functions(made, noisy, gradients)?;
            (Some(kind), functions)
        }
        None => (None, Vec::new()),
    };
    let (modes, mode_names) = if change { (modes, mode_names) } else { (0..0, Vec::new()) };
    let holds = self::events::holds(&mut graph, &conditions, settings);
    let due = self::timed::due(&mut graph, &timed, settings);
    let action_times = self::timed::times(&mut graph, &timed, settings);
    let lower = |name, results| Lowered::new(name, &graph, results, settings.fusion);
    let mut functions = vec![
        lower("rhs", Results::Vector(rhs)),
        lower("jacobian", Results::Matrix(by.jacobian, states)),
        lower("parameter_jacobian", Results::Matrix(by.parameters, parameters)),
        lower("time_gradient", Results::Vector(by.time)),
    ];
    let operations = [0, 1, 2, 3].map(|index| functions[index].counts());
    let shared = functions[0].shared();
    if !observed.is_empty() {
        functions.push(lower("observables", Results::Vector(observed)));
    }
    functions.extend(of_noise);
    functions.extend(of_events);
    functions.extend(actions);
    functions.extend(due);
    functions.extend(holds);
    functions.extend(of_jumps);
    let count_of_bounds = bounds.len();
    if !bounds.is_empty() {
        let bounds = bounds.into_iter().map(Some).collect();
        functions.push(lower("step_bounds", Results::Vector(bounds)));
    }
    functions.extend(solving);
    functions.extend(product.map(|product| lower("mass", Results::Vector(product))));
    functions.extend(out_of_domain.map(|mask| lower("out_of_domain", Results::Mask(mask))));
    functions.extend(pulled);
    let break_times = (!breaks.of_parameters.is_empty()).then(|| {
        let times = breaks.of_parameters.iter().copied().map(Some).collect();
        lower("break_times", Results::Vector(times))
    });
    let points = points::of_parameters(&graph, &points);
    let abscissae = (!points.is_empty()).then(|| {
        let all = points.iter().flatten().copied().map(Some).collect();
        lower("abscissae", Results::Vector(all))
    });
    let curve = if gradients { jacobian_pattern.len().max(1) } else { 0 };
    let processes = noise.map_or(0, |kind| kind.processes);
    let factors = linear.factors();
    let sizes = Sizes { states, parameters, factors, processes, learnt, data, curve };
    let on_host = || break_times.iter().chain(&action_times).chain(&abscissae);
    functions.iter().chain(on_host()).for_each(|function| function.validate(sizes, &scope));

    let formula = Formula {
        graph: &graph,
        states: &state_names,
        parameters: &parameter_names,
        constants: &constants,
        tables: &tables,
    };
    let parameter_breaks = breaks.of_parameters.iter().map(|time| formula.text(*time)).collect();
    let texts =
        |ids: Vec<Id>| -> Vec<String> { ids.into_iter().map(|id| formula.text(id)).collect() };
    let points = points.into_iter().map(texts).collect();
    let [poles, steep, jumps] = [divisors, hints.steep, hints.jumps].map(texts);
    let growing = hints.growing.into_iter().map(|state| state_names[state].clone()).collect();
    let [mentioned_constants, mentioned_tables] =
        mentioned(functions.iter().chain(on_host()), &constants, &tables);
    let outside = Outside {
        uses: system.uses.iter().copied().cloned().collect(),
        constants,
        tables,
        mass: system.mass.as_ref().map(|mass| mass.name.clone()),
    };
    let is = |capability, name, is| Fact { capability, name, value: FactValue::Is(is) };
    let count = |capability, name, n| Fact { capability, name, value: FactValue::Count(n) };
    let mut facts = vec![
        is(Capability::Rhs, "AUTONOMOUS", time_pattern.is_empty()),
        is(Capability::Rhs, "STEPWISE", stepwise),
        count(Capability::Rhs, "BOUNDS", count_of_bounds),
        is(Capability::MassMatrix, "MASS", mass.is_some()),
        count(Capability::MassMatrix, "ALGEBRAIC", algebraic),
        is(Capability::Domain, "HAS_DOMAIN", out_of_domain.is_some()),
        count(Capability::Observe, "OBSERVABLES", observable_names.len()),
    ];
    facts.extend(self::events::facts(&happenings, &conditions));
    facts.extend(self::timed::facts(&timed));
    facts.extend(self::jumps::facts(&random));
    facts.extend(self::events::of_modes(&modes));
    facts.extend(self::features::facts(&features));
    facts.extend(gradients.then(|| self::event_gradients::fact(&breaks.of_parameters)));
    let happenings = happenings.into_iter().map(|event| event.name);
    let timed = timed.into_iter().map(|timed| timed.name);
    let conditions = conditions.into_iter().map(|condition| condition.name);
    let laws = random.iter().map(|jump| jump.law).collect();
    let of_random = random.into_iter().map(|jump| jump.name);
    let compiled = CompiledSystem {
        facts,
        info: Info {
            name,
            states: state_names,
            parameters: parameter_names,
            observables: observable_names,
            events: happenings.chain(timed).chain(conditions).chain(of_random).collect(),
            features: self::features::names(&features),
            modes: mode_names,
            noise,
            learnt: beginning.map_or(Vec::new(), |beginning| beginning.names),
            jacobian_pattern,
            parameter_pattern,
            time_pattern,
            operations,
            written,
            shared,
            parameter_breaks,
            abscissae: points,
            poles,
            growing,
            steep,
            jumps,
        },
        constants: mentioned_constants,
        tables: mentioned_tables,
        sizes,
        functions,
        break_times,
        action_times,
        abscissae,
        laws,
        linear,
        mass,
        breaks,
        graph,
    };
    Ok((compiled, outside))
}

/// Differentiates the right-hand side.
fn derivatives(
    system: &System<'_>,
    elaborated: &mut Elaborated<'_>,
    settings: &Settings,
) -> syn::Result<Derivatives> {
    let limit = settings.most_nodes();
    let gradients = derive::gradients(&mut elaborated.graph, &elaborated.derivatives, limit);
    let Some(gradients) = gradients else {
        let message = format!(
            "the derivatives of this right-hand side need more than {limit} operations: they are \
             derived symbolically, which suits small systems; use fewer operations or fewer \
             states, or raise the limit by `#[ode_system(limit = {})]`",
            settings.limit.saturating_mul(10)
        );
        return Err(syn::Error::new_spanned(system.name, message));
    };
    Ok(Derivatives::new(elaborated.states(), elaborated.parameters(), &gradients))
}
