//! The format of options in files, as a person would write them.
//!
//! The format differs from serde's format of Rust enums, and needs a self-describing data format.

mod saving;

use super::{AbsTol, SaveAt, SolveOptions, StepSize};
use crate::file_format::{Flag, List, Nullable, Number, Seed, WholeNumber};
use core::fmt;
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor, value};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl Serialize for SolveOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The derived function.
        SolveOptions::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for SolveOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ByName)
    }
}

/// Reads options by name only. (A derived struct also accepts a list of values by position.)
struct ByName;

impl<'de> Visitor<'de> for ByName {
    type Value = SolveOptions;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("options by their names, such as { \"reltol\": 1e-6 }")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SolveOptions, A::Error> {
        // The derived function.
        SolveOptions::deserialize(value::MapAccessDeserializer::new(map))
    }
}

/// Declares a function for each option, which reads its value by a visitor.
macro_rules! read {
    ($($option:ident: $Value:ty, $deserialize:ident($visitor:expr);)*) => { $(
        pub(super) fn $option<'de, D: Deserializer<'de>>(from: D) -> Result<$Value, D::Error> {
            from.$deserialize($visitor)
        }
    )* };
}
read! {
    reltol: f64, deserialize_any(Number("a `reltol`: write a number such as 1e-6"));
    dtmin: f64, deserialize_any(Number("a `dtmin`: write a number such as 1e-9"));
    dtmax: Option<f64>, deserialize_option(Nullable(Number(
        "a `dtmax`: write a number such as 0.1, or null"
    )));
    max_steps: u32, deserialize_any(WholeNumber(
        "a `max_steps`: write a whole number of steps, at most 4294967295"
    ));
    tstops: Vec<f64>, deserialize_any(List("`tstops`: write a list of numbers such as [0.5, 1.5]"));
    time_breaks: bool, deserialize_any(Flag("a `time_breaks`: write true or false"));
    save_start: Option<bool>, deserialize_option(Nullable(Flag(
        "a `save_start`: write true, false or null"
    )));
    save_end: Option<bool>, deserialize_option(Nullable(Flag(
        "a `save_end`: write true, false or null"
    )));
    noise_seed: u64, deserialize_any(Seed("a `noise_seed`: write a whole number such as 42"));
    noise_cell: Option<f64>, deserialize_option(Nullable(Number(
        "a `noise_cell`: write a number such as 0.1, or null"
    )));
    noise_paths: Option<u32>, deserialize_option(Nullable(WholeNumber(
        "a `noise_paths`: write a whole number of paths, at most 4294967295, or null"
    )));
}

impl Serialize for StepSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, dt) = match *self {
            StepSize::Adaptive => return serializer.serialize_str("adaptive"),
            StepSize::AdaptiveFrom(dt) => ("adaptive_from", dt),
            StepSize::Fixed(dt) => ("fixed", dt),
        };
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(name, &dt)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for StepSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Steps)
    }
}

struct Steps;

const STEP: &str = "a `step`: write \"adaptive\", { \"adaptive_from\": 0.1 } or { \"fixed\": 0.1 }";

impl Steps {
    /// The error for a bare number, which may mean either of the two.
    fn number<E: Error>(dt: f64) -> E {
        E::custom(format!(
            "`step` is {dt}, which may be the size of all steps or of the first step: write {{ \
             \"fixed\": {dt} }} or {{ \"adaptive_from\": {dt} }}"
        ))
    }
}

impl<'de> Visitor<'de> for Steps {
    type Value = StepSize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(STEP)
    }

    fn visit_f64<E: Error>(self, dt: f64) -> Result<StepSize, E> {
        Err(Self::number(dt))
    }

    fn visit_u64<E: Error>(self, dt: u64) -> Result<StepSize, E> {
        Err(Self::number(dt as f64))
    }

    fn visit_i64<E: Error>(self, dt: i64) -> Result<StepSize, E> {
        Err(Self::number(dt as f64))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<StepSize, E> {
        match name {
            "adaptive" => Ok(StepSize::Adaptive),
            "adaptive_from" | "fixed" => {
                Err(E::custom(format!("`step` lacks the step size: write {{ \"{name}\": 0.1 }}")))
            }
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StepSize, A::Error> {
        let Some(name) = map.next_key::<String>()? else {
            return Err(Error::invalid_value(Unexpected::Map, &self));
        };
        let step = match name.as_str() {
            "adaptive_from" => StepSize::AdaptiveFrom(map.next_value_seed(Number(STEP))?),
            "fixed" => StepSize::Fixed(map.next_value_seed(Number(STEP))?),
            _ => return Err(Error::invalid_value(Unexpected::Str(&name), &self)),
        };
        match map.next_key::<String>()? {
            None => Ok(step),
            Some(other) => Err(Error::custom(format!(
                "`step` has both `{name}` and `{other}`; give one of `adaptive_from` and `fixed`"
            ))),
        }
    }
}

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

impl<'de> Deserialize<'de> for AbsTol {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected =
            "an `abstol`: write a number such as 1e-6, or a list with a number for each component";
        deserializer.deserialize_any(OneOrSeveral(expected)).map(AbsTol::from)
    }
}

/// A visitor of a number or a list of numbers, with the text of its errors.
struct OneOrSeveral(&'static str);

impl<'de> Visitor<'de> for OneOrSeveral {
    type Value = Numbers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
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
        List(self.0).visit_seq(list).map(Numbers::Several)
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

impl From<Numbers> for SaveAt {
    fn from(numbers: Numbers) -> Self {
        match numbers {
            Numbers::One(spacing) => SaveAt::Every(spacing),
            Numbers::Several(times) => SaveAt::Times(times),
        }
    }
}

impl Serialize for SaveAt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            SaveAt::Nothing => serializer.serialize_none(),
            SaveAt::Every(spacing) => spacing.serialize(serializer),
            SaveAt::Times(times) => times.serialize(serializer),
            SaveAt::Steps => "steps".serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SaveAt {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Saves)
    }
}

struct Saves;

const SAVEAT: &str = "a `saveat`: write a spacing such as 0.1, a list of times, \"steps\" or null";

impl<'de> Visitor<'de> for Saves {
    type Value = SaveAt;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SAVEAT)
    }

    fn visit_unit<E: Error>(self) -> Result<SaveAt, E> {
        Ok(SaveAt::Nothing)
    }

    // Distinguishes nothing from something.
    fn visit_none<E: Error>(self) -> Result<SaveAt, E> {
        Ok(SaveAt::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, some: D) -> Result<SaveAt, D::Error> {
        some.deserialize_any(self)
    }

    fn visit_f64<E: Error>(self, spacing: f64) -> Result<SaveAt, E> {
        OneOrSeveral(SAVEAT).visit_f64(spacing).map(SaveAt::from)
    }

    fn visit_u64<E: Error>(self, spacing: u64) -> Result<SaveAt, E> {
        OneOrSeveral(SAVEAT).visit_u64(spacing).map(SaveAt::from)
    }

    fn visit_i64<E: Error>(self, spacing: i64) -> Result<SaveAt, E> {
        OneOrSeveral(SAVEAT).visit_i64(spacing).map(SaveAt::from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<SaveAt, A::Error> {
        OneOrSeveral(SAVEAT).visit_seq(list).map(SaveAt::from)
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<SaveAt, E> {
        match name {
            "steps" => Ok(SaveAt::Steps),
            _ => Err(E::invalid_value(Unexpected::Str(name), &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Controller, EventLog, GrowthGuard, Saving, SolveOptions};
    use serde_json::{Value, from_str, json, to_string, to_value};

    /// Writes and reads the options with the JSON of another crate.
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
            .growth_guard(GrowthGuard::Report)
            .tstops([3.5])
            .time_breaks(false)
            .saveat([0.1, 0.2])
            .save_start(true)
            .save_end(false)
            .saving(Saving::Both)
            .event_log(EventLog::new(7).with_states());
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

    /// Each option in the form that a person would write, for reading and writing.
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
            ("growth_guard", json!("reject"), default().growth_guard(GrowthGuard::Reject)),
            ("growth_guard", json!("off"), default().growth_guard(GrowthGuard::Off)),
            ("growth_guard", json!(null), default()),
            ("tstops", json!([1.5, 2.5]), default().tstops([1.5, 2.5])),
            ("time_breaks", json!(false), default().time_breaks(false)),
            ("saveat", json!(0.1), default().saveat(0.1)),
            ("saveat", json!([0.1, 0.3]), default().saveat([0.1, 0.3])),
            ("saveat", json!(null), default()),
            ("saveat", json!("steps"), default().saveat(crate::SaveAt::Steps)),
            ("save_start", json!(true), default().save_start(true)),
            ("save_end", json!(null), default()),
            ("saving", json!("states"), default().saving(Saving::States)),
            ("saving", json!("observables"), default().saving(Saving::Observables)),
            ("saving", json!("both"), default().saving(Saving::Both)),
            ("saving", json!(["x", "v"]), default().save_only(["x", "v"])),
            ("saving", json!([2, "x"]), default().saving(Saving::Only(vec![2.into(), "x".into()]))),
            ("event_log", json!({ "capacity": 9, "states": false }), default().event_log(9)),
            (
                "event_log",
                json!({ "capacity": 9, "states": true }),
                default().event_log(EventLog::new(9).with_states()),
            ),
            ("event_log", json!(null), default()),
            ("noise_seed", json!(u64::MAX), default().noise_seed(u64::MAX)),
            ("noise_cell", json!(0.5), default().noise_cell(0.5)),
            ("noise_cell", json!(null), default()),
            ("noise_paths", json!(7), default().noise_paths(7)),
            ("noise_paths", json!(null), default()),
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
        let file = r#"{ "reltol": 1, "dtmax": 2, "step": { "fixed": -1 }, "tstops": [3] }"#;
        let options = SolveOptions::default().reltol(1.0).dtmax(2.0).fixed_step(-1.0).tstops([3.0]);
        assert_eq!(from_str::<SolveOptions>(file).unwrap(), options);
    }

    #[test]
    fn counts_may_have_exponents() {
        for (count, expected) in
            [("1e5", 100_000), ("2.5e3", 2500), ("0", 0), ("4294967295.0", u32::MAX)]
        {
            let options: SolveOptions = from_str(&format!("{{ \"max_steps\": {count} }}")).unwrap();
            assert_eq!(options, SolveOptions::default().max_steps(expected));
        }
    }

    /// As `SolveOptions::event_log`, which takes a number.
    #[test]
    fn a_log_may_be_its_capacity() {
        for file in [r#"{ "event_log": 100 }"#, r#"{ "event_log": { "capacity": 1e2 } }"#] {
            let options: SolveOptions = from_str(file).unwrap();
            assert_eq!(options, SolveOptions::default().event_log(100));
        }
        let read = |guard| from_str::<SolveOptions>(guard).unwrap().growth_guard;
        assert_eq!(read(r#"{ "growth_guard": "report" }"#), Some(GrowthGuard::Report));
    }

    #[test]
    fn controllers_without_exponents_may_be_their_names() {
        for (name, controller) in [("i", Controller::i()), ("predictive", Controller::predictive())]
        {
            let options: SolveOptions =
                from_str(&json!({ "controller": name }).to_string()).unwrap();
            assert_eq!(options, SolveOptions::default().controller(controller));
        }
    }

    #[test]
    fn what_is_neither_says_so() {
        for (file, expected) in [
            (
                r#"{ "abstol": "small" }"#,
                "string \"small\", expected an `abstol`: write a number such as 1e-6, or a list",
            ),
            (
                r#"{ "saveat": { "Every": 1.0 } }"#,
                "map, expected a `saveat`: write a spacing such as 0.1, a list of times, \"steps\" or \
                 null",
            ),
            (r#"{ "abstol": [1.0, "x"] }"#, "string \"x\", expected an `abstol`: write"),
            (r#"{ "saveat": [1.0, "x"] }"#, "string \"x\", expected a `saveat`: write"),
            (
                r#"{ "tstops": 1.5 }"#,
                "floating point `1.5`, expected `tstops`: write a list of num",
            ),
            (r#"{ "tstops": [null] }"#, "null, expected `tstops`: write a list of numbers"),
            (r#"{ "reltol": "1e-6" }"#, "string \"1e-6\", expected a `reltol`: write a number"),
            (r#"{ "dtmin": null }"#, "null, expected a `dtmin`: write a number such as 1e-9"),
            (r#"{ "dtmax": true }"#, "boolean `true`, expected a `dtmax`: write a number such"),
            (r#"{ "time_breaks": 1 }"#, "integer `1`, expected a `time_breaks`: write true or"),
            (r#"{ "save_start": 0 }"#, "integer `0`, expected a `save_start`: write true, false"),
            (r#"{ "save_end": "no" }"#, "string \"no\", expected a `save_end`: write true, false"),
            (
                r#"{ "saving": 3 }"#,
                "integer `3`, expected a `saving`: write \"states\", \"observables\", \"both\", a list such as [\"x\", 2], or null",
            ),
            (
                r#"{ "saving": [1.5] }"#,
                "floating point `1.5`, expected a component of `saving`: write a name such as \"x\", or an index such as 2",
            ),
            (r#"{ "saving": "all" }"#, "string \"all\", expected a `saving`: write \"states\""),
            (
                r#"{ "growth_guard": false }"#,
                "boolean `false`, expected a `growth_guard`: write \"reject\", \"report\", \"off\" or \
                 null",
            ),
            (r#"{ "growth_guard": { "reject": null } }"#, "map, expected a `growth_guard`: write"),
            (
                r#"{ "event_log": [10, true] }"#,
                "sequence, expected an `event_log`: write 100, { \"capacity\": 100, \"states\": true \
                 } or null",
            ),
            (r#"{ "event_log": -1 }"#, "integer `-1`, expected an `event_log`: write 100"),
            (r#"{ "event_log": { "states": true } }"#, "missing field `capacity`"),
            (r#"{ "event_log": { "size": 1 } }"#, "unknown field `size`"),
            (
                r#"{ "event_log": { "capacity": "all" } }"#,
                "string \"all\", expected a `capacity`: write a whole number of events",
            ),
            (
                r#"{ "event_log": { "capacity": 1, "states": 1 } }"#,
                "integer `1`, expected a `states`: write true or false",
            ),
            (
                r#"{ "step": "fast" }"#,
                "string \"fast\", expected a `step`: write \"adaptive\", \
                 { \"adaptive_from\": 0.1 } or { \"fixed\": 0.1 }",
            ),
            (r#"{ "step": { "size": 0.1 } }"#, "string \"size\", expected a `step`: write \"ad"),
            (r#"{ "step": {} }"#, "map, expected a `step`: write \"adaptive\""),
            (r#"{ "step": null }"#, "null, expected a `step`: write \"adaptive\""),
            (
                r#"{ "step": 0.1 }"#,
                "`step` is 0.1, which may be the size of all steps or of the first step: write { \
                 \"fixed\": 0.1 } or { \"adaptive_from\": 0.1 }",
            ),
            (r#"{ "step": 2 }"#, "write { \"fixed\": 2 } or { \"adaptive_from\": 2 }"),
            (r#"{ "step": "fixed" }"#, "`step` lacks the step size: write { \"fixed\": 0.1 }"),
            (
                r#"{ "step": { "fixed": "x" } }"#,
                "string \"x\", expected a `step`: write \"adaptive\"",
            ),
            (
                r#"{ "step": { "fixed": 0.1, "adaptive_from": 0.2 } }"#,
                "`step` has both `fixed` and `adaptive_from`; give one of `adaptive_from` and \
                 `fixed`",
            ),
            (
                r#"{ "max_steps": 0.5 }"#,
                "floating point `0.5`, expected a `max_steps`: write a whole number of steps, at most \
                 4294967295",
            ),
            (r#"{ "max_steps": -1 }"#, "integer `-1`, expected a `max_steps`: write a whole"),
            (r#"{ "max_steps": 1e10 }"#, "`10000000000.0`, expected a `max_steps`: write"),
            (r#"{ "max_steps": 4294967296 }"#, "`4294967296`, expected a `max_steps`: write"),
            (
                r#"{ "controller": "pi" }"#,
                "the controller `pi` takes 2 exponents, found 0: write \
                 { \"kind\": \"pi\", \"exponents\": [0.7, 0.4] }",
            ),
            (r#"{ "controller": 3 }"#, "integer `3`, expected a `controller`: write { \"kind\""),
            (r#"{ "reltol": 1e-3, "reltol": 1e-6 }"#, "duplicate field `reltol`"),
            (r#"{ "save": 1.0, "saveat": 2.0 }"#, "duplicate field `saveat`"),
            (
                "[1e-6, 1e-3]",
                "sequence, expected options by their names, such as { \"reltol\": 1e-6 }",
            ),
            ("[]", "sequence, expected options by their names"),
        ] {
            let error = from_str::<SolveOptions>(file).unwrap_err().to_string();
            assert!(error.contains(expected) && error.contains("line 1"), "{error}");
        }
    }
}
