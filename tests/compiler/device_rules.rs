//! The rules of the translation to C++, one by one.
//!
//! Each module exercises one rule. It runs in Rust for one lane and for four, and the host's C++
//! compiler compiles it; the test compares the bits. The documentation of `ode_codegen::translate`
//! states the rules.

// The macro's constant `DEVICE` is `pub`, and so are items that other modules name. The rules
// contain people's code, not a linter's version of it.
#![allow(unreachable_pub)]
#![allow(
    clippy::assign_op_pattern,
    clippy::eq_op,
    clippy::excessive_precision,
    clippy::let_and_return,
    clippy::manual_is_multiple_of,
    clippy::nonminimal_bool,
    clippy::unnecessary_cast,
    clippy::while_immutable_condition
)]

mod control;
mod items;
mod names;
mod numbers;
mod operators;
mod values;

/// The module of the translator's golden file.
mod golden {
    include!("../../ode-codegen/tests/golden/device.rs");
}

use crate::cpp::HostCpp;
use crate::random::Random;
use crate::special::special;
use odes::internals::lane::{Bits, Lanes, Portable, Real, Scalar};
use odes_skipped::needs;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// A rule in C++: reads four numbers and writes four.
type Entry<T> = unsafe extern "C" fn(x: *const T, out: *mut T);

/// All rules, compiled together, so that the compiler starts only once, even if it fails.
static LIBRARY: LazyLock<Option<libloading::Library>> = LazyLock::new(|| {
    let cpp = HostCpp::find()?;
    let prelude = ode_core::kernel::Target::Host.prelude();
    let mut source = format!("{prelude}\nnamespace odes {{\n{}\n", ode_core::math::device_source());
    // The modules that a rule calls come before it.
    source += names::typename::DEVICE;
    source += items::shapes::DEVICE;
    for (_, text) in RULES {
        source += text;
    }
    source += "} // namespace odes\n";
    for (name, _) in RULES {
        for (suffix, number) in [("f32", "float"), ("f64", "double")] {
            let _ = write!(
                source,
                r#"
                extern "C" void {name}_{suffix}(const {number}* x, {number}* out) {{
                    odes::Arr<{number}, 4> a;
                    for (int i = 0; i < 4; i++) a[i] = x[i];
                    auto b = odes::{name}::rule(a);
                    for (int i = 0; i < 4; i++) out[i] = b[i];
                }}
                "#
            );
        }
    }
    Some(cpp.compile(&source))
});

/// Returns special numbers of every kind in changing combinations, and ordinary ones.
fn inputs<T: Scalar>() -> Vec<[T; 4]> {
    let special = special::<T>();
    let n = special.len();
    let mut inputs: Vec<[T; 4]> =
        (0..3 * n).map(|i| [1, 3, 5, 7].map(|step| special[(step * i + i / n) % n])).collect();
    let mut random = Random(1);
    inputs.extend((0..77).map(|_| [(); 4].map(|()| T::narrow(random.uniform(-4.0, 4.0)))));
    inputs
}

/// Compares a rule in C++ with the same rule in Rust, in one lane and in `W` lanes.
fn check<T: Scalar, W: Real<Scalar = T>>(
    name: &str,
    library: &libloading::Library,
    one: fn(&[T; 4]) -> [T; 4],
    wide: fn(&[W; 4]) -> [W; 4],
) {
    let symbol = format!("{name}_{}", T::NAME);
    // SAFETY: the function has this type.
    let entry: libloading::Symbol<'_, Entry<T>> =
        unsafe { library.get(symbol.as_bytes()) }.unwrap();
    // The NaN that an operation returns is not defined.
    let same = |a: T, b: T| Real::to_bits(a).equals(Real::to_bits(b)) || a.is_nan() && b.is_nan();
    let inputs = inputs::<T>();
    for group in inputs.chunks_exact(W::LANES) {
        let mut columns = [W::lit(0.0); 4];
        for (lane, x) in group.iter().enumerate() {
            for (column, &value) in columns.iter_mut().zip(x) {
                column.set_lane(lane, value);
            }
        }
        let wide = wide(&columns);
        for (lane, x) in group.iter().enumerate() {
            let mut computed = [T::default(); 4];
            // SAFETY: the pointers are to four numbers each.
            unsafe { entry(x.as_ptr(), computed.as_mut_ptr()) };
            let expected = one(x);
            for i in 0..4 {
                assert!(
                    same(computed[i], expected[i]),
                    "{symbol}({x:?})[{i}]: {:e} in C++, {:e} in Rust",
                    computed[i].widen(),
                    expected[i].widen()
                );
                let in_lane = wide[i].lane(lane);
                assert!(
                    same(in_lane, expected[i]),
                    "{symbol}({x:?})[{i}]: {:e} among {} lanes, {:e} alone",
                    in_lane.widen(),
                    W::LANES,
                    expected[i].widen()
                );
            }
        }
    }
}

macro_rules! rules {
    ($($test:ident: $file:ident::$rule:ident),* $(,)?) => {
        /// The namespace and the text of each rule.
        const RULES: &[(&str, &str)] = &[$((stringify!($rule), $file::$rule::DEVICE)),*];
        $(
            #[needs(cpp)]
            #[test]
            fn $test() {
                use $file::$rule::rule;
                let Some(library) = &*LIBRARY else {
                    eprintln!("skipped: no C++ compiler (c++, g++ or clang++)");
                    return;
                };
                let name = stringify!($rule);
                check::<f32, Lanes<Portable<f32, 4>>>(name, library, rule, rule);
                check::<f64, Lanes<Portable<f64, 4>>>(name, library, rule, rule);
            }
        )*
    };
}

rules! {
    a_shadowed_name_is_a_variable_of_its_own: names::shadowing,
    a_local_does_not_hide_the_item_in_its_value: names::locals_and_items,
    words_of_cpp_are_names: names::reserved,
    names_of_the_prelude_and_of_macros_are_names: names::prelude,

    masks_are_combined_without_becoming_integers: operators::masks,
    bits_wrap_and_shift: operators::bits,
    precedence_is_that_of_rust: operators::precedence,
    integers_have_their_types: operators::integers,

    literals_have_the_precision_of_their_place: numbers::literals,
    single_precision_constants_are_rounded_once: numbers::single_constants,
    products_and_sums_are_rounded_as_written: numbers::rounding,
    methods_of_numbers_are_free_functions: numbers::methods,
    reciprocals_of_infinities_are_none: numbers::reciprocals,
    elementary_functions_are_lane_programs: numbers::elementary,
    comparisons_with_a_nan_are_false: numbers::comparisons,
    extremes_choose_their_argument_for_a_nan: numbers::extremes,
    zero_coefficients_are_left_out_where_it_says_so: numbers::zero_coefficients,

    functions_call_each_other_in_any_order: items::any_order,
    traits_dispatch_statically: items::dispatch,
    associated_types_are_those_of_the_number: items::associated_types,
    constants_are_tables: items::tables,
    generic_arguments_are_written_or_deduced: items::turbofish,
    structs_are_built_field_by_field: items::structs,
    items_of_other_modules_are_named_by_their_module: items::other_modules,
    cold_functions_are_called: items::cold,

    a_block_is_a_value: values::blocks,
    an_if_is_a_value: values::if_values,
    the_last_expression_is_the_result: values::tails,
    arrays_are_values: values::arrays,
    parameters_are_passed_by_reference: values::references,
    statements_are_executed_in_order: values::order,

    for_loops_run_over_constants: control::for_loops,
    loops_are_rolled_where_they_are_long: control::rolled_loops,
    loops_can_be_left_and_continued: control::leaving,
    while_loops_run_at_run_time: control::while_loops,
    an_if_of_constants_is_decided_by_the_compiler: control::constant_if,
    an_if_at_run_time_is_a_branch: control::run_time_if,

    rules_apply_together: golden::sample,
}
