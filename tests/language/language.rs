//! The language of right-hand sides, rule by rule, and the forms of a system.
//!
//! A rule is a pair of cases ([`cases`]): one in `accepted` and one of the same name in `refused`,
//! with the message that a user gets ([`ui`]). The guide ([`guide`]) shows both. Rustc compiles an
//! accepted case unchanged, and `#[ode_system]` compiles it too; both compute the same. The groups
//! `newcomer`, `several` and `interface` have no rules. They contain mistakes that people make,
//! several errors in one program, and errors outside of right-hand sides.

// Each case shows one thing, and some cases contain code that people would not write.
#![allow(
    clippy::eq_op,
    clippy::needless_late_init,
    clippy::needless_return,
    clippy::redundant_closure_call
)]

#[path = "accepted/arrays.rs"]
mod arrays;
#[path = "accepted/control.rs"]
mod control;
#[path = "accepted/effects.rs"]
mod effects;
#[path = "accepted/events.rs"]
mod events;
#[path = "accepted/features.rs"]
mod features;
#[path = "accepted/functions.rs"]
mod functions;
#[path = "accepted/integers.rs"]
mod integers;
#[path = "accepted/jumps.rs"]
mod jumps;
#[path = "accepted/modules.rs"]
mod modules;
#[path = "accepted/noise.rs"]
mod noise;
#[path = "../support/random.rs"]
mod random;
#[path = "accepted/signature.rs"]
mod signature;
#[path = "../support/special.rs"]
mod special;
#[path = "accepted/statements.rs"]
mod statements;
#[path = "../systems/mod.rs"]
mod systems;
#[path = "accepted/values.rs"]
mod values;

mod cases;
mod composed;
mod fragments;
mod guide;
mod module_form;
mod names;
mod report;
mod rustc;
mod seams;
mod tables;
mod ui;

use odes::system::{Rhs, System};
use random::Random;

/// A right-hand side as rustc compiled it; `M` selects its arguments.
trait Plain<M, const N: usize, const P: usize> {
    fn derivatives(&self, u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N];
}

struct Nothing;
struct Parameters;
struct Time;
struct Everything;
struct Returned<M>(M);

/// Returns the array that a function writes.
fn written<const N: usize>(f: impl FnOnce(&mut [f64; N])) -> [f64; N] {
    let mut du = [f64::NAN; N];
    f(&mut du);
    du
}

impl<F: Fn(&mut [f64; N], &[f64; N]), const N: usize> Plain<Nothing, N, 0> for F {
    fn derivatives(&self, u: &[f64; N], _: &[f64; 0], _: f64) -> [f64; N] {
        written(|du| self(du, u))
    }
}

impl<F, const N: usize, const P: usize> Plain<Parameters, N, P> for F
where
    F: Fn(&mut [f64; N], &[f64; N], &[f64; P]),
{
    fn derivatives(&self, u: &[f64; N], p: &[f64; P], _: f64) -> [f64; N] {
        written(|du| self(du, u, p))
    }
}

impl<F: Fn(&mut [f64; N], &[f64; N], f64), const N: usize> Plain<Time, N, 0> for F {
    fn derivatives(&self, u: &[f64; N], _: &[f64; 0], t: f64) -> [f64; N] {
        written(|du| self(du, u, t))
    }
}

impl<F, const N: usize, const P: usize> Plain<Everything, N, P> for F
where
    F: Fn(&mut [f64; N], &[f64; N], &[f64; P], f64),
{
    fn derivatives(&self, u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N] {
        written(|du| self(du, u, p, t))
    }
}

impl<F: Fn(&[f64; N]) -> [f64; N], const N: usize> Plain<Returned<Nothing>, N, 0> for F {
    fn derivatives(&self, u: &[f64; N], _: &[f64; 0], _: f64) -> [f64; N] {
        self(u)
    }
}

impl<F, const N: usize, const P: usize> Plain<Returned<Parameters>, N, P> for F
where
    F: Fn(&[f64; N], &[f64; P]) -> [f64; N],
{
    fn derivatives(&self, u: &[f64; N], p: &[f64; P], _: f64) -> [f64; N] {
        self(u, p)
    }
}

impl<F: Fn(&[f64; N], f64) -> [f64; N], const N: usize> Plain<Returned<Time>, N, 0> for F {
    fn derivatives(&self, u: &[f64; N], _: &[f64; 0], t: f64) -> [f64; N] {
        self(u, t)
    }
}

impl<F, const N: usize, const P: usize> Plain<Returned<Everything>, N, P> for F
where
    F: Fn(&[f64; N], &[f64; P], f64) -> [f64; N],
{
    fn derivatives(&self, u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N] {
        self(u, p, t)
    }
}

/// Asserts that both compute the same, except for the rounding of fused products.
///
/// The points are on both sides of branches.
fn agree<S: System<N, P>, M, const N: usize, const P: usize>(
    system: S,
    plain: impl Plain<M, N, P>,
) {
    let mut random = Random(1);
    for _ in 0..50 {
        let u = std::array::from_fn(|_| random.uniform(-2.0, 2.0));
        let p = std::array::from_fn(|_| random.uniform(0.0, 2.0));
        let t = random.uniform(0.0, 20.0);
        let (compiled, plain) = (system.rhs::<f64>(&u, &p, t), plain.derivatives(&u, &p, t));
        for (a, b) in compiled.iter().zip(plain) {
            let close = (a - b).abs() <= 1e-13 * b.abs().max(1.0);
            assert!(
                close || a.is_nan() && b.is_nan(),
                "{} at {u:?}: {a} and {b}",
                system.info().name
            );
        }
    }
}

#[test]
fn right_hand_sides_are_what_was_written() {
    agree(signature::arguments_are_names::rule, signature::arguments_are_names::rule::call);
    agree(signature::arguments_in_order::rule, signature::arguments_in_order::rule::call);
    agree(
        signature::arguments_of_the_attribute::rule,
        signature::arguments_of_the_attribute::rule::call,
    );
    agree(signature::derivatives_are_mutable::rule, signature::derivatives_are_mutable::rule::call);
    agree(signature::derivatives_have_a_name::rule, signature::derivatives_have_a_name::rule::call);
    agree(signature::free_functions::rule, signature::free_functions::rule::call);
    agree(signature::functions_and_modules::rule, signature::functions_and_modules::rule::call);
    agree(signature::lengths_agree::rule, signature::lengths_agree::rule::call);
    agree(signature::lengths_are_written::rule, signature::lengths_are_written::rule::call);
    agree(signature::not_async::rule, signature::not_async::rule::call);
    agree(signature::not_const::rule, signature::not_const::rule::call);
    agree(signature::not_unsafe::rule, signature::not_unsafe::rule::call);
    agree(signature::references_to_arrays::rule, signature::references_to_arrays::rule::call);
    agree(signature::returned::rule, signature::returned::rule::call);
    agree(signature::some_state::rule, signature::some_state::rule::call);
    agree(values::all_fields::rule, values::all_fields::rule::call);
    agree(values::arithmetic_by_element::rule, values::arithmetic_by_element::rule::call);
    agree(values::casts_to_numbers::rule, values::casts_to_numbers::rule::call);
    agree(values::compared_with_a_point::rule, values::compared_with_a_point::rule::call);
    agree(values::comparisons_of_numbers::rule, values::comparisons_of_numbers::rule::call);
    agree(values::constants_from_outside::rule, values::constants_from_outside::rule::call);
    agree(values::fields_that_are_there::rule, values::fields_that_are_there::rule::call);
    agree(values::floats_have_a_point::rule, values::floats_have_a_point::rule::call);
    agree(values::floats_stay_floats::rule, values::floats_stay_floats::rule::call);
    agree(values::functions_of_floats::rule, values::functions_of_floats::rule::call);
    agree(values::integers_become_floats::rule, values::integers_become_floats::rule::call);
    agree(values::known_names::rule, values::known_names::rule::call);
    agree(values::lengths_of_local_arrays::rule, values::lengths_of_local_arrays::rule::call);
    agree(values::no_bits::rule, values::no_bits::rule::call);
    agree(values::no_boxes::rule, values::no_boxes::rule::call);
    agree(values::no_text::rule, values::no_text::rule::call);
    agree(values::no_types_that_allocate::rule, values::no_types_that_allocate::rule::call);
    agree(values::no_vectors::rule, values::no_vectors::rule::call);
    agree(values::one_float_type::rule, values::one_float_type::rule::call);
    agree(values::plain_paths::rule, values::plain_paths::rule::call);
    agree(values::signs_of_numbers::rule, values::signs_of_numbers::rule::call);
    agree(values::structs_with_named_fields::rule, values::structs_with_named_fields::rule::call);
    agree(values::truth_values_select::rule, values::truth_values_select::rule::call);
    agree(values::tuples::rule, values::tuples::rule::call);
    agree(arrays::abscissae_are_known::rule, arrays::abscissae_are_known::rule::call);
    agree(arrays::abscissae_ascend::rule, arrays::abscissae_ascend::rule::call);
    agree(arrays::arrays_have_elements::rule, arrays::arrays_have_elements::rule::call);
    agree(arrays::elements_by_index::rule, arrays::elements_by_index::rule::call);
    agree(arrays::elements_of_constants::rule, arrays::elements_of_constants::rule::call);
    agree(arrays::index_in_range::rule, arrays::index_in_range::rule::call);
    agree(arrays::index_in_range_in_loops::rule, arrays::index_in_range_in_loops::rule::call);
    agree(arrays::index_known::rule, arrays::index_known::rule::call);
    agree(arrays::index_not_by_state::rule, arrays::index_not_by_state::rule::call);
    agree(arrays::index_not_negative::rule, arrays::index_not_negative::rule::call);
    agree(arrays::lengths_of_from_fn::rule, arrays::lengths_of_from_fn::rule::call);
    agree(arrays::no_parts_by_range::rule, arrays::no_parts_by_range::rule::call);
    agree(arrays::tables::rule, arrays::tables::rule::call);
    agree(arrays::patterns_fit::rule, arrays::patterns_fit::rule::call);
    agree(arrays::points_are_pairs::rule, arrays::points_are_pairs::rule::call);
    agree(arrays::positions_are_floats::rule, arrays::positions_are_floats::rule::call);
    agree(arrays::short_tables_of_lanes::rule, arrays::short_tables_of_lanes::rule::call);
    agree(arrays::tables_have_entries::rule, arrays::tables_have_entries::rule::call);
    agree(statements::all_assigned::rule, statements::all_assigned::rule::call);
    agree(
        statements::arrays_are_assigned_whole::rule,
        statements::arrays_are_assigned_whole::rule::call,
    );
    agree(statements::assigned_before_read::rule, statements::assigned_before_read::rule::call);
    agree(statements::assigned_on_every_path::rule, statements::assigned_on_every_path::rule::call);
    agree(statements::assigned_places::rule, statements::assigned_places::rule::call);
    agree(statements::configuration_outside::rule, statements::configuration_outside::rule::call);
    agree(statements::items::rule, statements::items::rule::call);
    agree(statements::late_on_every_path::rule, statements::late_on_every_path::rule::call);
    agree(statements::no_let_else::rule, statements::no_let_else::rule::call);
    agree(statements::no_mutable_references::rule, statements::no_mutable_references::rule::call);
    agree(statements::one_assignment_each::rule, statements::one_assignment_each::rule::call);
    agree(
        statements::parameters_are_read_only::rule,
        statements::parameters_are_read_only::rule::call,
    );
    agree(statements::patterns_of_let::rule, statements::patterns_of_let::rule::call);
    agree(statements::state_is_read_only::rule, statements::state_is_read_only::rule::call);
    agree(statements::time_is_read_only::rule, statements::time_is_read_only::rule::call);
    agree(statements::use_at_the_head::rule, statements::use_at_the_head::rule::call);
    agree(control::bounds_are_known::rule, control::bounds_are_known::rule::call);
    agree(control::branches_of_one_kind::rule, control::branches_of_one_kind::rule::call);
    agree(control::break_in_loops::rule, control::break_in_loops::rule::call);
    agree(control::break_on_known::rule, control::break_on_known::rule::call);
    agree(
        control::conditions_are_comparisons::rule,
        control::conditions_are_comparisons::rule::call,
    );
    agree(control::constants_of_match::rule, control::constants_of_match::rule::call);
    agree(control::every_value_has_an_arm::rule, control::every_value_has_an_arm::rule::call);
    agree(control::guards_are_known::rule, control::guards_are_known::rule::call);
    agree(control::loops_end::rule, control::loops_end::rule::call);
    agree(control::loops_over_items::rule, control::loops_over_items::rule::call);
    agree(control::match_not_on_floats::rule, control::match_not_on_floats::rule::call);
    agree(control::match_on_known::rule, control::match_on_known::rule::call);
    agree(control::no_if_let::rule, control::no_if_let::rule::call);
    agree(control::no_return::rule, control::no_return::rule::call);
    agree(control::operations_are_limited::rule, control::operations_are_limited::rule::call);
    agree(control::patterns_of_match::rule, control::patterns_of_match::rule::call);
    agree(control::ranges_end::rule, control::ranges_end::rule::call);
    agree(control::steps_are_not_zero::rule, control::steps_are_not_zero::rule::call);
    agree(control::while_on_known::rule, control::while_on_known::rule::call);
    agree(functions::arguments_do_not_change::rule, functions::arguments_do_not_change::rule::call);
    agree(functions::arguments_of_methods::rule, functions::arguments_of_methods::rule::call);
    agree(functions::closures_do_not_assign::rule, functions::closures_do_not_assign::rule::call);
    agree(functions::closures_have_names::rule, functions::closures_have_names::rule::call);
    agree(
        functions::elements_change_by_assignment::rule,
        functions::elements_change_by_assignment::rule::call,
    );
    agree(functions::functions_are_called::rule, functions::functions_are_called::rule::call);
    agree(functions::functions_as_values::rule, functions::functions_as_values::rule::call);
    agree(functions::functions_from_outside::rule, functions::functions_from_outside::rule::call);
    agree(functions::functions_inside::rule, functions::functions_inside::rule::call);
    agree(functions::generic_over_lengths::rule, functions::generic_over_lengths::rule::call);
    agree(functions::iterators::rule, functions::iterators::rule::call);
    agree(functions::known_functions::rule, functions::known_functions::rule::call);
    agree(functions::map_is_for_arrays::rule, functions::map_is_for_arrays::rule::call);
    agree(functions::methods_of_floats::rule, functions::methods_of_floats::rule::call);
    agree(functions::no_recursion::rule, functions::no_recursion::rule::call);
    agree(functions::not_itself::rule, functions::not_itself::rule::call);
    agree(functions::nothing_is_collected::rule, functions::nothing_is_collected::rule::call);
    agree(functions::number_of_arguments::rule, functions::number_of_arguments::rule::call);
    agree(functions::pow_is_for_integers::rule, functions::pow_is_for_integers::rule::call);
    agree(functions::powi_is_known::rule, functions::powi_is_known::rule::call);
    agree(functions::safe_functions::rule, functions::safe_functions::rule::call);
    agree(functions::sums_have_a_type::rule, functions::sums_have_a_type::rule::call);
    agree(integers::fits_some_type::rule, integers::fits_some_type::rule::call);
    agree(integers::no_division_by_zero::rule, integers::no_division_by_zero::rule::call);
    agree(integers::no_overflow::rule, integers::no_overflow::rule::call);
    agree(integers::not_below_zero::rule, integers::not_below_zero::rule::call);
    agree(integers::not_by_state::rule, integers::not_by_state::rule::call);
    agree(effects::no_assertions::rule, effects::no_assertions::rule::call);
    agree(effects::no_options::rule, effects::no_options::rule::call);
    agree(effects::no_other_macros::rule, effects::no_other_macros::rule::call);
    agree(effects::no_output::rule, effects::no_output::rule::call);
    agree(effects::no_panic::rule, effects::no_panic::rule::call);
    agree(effects::no_question_mark::rule, effects::no_question_mark::rule::call);
    agree(effects::nothing_unsafe::rule, effects::nothing_unsafe::rule::call);
    agree(effects::only_numbers_decide::rule, effects::only_numbers_decide::rule::call);
}

/// In other precisions, generic, and as modules.
#[test]
fn right_hand_sides_of_other_forms_too() {
    let mut single = [0.0];
    signature::one_precision::rule::call(&mut single, &[0.75], &[1.5]);
    assert_eq!(signature::one_precision::rule.rhs::<f32>(&[0.75], &[1.5], 0.0), single);
    agree(
        signature::generic_over_numbers::rule,
        signature::generic_over_numbers::rule::call::<f64>,
    );
    agree(signature::bounds_in_place::rule, signature::bounds_in_place::rule::call::<f64>);
    agree(signature::lengths_are_numbers::rule, signature::lengths_are_numbers::rule::rhs);
    agree(values::structs_are_seen::rule, values::structs_are_seen::rule::rhs);
    agree(modules::right_hand_side::rule, modules::right_hand_side::rule::rhs);
    agree(modules::aliases::rule, modules::aliases::rule::rhs);
    agree(modules::methods::rule, |u: &[f64; 1], p: &[f64; 2]| {
        modules::methods::rule::rhs(u, &(*p).into())
    });
    agree(modules::written_in_place::rule, modules::written_in_place::rule::rhs);
    agree(modules::names_of_the_module::rule, modules::names_of_the_module::rule::rhs);
    agree(modules::use_in_the_module::rule, modules::use_in_the_module::rule::rhs);
    agree(modules::observables_are_returned::rule, modules::observables_are_returned::rule::rhs);
    agree(modules::observables_are_floats::rule, modules::observables_are_floats::rule::rhs);
    agree(modules::jacobians_are_right::rule, modules::jacobians_are_right::rule::rhs);
    agree(modules::jacobians_are_square::rule, modules::jacobians_are_square::rule::rhs);
    agree(modules::masses_are_constants::rule, modules::masses_are_constants::rule::rhs);
    agree(modules::masses_do_not_vary::rule, modules::masses_do_not_vary::rule::rhs);
    agree(modules::masses_are_square::rule, modules::masses_are_square::rule::rhs);
    agree(modules::masses_are_written::rule, modules::masses_are_written::rule::rhs);
    agree(modules::masses_are_finite::rule, modules::masses_are_finite::rule::rhs);
    agree(modules::masses_are_of_modules::rule, modules::masses_are_of_modules::rule::rhs);
    agree(modules::one_mass_matrix::rule, modules::one_mass_matrix::rule::rhs);
    agree(modules::masses_from_outside::rule, modules::masses_from_outside::rule::rhs);
    agree(modules::equations_have_unknowns::rule, modules::equations_have_unknowns::rule::rhs);
    agree(modules::domains_are_conditions::rule, modules::domains_are_conditions::rule::rhs);
    agree(modules::domains_have_states::rule, modules::domains_have_states::rule::rhs);
    agree(modules::fields::rule, |u: &[f64; 2], p: &[f64; 1]| -> [f64; 2] {
        modules::fields::rule::rhs(&(*u).into(), &(*p).into()).into()
    });
    agree(modules::numbers_only::rule, |u: &[f64; 1], p: &[f64; 2]| {
        modules::numbers_only::rule::rhs(u, &(*p).into())
    });
}
