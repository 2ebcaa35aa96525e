//! The file format of controllers: `{ "kind": "pi", "exponents": [0.7, 0.4] }`.
//!
//! The format differs from serde's format of Rust enums, and needs a self-describing data format.

use core::fmt;

use super::{Controller, Kind};
use crate::file_format::{List, Number, OneOf};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// The serialised form of a [`Controller`], as written by hand.
#[derive(Serialize)]
pub(super) struct Written {
    kind: Name,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exponents: Vec<f64>,
    safety: f64,
    factors: [f64; 2],
}

impl<'de> Deserialize<'de> for Written {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrFields)
    }
}

struct NameOrFields;

impl<'de> Visitor<'de> for NameOrFields {
    type Value = Written;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a `controller`: write { \"kind\": \"pi\", \"exponents\": [0.7, 0.4] }, \"predictive\" or \
             null",
        )
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Written, E> {
        NAMES.visit_str(name).map(Written::new)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Written, A::Error> {
        let mut kind = None;
        // The kind is set below.
        let mut written = Written::new(Name::I);
        let mut seen: Vec<String> = Vec::new();
        while let Some(field) = map.next_key::<String>()? {
            match field.as_str() {
                "kind" => kind = Some(map.next_value_seed(NAMES)?),
                "exponents" => written.exponents = map.next_value_seed(EXPONENTS)?,
                "safety" => written.safety = map.next_value_seed(SAFETY)?,
                "factors" => {
                    let factors = map.next_value_seed(FACTORS)?;
                    let count = factors.len();
                    written.factors = factors.try_into().map_err(|_| {
                        Error::custom(format!(
                            "`factors` needs 2 numbers, the smallest and the largest factor, such \
                             as [0.2, 10.0], found {count}"
                        ))
                    })?;
                }
                _ => {
                    let known = &["kind", "exponents", "safety", "factors"];
                    return Err(Error::unknown_field(&field, known));
                }
            }
            if seen.contains(&field) {
                return Err(Error::custom(format!("`{field}` is given twice")));
            }
            seen.push(field);
        }
        let lacking = || Error::custom("a controller needs its `kind`, such as \"kind\": \"i\"");
        Ok(Written { kind: kind.ok_or_else(lacking)?, ..written })
    }
}

impl Written {
    /// Returns the values of [`Controller::i`], without exponents.
    fn new(kind: Name) -> Self {
        let Controller { safety, factors, .. } = Controller::i();
        Written { kind, exponents: Vec::new(), safety, factors }
    }
}

/// The names of the functions that make controllers.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum Name {
    I,
    Pi,
    Pid,
    Predictive,
}

const NAMES: OneOf<Name> = OneOf(
    "the `kind` of a controller: write \"i\", \"pi\", \"pid\" or \"predictive\"",
    &[("i", Name::I), ("pi", Name::Pi), ("pid", Name::Pid), ("predictive", Name::Predictive)],
);
const EXPONENTS: List = List("`exponents`: write a list of numbers such as [0.7, 0.4]");
const SAFETY: Number = Number("a `safety`: write a number such as 0.9");
const FACTORS: List = List("`factors`: write a list of two numbers such as [0.2, 10.0]");

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
                let (name, due, example) = match kind {
                    Name::I => ("i", "no", ""),
                    Name::Pi => ("pi", "2", ", \"exponents\": [0.7, 0.4]"),
                    Name::Pid => ("pid", "3", ", \"exponents\": [0.7, -0.4, 0.0]"),
                    Name::Predictive => ("predictive", "no", ""),
                };
                let given = exponents.len();
                return Err(format!(
                    "the controller `{name}` takes {due} exponents, found {given}: write \
                     {{ \"kind\": \"{name}\"{example} }}"
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
    fn wrong_controllers_are_errors() {
        for (file, expected) in [
            (
                r#"{ "kind": "pi", "exponents": [1.0] }"#,
                "the controller `pi` takes 2 exponents, found 1: write \
                 { \"kind\": \"pi\", \"exponents\": [0.7, 0.4] }",
            ),
            (
                r#"{ "kind": "pid" }"#,
                "`pid` takes 3 exponents, found 0: write \
                 { \"kind\": \"pid\", \"exponents\": [0.7, -0.4, 0.0] }",
            ),
            (
                r#"{ "kind": "i", "exponents": [1.0] }"#,
                "`i` takes no exponents, found 1: write { \"kind\": \"i\" }",
            ),
            (r#"{ "kind": "pi", "beta": 1.0 }"#, "unknown field `beta`"),
            (r#"{ "safety": 0.8 }"#, "a controller needs its `kind`"),
            (r#"{ "kind": "i", "kind": "i" }"#, "`kind` is given twice"),
            (
                r#"{ "kind": "i", "safety": "high" }"#,
                "string \"high\", expected a `safety`: write a number such as 0.9",
            ),
            (
                r#"{ "kind": "i", "factors": [0.5] }"#,
                "`factors` needs 2 numbers, the smallest and the largest factor, such as [0.2, \
                 10.0], found 1",
            ),
            (
                r#""pd""#,
                "string \"pd\", expected the `kind` of a controller: write \"i\", \"pi\", \"pid\" or \
                 \"predictive\"",
            ),
            (r#"{ "kind": 3 }"#, "integer `3`, expected the `kind` of a controller: write \"i\""),
            (r#"{ "kind": "i", "exponents": 1 }"#, "`1`, expected `exponents`: write a list"),
            (r#"{ "kind": "i", "factors": [1, "x"] }"#, "\"x\", expected `factors`: write a list"),
            (r#"["i"]"#, "sequence, expected a `controller`: write { \"kind\": \"pi\""),
        ] {
            let error = from_str::<Controller>(file).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
