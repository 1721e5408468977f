//! A map that forgets its oldest entries.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Holds at most as many entries as each `put` allows.
pub(super) struct Bounded<K, V> {
    entries: HashMap<K, (u64, V)>,
    next: u64,
}

impl<K, V> Default for Bounded<K, V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), next: 0 }
    }
}

impl<K: Hash + Eq + Clone, V> Bounded<K, V> {
    pub(super) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.entries.get(key).map(|(_, value)| value)
    }

    pub(super) fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.entries.get_mut(key).map(|(_, value)| value)
    }

    /// Puts an entry in as the youngest. Room is made a tenth at a time, so that a full map does
    /// not look for its oldest entry on every put.
    pub(super) fn put(&mut self, key: K, value: V, most: usize) {
        if self.entries.len() >= most && !self.entries.contains_key(&key) {
            let mut ages: Vec<u64> = self.entries.values().map(|(age, _)| *age).collect();
            ages.sort_unstable();
            let keep_from = ages[(most / 10).min(ages.len() - 1)];
            self.entries.retain(|_, (age, _)| *age > keep_from);
        }
        self.entries.insert(key, (self.next, value));
        self.next += 1;
    }

    pub(super) fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.entries.remove(key);
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&K, &V) -> bool) {
        self.entries.retain(|key, (_, value)| keep(key, value));
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut().map(|(_, value)| value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, (_, value))| (key, value))
    }
}
