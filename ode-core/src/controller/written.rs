//! How a controller looks in a file: `{ "kind": "pi", "exponents": [0.7, 0.4] }`.

use super::{Controller, Kind};
use serde::{Deserialize, Serialize};

/// A [`Controller`] as one would write it by hand.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    kind: Name,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    exponents: Vec<f64>,
    #[serde(default = "safety")]
    safety: f64,
    #[serde(default = "factors")]
    factors: [f64; 2],
}

/// The functions that make controllers.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Name {
    I,
    Pi,
    Pid,
    Predictive,
}

fn safety() -> f64 {
    Controller::i().safety
}

fn factors() -> [f64; 2] {
    Controller::i().factors
}

impl From<Controller> for Written {
    fn from(controller: Controller) -> Self {
        let Controller { kind, safety, factors } = controller;
        let (kind, exponents) = match kind {
            Kind::Pi(exponents) => (Name::Pi, exponents.to_vec()),
            Kind::Pid(exponents) => (Name::Pid, exponents.to_vec()),
            Kind::Predictive => (Name::Predictive, Vec::new()),
        };
        Written { kind, exponents, safety, factors }
    }
}

impl TryFrom<Written> for Controller {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { kind, exponents, safety, factors: [least, greatest] } = written;
        let controller = match (kind, exponents.as_slice()) {
            (Name::I, []) => Controller::i(),
            (Name::Pi, &[beta1, beta2]) => Controller::pi(beta1, beta2),
            (Name::Pid, &[beta1, beta2, beta3]) => Controller::pid(beta1, beta2, beta3),
            (Name::Predictive, []) => Controller::predictive(),
            (kind, exponents) => {
                let (name, due) = match kind {
                    Name::I => ("i", "none"),
                    Name::Pi => ("pi", "2"),
                    Name::Pid => ("pid", "3"),
                    Name::Predictive => ("predictive", "none"),
                };
                let given = exponents.len();
                return Err(format!(
                    "the controller `{name}` has {due} of `exponents`, not {given}"
                ));
            }
        };
        Ok(controller.safety(safety).factors(least, greatest))
    }
}

#[cfg(test)]
mod tests {
    use crate::Controller;
    use serde_json::{from_str, json, to_value};

    #[test]
    fn controllers_are_read_as_written_by_hand() {
        for (file, controller) in [
            (r#"{ "kind": "i" }"#, Controller::i()),
            (r#"{ "kind": "pi", "exponents": [0.7, 0.4] }"#, Controller::pi(0.7, 0.4)),
            (
                r#"{ "kind": "pid", "exponents": [0.7, -0.4, 0.1], "safety": 0.8 }"#,
                Controller::pid(0.7, -0.4, 0.1).safety(0.8),
            ),
            (
                r#"{ "kind": "predictive", "factors": [0.5, 2.0] }"#,
                Controller::predictive().factors(0.5, 2.0),
            ),
        ] {
            let read: Controller = from_str(file).unwrap();
            assert_eq!(read, controller);
            assert_eq!(from_str::<Controller>(&json!(read).to_string()).unwrap(), controller);
        }
        let written = to_value(Controller::predictive()).unwrap();
        let by_hand = json!({ "kind": "predictive", "safety": 0.9, "factors": [0.2, 10.0] });
        assert_eq!(written, by_hand);
    }

    #[test]
    fn wrong_numbers_of_exponents_are_errors() {
        for (file, expected) in [
            (r#"{ "kind": "pi", "exponents": [1.0] }"#, "`pi` has 2 of `exponents`, not 1"),
            (r#"{ "kind": "pid" }"#, "`pid` has 3 of `exponents`, not 0"),
            (r#"{ "kind": "i", "exponents": [1.0] }"#, "`i` has none of `exponents`, not 1"),
            (r#"{ "kind": "pi", "beta": 1.0 }"#, "unknown field `beta`"),
        ] {
            let error = from_str::<Controller>(file).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
