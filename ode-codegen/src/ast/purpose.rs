//! Purposes of a system's functions: how to recognise them, and their names in messages.

/// The purpose of a system's function, given by its name or attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    Rhs,
    Jacobian,
    Tgrad,
    Domain,
    Observable,
    /// The loss that training minimises, evaluated at each saved time.
    Loss,
    /// The function of an event, which occurs at its zeros.
    Event,
    /// The function of features: its maximum, its integral and others.
    Feature,
    /// The factors of the Wiener processes.
    Noise,
    /// A condition that is checked after each step.
    AfterStep,
    /// The rate of a random jump.
    Jump,
    /// The state after an event or a jump.
    Action,
    /// The state after a given time.
    At,
    /// The initial state, as a function of the learnt parameters and of a trajectory's data.
    Initial,
    /// The parameters, as a function of the learnt parameters and of a trajectory's data.
    Parameters,
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
            "initial" if takes_theta(&item.sig) => Purpose::Initial,
            "parameters" if takes_theta(&item.sig) => Purpose::Parameters,
            _ => Purpose::Helper,
        }
    }

    /// Returns whether this is a function of the learnt parameters.
    ///
    /// Other functions depend on state, parameters and time.
    pub(crate) fn begins(self) -> bool {
        matches!(self, Purpose::Initial | Purpose::Parameters)
    }

    /// Returns whether this function computes the state after an event or a scheduled time.
    pub(crate) fn acts(self) -> bool {
        matches!(self, Purpose::Action | Purpose::At)
    }

    /// Returns the purpose that one of our attributes declares, such as `#[observable]`.
    pub(crate) fn of_attribute(attribute: &syn::Attribute) -> Option<Purpose> {
        let name = &attribute.path().segments.last()?.ident;
        match name.to_string().as_str() {
            "observable" => Some(Purpose::Observable),
            "loss" => Some(Purpose::Loss),
            "event" => Some(Purpose::Event),
            "feature" => Some(Purpose::Feature),
            "noise" => Some(Purpose::Noise),
            "after_step" => Some(Purpose::AfterStep),
            "jump" => Some(Purpose::Jump),
            "action" => Some(Purpose::Action),
            "at" => Some(Purpose::At),
            _ => None,
        }
    }

    /// Returns whether this function computes a truth value for each trajectory.
    pub(crate) fn gives_truth(self) -> bool {
        matches!(self, Purpose::Domain | Purpose::AfterStep)
    }

    /// Returns whether this function computes numbers for each trajectory, each with a name.
    pub(crate) fn gives_numbers(self) -> bool {
        matches!(self, Purpose::Observable | Purpose::Loss) || self.is_watched()
    }

    /// Returns whether lanes watch the number of this function during a solve.
    pub(crate) fn is_watched(self) -> bool {
        matches!(self, Purpose::Event | Purpose::Feature | Purpose::Jump)
    }

    /// Returns the purpose in words, with an article.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Purpose::Rhs => "a right-hand side",
            Purpose::Jacobian => "a Jacobian",
            Purpose::Tgrad => "a derivative with respect to time",
            Purpose::Domain => "`is_out_of_domain`",
            Purpose::Observable => "an observable",
            Purpose::Loss => "a loss",
            Purpose::Event => "an event",
            Purpose::Feature => "a feature",
            Purpose::Noise => "noise",
            Purpose::AfterStep => "a condition after steps",
            Purpose::Jump => "a jump",
            Purpose::Action | Purpose::At => "an action",
            Purpose::Initial => "`initial`",
            Purpose::Parameters => "`parameters`",
            Purpose::Helper => "a function of a system",
        }
    }

    /// Returns the signatures, for messages.
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
            Purpose::AfterStep => "`fn name(u: &State, p: &Parameters, t: f64) -> bool`",
            Purpose::Observable
            | Purpose::Loss
            | Purpose::Event
            | Purpose::Feature
            | Purpose::Jump => "`fn name(u: &State, p: &Parameters, t: f64) -> f64`",
            Purpose::Noise => {
                "`fn noise(u: &State, p: &Parameters, t: f64) -> State`, or `-> [State; M]` with M \
                 Wiener processes"
            }
            Purpose::Action | Purpose::At => {
                "`fn name(u: &State, p: &Parameters, t: f64) -> State`"
            }
            Purpose::Initial => "`fn initial(theta: &Theta, item: &Item) -> State`",
            Purpose::Parameters => "`fn parameters(theta: &Theta, item: &Item) -> Parameters`",
        }
    }
}

/// Returns whether the first argument is the learnt parameters.
///
/// An argument that receives the results does not count.
fn takes_theta(sig: &syn::Signature) -> bool {
    let results = usize::from(matches!(sig.output, syn::ReturnType::Default));
    let Some(syn::FnArg::Typed(first)) = sig.inputs.iter().nth(results) else { return false };
    match &*first.ty {
        syn::Type::Reference(reference) => {
            matches!(&*reference.elem, syn::Type::Path(path) if path.path.is_ident("Theta"))
        }
        _ => false,
    }
}
