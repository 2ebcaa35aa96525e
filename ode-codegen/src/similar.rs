//! Nearly equal names, for messages that suggest a correction.

/// Returns whether one edit turns `a` into `b`.
///
/// An edit adds, removes or replaces one letter, or swaps two neighbours.
pub(crate) fn nearly_equal(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    if longer - shorter > 1 || longer < 2 {
        return false;
    }
    let prefix = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let suffix = a.iter().rev().zip(b.iter().rev()).take(shorter - prefix);
    let suffix = suffix.take_while(|(x, y)| x == y).count();
    let differing = prefix..longer - suffix;
    let swapped = a.len() == b.len()
        && differing.len() == 2
        && a[prefix] == b[prefix + 1]
        && a[prefix + 1] == b[prefix];
    differing.len() == 1 || swapped
}

#[cfg(test)]
mod tests {
    use super::nearly_equal;

    #[test]
    fn names_that_are_nearly_equal() {
        assert!(nearly_equal("sigma", "sigmaa"));
        assert!(nearly_equal("sigma", "sgma"));
        assert!(nearly_equal("sigma", "sigme"));
        assert!(!nearly_equal("sigma", "sigma"));
        assert!(!nearly_equal("sigma", "segmo"));
        assert!(nearly_equal("sigma", "sgima"));
        assert!(!nearly_equal("sigma", "smgia"));
        assert!(!nearly_equal("x", "y"));
        assert!(nearly_equal("aa", "aaa"));
    }
}
