//! A map that keeps the most recently used entries.

use std::collections::HashMap;
use std::hash::Hash;

/// A map of limited size: a new entry replaces the least recently used one.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    most: usize,
    /// The number of uses so far.
    uses: u64,
    /// Each value with the count at its last use.
    entries: HashMap<K, (u64, V)>,
}

impl<K: Hash + Eq + Clone, V: Clone + Default> Recent<K, V> {
    /// An empty map of at most `most` entries, at least 1.
    pub(crate) fn new(most: usize) -> Self {
        Recent { most: most.max(1), uses: 0, entries: HashMap::new() }
    }

    /// Returns the value of a key; inserts a default value if there is none.
    pub(crate) fn get(&mut self, key: K) -> V {
        self.uses += 1;
        if !self.entries.contains_key(&key) && self.entries.len() >= self.most {
            let oldest = self.entries.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.entries.remove(&oldest);
            }
        }
        let (used, value) = self.entries.entry(key).or_default();
        *used = self.uses;
        value.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Recent;

    /// Compares with a list of keys in the order of their last uses.
    #[test]
    fn the_least_recently_used_entry_makes_room() {
        let mut map: Recent<u32, Arc<()>> = Recent::new(3);
        let mut listed: Vec<(u32, Arc<()>)> = Vec::new();
        let mut state = 1_u32;
        for _ in 0..1000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = (state >> 16) % 6;
            let value = map.get(key);
            let known = listed.iter().position(|(other, _)| *other == key);
            if let Some(known) = known.map(|place| listed.remove(place)) {
                assert!(Arc::ptr_eq(&known.1, &value), "{key} was forgotten");
            } else {
                assert_eq!(Arc::strong_count(&value), 2, "{key} was kept");
            }
            listed.push((key, value));
            if listed.len() > 3 {
                listed.remove(0);
            }
            assert_eq!(map.entries.len(), listed.len());
        }
    }
}
