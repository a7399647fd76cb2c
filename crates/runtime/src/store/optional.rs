use super::{MetaStore, Store};
use crate::watch::WatchState;

/// A store of a kind that need not be served. A start does not wait for it; it becomes available when the kind is served.
#[derive(Clone, Debug)]
pub struct Optional<T>(T);

impl<T> Optional<T> {
    pub(crate) fn new(store: T) -> Self {
        Self(store)
    }
}

impl<K: serde::de::DeserializeOwned + Send + Sync + 'static, S, I> Optional<Store<K, S, I>> {
    /// Returns the store; None while the kind is not served.
    pub fn get(&self) -> Option<&Store<K, S, I>> {
        (self.0.kept().status().state != WatchState::NotServed && self.0.is_synced()).then_some(&self.0)
    }
}

impl<K: serde::de::DeserializeOwned + Send + Sync + 'static, S> Optional<MetaStore<K, S>> {
    /// Returns the store; None while the kind is not served.
    pub fn get(&self) -> Option<&MetaStore<K, S>> {
        (self.0.kept().status().state != WatchState::NotServed && self.0.is_synced()).then_some(&self.0)
    }
}
