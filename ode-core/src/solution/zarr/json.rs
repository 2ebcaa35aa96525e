//! JSON text.

use core::fmt::{Display, Write as _};

/// An object during writing.
#[derive(Debug, Default)]
pub(super) struct Object(String);

impl Object {
    /// Adds a member; `value` is JSON.
    pub(super) fn json(mut self, key: &str, value: impl Display) -> Self {
        let separator = if self.0.is_empty() { "" } else { "," };
        let key = string(key);
        // A string accepts all that is written.
        let _ = write!(self.0, "{separator}{key}:{value}");
        self
    }

    /// Adds a string.
    pub(super) fn text(self, key: &str, value: &str) -> Self {
        self.json(key, string(value))
    }

    /// Adds an array of strings, unless it is empty.
    pub(super) fn texts(self, key: &str, values: &[impl AsRef<str>]) -> Self {
        match values {
            [] => self,
            values => self.json(key, list(values.iter().map(|value| string(value.as_ref())))),
        }
    }

    /// Adds the members of another object.
    pub(super) fn members(mut self, other: &Object) -> Self {
        let separator = if self.0.is_empty() || other.0.is_empty() { "" } else { "," };
        self.0 += separator;
        self.0 += &other.0;
        self
    }

    /// Returns the text of the object.
    pub(super) fn finish(&self) -> String {
        format!("{{{}}}", self.0)
    }
}

/// Returns an array; `values` are JSON.
pub(super) fn list(values: impl IntoIterator<Item = impl Display>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", values.join(","))
}

/// Returns a string in quotes (RFC 8259, section 7).
pub(super) fn string(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            // A string accepts all that is written.
            c if c < ' ' => drop(write!(quoted, "\\u{:04x}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_parser_reads_the_values_back() {
        let text = "a \"quoted\" \\ word,\n\tµ";
        let inner = Object::default().json("number", 1e-6).text(text, text);
        let object = Object::default()
            .members(&Object::default())
            .members(&inner)
            .texts("none", &[""; 0])
            .texts("two", &["a", text])
            .json("shape", list([3, 2]));
        let expected = json!({ "number": 1e-6, text: text, "two": ["a", text], "shape": [3, 2] });
        assert_eq!(serde_json::from_str::<Value>(&object.finish()).unwrap(), expected);
        assert_eq!(Object::default().finish(), "{}");
    }
}
