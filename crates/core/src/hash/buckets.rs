//! The buckets that own keys, with a cache of owners.

use std::collections::HashMap;
use std::sync::Arc;

use kubewright_machinery::object::Key;

use super::choose;

/// The number of keys in each of the two generations of the cache, which holds 4096 owners in all. A key that is looked up again moves to the young
/// generation; when that is full, the old one is dropped.
const GENERATION: usize = 2048;

/// A set of bucket names, which determines the owner of each key.
#[derive(Clone, Debug, Default)]
pub struct Buckets {
    names: Vec<Arc<str>>,
    young: HashMap<Key, Arc<str>>,
    old: HashMap<Key, Arc<str>>,
}

impl Buckets {
    /// Creates the buckets with these names; repeated names count once.
    pub fn new(names: impl IntoIterator<Item = impl Into<Arc<str>>>) -> Self {
        let mut buckets = Self::default();
        buckets.replace(names);
        buckets
    }

    /// Replaces the names, and clears the cache of owners.
    pub fn replace(&mut self, names: impl IntoIterator<Item = impl Into<Arc<str>>>) {
        self.names = names.into_iter().map(Into::into).collect();
        self.names.sort_unstable();
        self.names.dedup();
        self.young.clear();
        self.old.clear();
    }

    /// Returns the names in byte order.
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Returns the bucket that owns a key; none if there are no buckets.
    pub fn owner(&mut self, key: &Key) -> Option<Arc<str>> {
        if let [] | [_] = self.names.as_slice() {
            return self.names.first().cloned();
        }
        if let Some(owner) = self.young.get(key) {
            return Some(owner.clone());
        }
        let owner = match self.old.remove(key) {
            Some(owner) => owner,
            None => self.compute(key)?,
        };
        if self.young.len() == GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key.clone(), owner.clone());
        Some(owner)
    }

    /// Computes the owner. Unlike its usual text, the text of a key without namespace begins with a slash here (HSH-5).
    fn compute(&self, key: &Key) -> Option<Arc<str>> {
        let text = format!("{}/{}", key.namespace(), key.name());
        let owner = *choose(&self.names, 1, &text).first()?;
        self.names.iter().find(|name| ***name == *owner).cloned()
    }

    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.young.len() + self.old.len()
    }
}
