//! The manifest of a persisted file: a text that identifies its content.
//!
//! The manifest has a line `name = value` for each property that distinguishes the file, and a hash
//! as the last line.

use core::fmt::Write as _;

/// The beginning of the last line.
const HASH: &str = "hash = ";

/// An entry in which two manifests differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The name of the entry.
    pub name: String,
    /// The value in the other manifest.
    pub theirs: String,
    /// The value in this manifest.
    pub ours: String,
}

/// Returns the lines of some entries. Each value becomes one line.
#[must_use]
pub fn lines(entries: &[(impl AsRef<str>, String)]) -> String {
    let mut text = String::new();
    for (name, value) in entries {
        let _ = writeln!(text, "{} = {}", name.as_ref(), value.replace(['\n', '\r'], " "));
    }
    text
}

/// Appends the hash of the lines.
#[must_use]
pub fn sealed(mut lines: String) -> String {
    let hash = blake3::hash(lines.as_bytes());
    let _ = writeln!(lines, "{HASH}{}", hash.to_hex());
    lines
}

/// Returns the lines of a text, after a check of their hash.
///
/// # Errors
/// The defect of the text.
pub fn unsealed(text: &str) -> Result<&str, &'static str> {
    let (lines, hash) = text.rsplit_once(HASH).ok_or("its last line, the hash, is missing")?;
    if hash.trim_end() != blake3::hash(lines.as_bytes()).to_hex().as_str() {
        return Err("its hash does not match its lines");
    }
    Ok(lines)
}

/// Returns the entries of some lines.
pub fn entries(lines: &str) -> impl Iterator<Item = (&str, &str)> {
    lines.lines().filter_map(|line| line.split_once(" = "))
}

/// Returns the first entry in which the lines `theirs` differ from `ours`.
#[must_use]
pub fn difference(ours: &str, theirs: &str) -> Option<Difference> {
    let (mut ours, mut theirs) = (entries(ours), entries(theirs));
    let none = "missing";
    loop {
        let [name, theirs, ours] = match (theirs.next(), ours.next()) {
            (None, None) => return None,
            (theirs, ours) if theirs == ours => continue,
            (Some((a, theirs)), Some((b, ours))) if a == b => [a, theirs, ours],
            (_, Some((name, ours))) => [name, none, ours],
            (Some((name, theirs)), None) => [name, theirs, none],
        };
        let [name, theirs, ours] = [name, theirs, ours].map(str::to_owned);
        return Some(Difference { name, theirs, ours });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart_by_their_first_difference() {
        let ours = [("a", "1"), ("b", "x = y\nz"), ("c", "3")];
        let ours = lines(&ours.map(|(name, value)| (name, value.to_owned())));
        assert_eq!(ours, "a = 1\nb = x = y z\nc = 3\n");
        let differs =
            |theirs: &str| difference(&ours, theirs).map(|it| [it.name, it.theirs, it.ours]);
        let entry = |it: [&str; 3]| Some(it.map(str::to_owned));
        assert_eq!(differs(&format!("{ours}state 1 2\n")), None);
        assert_eq!(differs("a = 1\nb = 2\nc = 4\n"), entry(["b", "2", "x = y z"]));
        assert_eq!(differs("a = 1\n"), entry(["b", "missing", "x = y z"]));
        assert_eq!(differs("c = 3\n"), entry(["a", "missing", "1"]));
        assert_eq!(differs(&format!("{ours}d = 4\n")), entry(["d", "4", "missing"]));
    }

    #[test]
    fn a_text_that_was_changed_is_no_text() {
        let text = sealed("a = 1\n".to_owned());
        assert_eq!(unsealed(&text), Ok("a = 1\n"));
        assert!(unsealed(&text.replace('1', "2")).is_err_and(|what| what.contains("hash")));
        assert!(unsealed("a = 1\n").is_err() && unsealed("").is_err());
    }
}
