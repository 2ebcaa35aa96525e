//! The C++ of kernels that save chosen states and observables.

use crate::problem::options::SavedComponents;

/// Returns a system whose observables are the saved components of another system, in C++.
///
/// The kernel then saves all its observables and no states. So kernels without a choice of
/// components have no code for it.
pub(super) fn saver(chosen: &SavedComponents, states: usize, parameters: usize) -> String {
    let SavedComponents { states: of_states, observables } = chosen;
    let count = of_states.len() + observables.len();
    let all = match observables.is_empty() {
        true => "",
        false => "        auto all = System::template observables<R>(u, p, t);\n",
    };
    let of_states = of_states.iter().map(|d| format!("u[{d}]"));
    let of_observables = observables.iter().map(|q| format!("all[{q}]"));
    let numbers: Vec<String> = of_states.chain(of_observables).collect();
    let numbers = numbers.join(", ");
    format!(
        "// What is saved, as observables.
struct Saver : System {{
    static constexpr int OBSERVABLES = {count};
    template<class R> static DEVICE Arr<R, {count}> observables(
        const Arr<R, {states}>& u, const Arr<R, {parameters}>& p, R t
    ) {{
{all}        return array({numbers});
    }}
}};
"
    )
}
