//! What functions of a system are for: how each is told from others, and what messages
//! call it.

/// What a function of a system is for, by its name or its attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Rhs,
    Jacobian,
    Tgrad,
    Domain,
    Observable,
    /// Called by the others.
    Helper,
}

impl Purpose {
    pub(crate) fn of(item: &syn::ItemFn) -> Purpose {
        if let Some(purpose) = item.attrs.iter().find_map(Purpose::of_attribute) {
            return purpose;
        }
        match item.sig.ident.to_string().as_str() {
            "rhs" => Purpose::Rhs,
            "jacobian" => Purpose::Jacobian,
            "tgrad" => Purpose::Tgrad,
            "is_out_of_domain" => Purpose::Domain,
            _ => Purpose::Helper,
        }
    }

    /// That which an attribute of ours says, as `#[observable]` does.
    pub(crate) fn of_attribute(attribute: &syn::Attribute) -> Option<Purpose> {
        let name = &attribute.path().segments.last()?.ident;
        (name == "observable").then_some(Purpose::Observable)
    }

    /// Whether it computes a truth value for each trajectory.
    pub(crate) fn gives_truth(self) -> bool {
        self == Purpose::Domain
    }

    /// Whether it computes numbers for each trajectory, as many as it likes, each with a name.
    pub(crate) fn gives_numbers(self) -> bool {
        self == Purpose::Observable
    }

    /// In words, with an article.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Purpose::Rhs => "a right-hand side",
            Purpose::Jacobian => "a Jacobian",
            Purpose::Tgrad => "a derivative by the time",
            Purpose::Domain => "a condition of the domain",
            Purpose::Observable => "an observable",
            Purpose::Helper => "a function of a system",
        }
    }

    /// The signatures, for messages.
    pub(crate) fn forms(self) -> &'static str {
        match self {
            Purpose::Rhs | Purpose::Helper => {
                "`fn rhs(du: &mut State, u: &State, p: &Parameters, t: f64)` or \
                 `fn rhs(u: &State, p: &Parameters, t: f64) -> State`, with structs of these names or \
                 arrays `[f64; N]`"
            }
            Purpose::Jacobian => {
                "`fn jacobian(u: &State, p: &Parameters, t: f64) -> [[f64; N]; N]` or \
                 `fn jacobian(j: &mut [[f64; N]; N], u: &State, p: &Parameters, t: f64)`"
            }
            Purpose::Tgrad => {
                "`fn tgrad(u: &State, p: &Parameters, t: f64) -> State` or \
                 `fn tgrad(dt: &mut State, u: &State, p: &Parameters, t: f64)`"
            }
            Purpose::Domain => "`fn is_out_of_domain(u: &State, p: &Parameters, t: f64) -> bool`",
            Purpose::Observable => "`fn name(u: &State, p: &Parameters, t: f64) -> f64`",
        }
    }
}
