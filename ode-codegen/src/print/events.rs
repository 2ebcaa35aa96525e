//! Functions for one event, scheduled action, jump or step bound, as the loop calls them.
//!
//! The generated functions compute all of them. The compiler that reads the text removes those that
//! are not used.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

use super::{arguments_of, receiver};
use crate::compile::Sizes;
use crate::emit::Language;
use crate::translate::SYSTEM;

/// The functions of all events or bounds, and of one of them.
///
/// Each entry contains both names, and the arguments.
const ONE_OF: [(&str, &str, &[&str]); 22] = [
    ("event_values", "event", &["u", "p", "t"]),
    ("event_slopes", "event_slope", &["u", "p", "t", "b"]),
    ("event_variances", "event_variance", &["u", "p", "t"]),
    ("event_streams", "event_stream", &["u", "p", "t"]),
    ("event_actions", "event_action", &["u", "p", "t"]),
    ("event_limits", "event_limit", &["u", "p", "t"]),
    ("event_delays", "delay", &["u", "p", "t"]),
    ("step_conditions", "holds", &["u", "p", "t"]),
    ("event_modes", "modes_after", &["u", "p", "t"]),
    ("events_by_state", "event_by_state", &["u", "p", "t"]),
    ("events_by_parameters", "event_by_parameters", &["u", "p", "t"]),
    ("events_by_time", "event_by_time", &["u", "p", "t"]),
    ("actions_by_state", "action_by_state", &["u", "p", "t", "b", "w"]),
    ("actions_by_parameters", "action_by_parameters", &["u", "p", "t", "b", "w"]),
    ("actions_by_time", "action_by_time", &["u", "p", "t", "b", "w"]),
    ("dues_by_parameters", "due_by_parameters", &["p", "t", "scale"]),
    ("due_flags", "due", &["p", "t", "scale"]),
    ("step_bounds", "step_bound", &["u", "p", "t", "scale"]),
    ("jump_rates", "jump_rate", &["u", "p", "t"]),
    ("jump_bounds", "jump_bound", &["u", "p", "t"]),
    ("jump_actions", "jump_action", &["u", "p", "t", "scale"]),
    ("jump_modes", "modes_after_jump", &["u", "p", "t", "scale"]),
];

/// Returns the function for one element of the results of `function`.
///
/// Returns `None` if `function` has no such variant. `all` are the tokens of `function`, if it must
/// be nested in the body.
pub(super) fn one_of(
    function: &str,
    sizes: Sizes,
    all: Option<&TokenStream>,
    language: Language,
) -> Option<TokenStream> {
    let (of_all, one, names) = ONE_OF.into_iter().find(|(of_all, ..)| *of_all == function)?;
    let name = |text: &str| Ident::new(text, Span::call_site());
    let (of_all, one) = (name(of_all), name(one));
    let names = names.iter().map(|text| name(text));
    let arguments = arguments_of(sizes, function);
    let receiver = receiver(language, "event");
    let [states, parameters] = [sizes.states, sizes.parameters].map(Literal::usize_unsuffixed);
    let ty = match function {
        "event_actions" | "events_by_state" | "actions_by_state" | "jump_actions" => {
            quote!([R; #states])
        }
        "event_modes"
        | "jump_modes"
        | "events_by_parameters"
        | "actions_by_parameters"
        | "dues_by_parameters" => {
            quote!([R; #parameters])
        }
        _ => quote!(R),
    };
    let this = match language {
        Language::Rust => TokenStream::new(),
        Language::Device => {
            let system = name(SYSTEM);
            quote!(#system::)
        }
    };
    let attribute = match language {
        Language::Rust => crate::inlined().into_token_stream(),
        Language::Device => TokenStream::new(),
    };
    Some(quote! {
        #attribute
        fn #one<R: Real>(#receiver index: usize, #arguments) -> #ty {
            #all
            let all = #this #of_all::<R>(#(#names),*);
            all[index]
        }
    })
}
