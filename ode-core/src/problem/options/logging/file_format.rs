//! The file format of event logs: `100`, or `{ "capacity": 100, "states": true }`.

use super::EventLog;
use crate::file_format::{Flag, WholeNumber};
use core::fmt;
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor, value};
use serde::{Deserialize, Deserializer};

const TEXT: &str = "an `event_log`: write 100, { \"capacity\": 100, \"states\": true } or null";

impl<'de> Deserialize<'de> for EventLog {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CapacityOrFields)
    }
}

struct CapacityOrFields;

impl<'de> Visitor<'de> for CapacityOrFields {
    type Value = EventLog;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TEXT)
    }

    fn visit_u64<E: Error>(self, capacity: u64) -> Result<EventLog, E> {
        WholeNumber(TEXT).visit_u64(capacity).map(EventLog::new)
    }

    fn visit_i64<E: Error>(self, capacity: i64) -> Result<EventLog, E> {
        WholeNumber(TEXT).visit_i64(capacity).map(EventLog::new)
    }

    fn visit_f64<E: Error>(self, capacity: f64) -> Result<EventLog, E> {
        WholeNumber(TEXT).visit_f64(capacity).map(EventLog::new)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EventLog, A::Error> {
        let map = value::MapAccessDeserializer::new(map);
        Fields::deserialize(map).map(|Fields { capacity, states }| EventLog { capacity, states })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(deserialize_with = "capacity")]
    capacity: u32,
    #[serde(default, deserialize_with = "states")]
    states: bool,
}

fn capacity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    WholeNumber("a `capacity`: write a whole number of events").deserialize(deserializer)
}

fn states<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Flag("a `states`: write true or false").deserialize(deserializer)
}
