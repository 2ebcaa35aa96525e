//! How options look in files: as one would write them by hand.

use super::{AbsTol, SaveAt};
use core::fmt;
use serde::de::{Error, SeqAccess, Visitor, value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number, or a list of numbers.
#[derive(Clone)]
pub(super) enum Numbers {
    One(f64),
    Several(Vec<f64>),
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Numbers::One(number) => number.serialize(serializer),
            Numbers::Several(numbers) => numbers.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrSeveral)
    }
}

struct OneOrSeveral;

impl<'de> Visitor<'de> for OneOrSeveral {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a list of numbers")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Numbers, E> {
        Ok(Numbers::One(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Numbers, E> {
        Ok(Numbers::One(number as f64))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Numbers, E> {
        Ok(Numbers::One(number as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Numbers, A::Error> {
        let list = value::SeqAccessDeserializer::new(list);
        Vec::deserialize(list).map(Numbers::Several)
    }
}

impl From<Numbers> for AbsTol {
    fn from(numbers: Numbers) -> Self {
        match numbers {
            Numbers::One(number) => AbsTol::All(number),
            Numbers::Several(numbers) => AbsTol::Each(numbers),
        }
    }
}

impl From<AbsTol> for Numbers {
    fn from(abstol: AbsTol) -> Self {
        match abstol {
            AbsTol::All(number) => Numbers::One(number),
            AbsTol::Each(numbers) => Numbers::Several(numbers),
        }
    }
}

/// A spacing or times, if any are saved.
pub(super) type Saves = Option<Numbers>;

impl From<Saves> for SaveAt {
    fn from(saves: Saves) -> Self {
        match saves {
            None => SaveAt::Nothing,
            Some(Numbers::One(spacing)) => SaveAt::Every(spacing),
            Some(Numbers::Several(times)) => SaveAt::Times(times),
        }
    }
}

impl From<SaveAt> for Saves {
    fn from(save: SaveAt) -> Self {
        match save {
            SaveAt::Nothing => None,
            SaveAt::Every(spacing) => Some(Numbers::One(spacing)),
            SaveAt::Times(times) => Some(Numbers::Several(times)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Controller, Saving, SolveOptions};
    use serde_json::{Value, from_str, json, to_string, to_value};

    /// Written and read by another crate's JSON.
    fn round_trip(options: &SolveOptions) -> SolveOptions {
        from_str(&to_string(options).unwrap()).unwrap()
    }

    #[test]
    fn options_survive_json() {
        let default = SolveOptions::default();
        let all = default
            .clone()
            .abstol([1e-8, 1e-14])
            .reltol(1e-9)
            .first_step(-0.125)
            .dtmin(1e-300)
            .dtmax(0.1)
            .controller(Controller::pi(0.7, 0.4))
            .max_steps(12)
            .tstops([3.5])
            .time_breaks(false)
            .saveat([0.1, 0.2])
            .save_start(true)
            .save_end(false)
            .saving(Saving::Both);
        for options in [default.clone(), default.dtmax(f64::INFINITY), all] {
            assert_eq!(round_trip(&options), options);
        }
    }

    #[test]
    fn a_file_says_what_it_changes() {
        let options: SolveOptions = from_str(r#"{ "reltol": 1e-7 }"#).unwrap();
        assert_eq!(options, SolveOptions::default().reltol(1e-7));
        let wrong = from_str::<SolveOptions>(r#"{ "rtol": 1e-7 }"#).unwrap_err();
        assert!(wrong.to_string().contains("unknown field `rtol`"), "{wrong}");
    }

    /// Each option as one would write it by hand: it is read so, and written so.
    #[test]
    fn files_are_as_written_by_hand() {
        let default = SolveOptions::default;
        let pid = Controller::pid(0.6, -0.2, 0.1).safety(0.8).factors(0.25, 5.0);
        let cases = [
            ("abstol", json!(1e-9), default().abstol(1e-9)),
            ("abstol", json!([1e-9, 2.0]), default().abstol([1e-9, 2.0])),
            ("reltol", json!(1e-7), default().reltol(1e-7)),
            ("step", json!("adaptive"), default()),
            ("step", json!({ "adaptive_from": 0.5 }), default().first_step(0.5)),
            ("step", json!({ "fixed": -0.25 }), default().fixed_step(-0.25)),
            ("dtmin", json!(1e-12), default().dtmin(1e-12)),
            ("dtmax", json!(0.5), default().dtmax(0.5)),
            ("dtmax", json!(null), default()),
            ("max_steps", json!(99), default().max_steps(99)),
            ("tstops", json!([1.5, 2.5]), default().tstops([1.5, 2.5])),
            ("time_breaks", json!(false), default().time_breaks(false)),
            ("saveat", json!(0.1), default().saveat(0.1)),
            ("saveat", json!([0.1, 0.3]), default().saveat([0.1, 0.3])),
            ("saveat", json!(null), default()),
            ("save_start", json!(true), default().save_start(true)),
            ("save_end", json!(null), default()),
            ("saving", json!("states"), default().saving(Saving::States)),
            ("saving", json!("observables"), default().saving(Saving::Observables)),
            ("saving", json!("both"), default().saving(Saving::Both)),
            ("controller", json!(null), default()),
            (
                "controller",
                json!({ "kind": "pid", "exponents": [0.6, -0.2, 0.1], "safety": 0.8, "factors": [0.25, 5.0] }),
                default().controller(pid),
            ),
        ];
        for (name, value, options) in &cases {
            let file = json!({ *name: value });
            let read: SolveOptions = from_str(&file.to_string()).unwrap();
            assert_eq!(read, *options, "{file}");
            assert_eq!(to_value(options).unwrap()[*name], *value, "{options:?}");
        }
        let Value::Object(written) = to_value(default()).unwrap() else { panic!() };
        for name in written.keys() {
            assert!(cases.iter().any(|case| case.0 == name), "{name} is not tested");
        }
    }

    #[test]
    fn integers_are_numbers() {
        let file = r#"{ "abstol": 1, "saveat": [1, 2.5, 3], "save_end": false }"#;
        let options = SolveOptions::default().abstol(1.0).saveat([1.0, 2.5, 3.0]).save_end(false);
        assert_eq!(from_str::<SolveOptions>(file).unwrap(), options);
        let options = SolveOptions::default().abstol(-2.0);
        assert_eq!(from_str::<SolveOptions>(r#"{ "abstol": -2 }"#).unwrap(), options);
    }

    #[test]
    fn what_is_neither_says_so() {
        for (file, expected) in [
            (
                r#"{ "abstol": "small" }"#,
                "string \"small\", expected a number or a list of numbers",
            ),
            (r#"{ "saveat": { "Every": 1.0 } }"#, "map, expected a number or a list of numbers"),
            (r#"{ "abstol": [1.0, "x"] }"#, "string \"x\", expected f64"),
            (r#"{ "step": "fast" }"#, "unknown variant `fast`, expected one of `adaptive`"),
        ] {
            let error = from_str::<SolveOptions>(file).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("line 1"), "{error}");
        }
    }
}
