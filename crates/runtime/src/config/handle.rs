//! The configuration handle of a reconciler.

use std::any::type_name;
use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

use super::Configs;
use super::pass_snapshot::kept_of;

/// A typed configuration that follows its ConfigMap. Cheap to clone.
///
/// It is an argument of a reconciler's constructor: requesting it declares the ConfigMap, and the constructor runs after the ConfigMap is loaded. When the
/// value changes, all objects of the controller are reconciled again.
pub struct Config<T> {
    /// None for a fixed value.
    configs: Option<Configs>,
    channel: watch::Sender<Arc<T>>,
}

impl<T: Send + Sync + 'static> Config<T> {
    /// Creates a configuration that never changes, for tests of code that takes one.
    pub fn fixed(value: T) -> Self {
        Self { configs: None, channel: watch::Sender::new(Arc::new(value)) }
    }

    /// Creates a configuration that follows its ConfigMap.
    pub(crate) fn following(configs: Configs, channel: watch::Sender<Arc<T>>) -> Self {
        Self { configs: Some(configs), channel }
    }

    /// Returns the value. In a method of a reconciler it stays the same during the whole pass, even if the ConfigMap changes; a task that the method spawns
    /// sees the current one.
    pub fn snapshot(&self) -> Arc<T> {
        let snapshot = self.configs.as_ref().map(|configs| kept_of(configs).unwrap_or_else(|| configs.current()));
        let value = snapshot.and_then(|snapshot| snapshot.get::<T>());
        value.unwrap_or_else(|| Arc::clone(&*self.channel.borrow()))
    }

    /// Returns a receiver of the current value and all later ones. A change of the ConfigMap that leaves the value equal is not sent.
    pub fn changes(&self) -> watch::Receiver<Arc<T>> {
        self.channel.subscribe()
    }
}

impl<T> Clone for Config<T> {
    fn clone(&self) -> Self {
        Self { configs: self.configs.clone(), channel: self.channel.clone() }
    }
}

impl<T> fmt::Debug for Config<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Config<{}>", type_name::<T>())
    }
}
