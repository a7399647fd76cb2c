//! All typed configuration at one moment.

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::RwLock;
use tokio::sync::watch;

use super::entry::{AnyConfig, ConfigChannel, ConfigEntry};

/// All typed configuration at one moment. Immutable.
#[derive(Default)]
pub(crate) struct ConfigSnapshot(HashMap<TypeId, AnyConfig>);

impl ConfigSnapshot {
    pub(super) fn new(values: impl IntoIterator<Item = (TypeId, AnyConfig)>) -> Self {
        Self(values.into_iter().collect())
    }

    /// Returns the configuration of a type, if a part of the operator declared it.
    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        Arc::downcast(Arc::clone(self.0.get(&TypeId::of::<T>())?)).ok()
    }
}

impl fmt::Debug for ConfigSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigSnapshot({})", self.0.len())
    }
}

/// The typed configuration of an operator. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Configs(Arc<Current>);

#[derive(Default)]
struct Current {
    /// The single pointer to all values: a pass takes all of them at once.
    snapshot: ArcSwap<ConfigSnapshot>,
    channels: RwLock<HashMap<TypeId, Box<dyn ConfigChannel>>>,
}

impl Configs {
    /// Returns the current snapshot.
    pub(crate) fn current(&self) -> Arc<ConfigSnapshot> {
        self.0.snapshot.load_full()
    }

    /// Returns true if both belong to the same operator.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the channel of a type; None before the first snapshot, or if the type was not declared.
    pub(crate) fn channel<T: Send + Sync + 'static>(&self) -> Option<watch::Sender<Arc<T>>> {
        let channels = self.0.channels.read();
        channels.get(&TypeId::of::<T>())?.as_any().downcast_ref::<watch::Sender<Arc<T>>>().cloned()
    }

    /// Swaps the snapshot, then sends the new values of these types.
    pub(super) fn swap<'a>(&self, snapshot: ConfigSnapshot, changed: impl IntoIterator<Item = &'a ConfigEntry>) {
        let snapshot = Arc::new(snapshot);
        self.0.snapshot.store(Arc::clone(&snapshot));
        let mut channels = self.0.channels.write();
        for entry in changed {
            let Some(value) = snapshot.0.get(&entry.type_id) else { continue };
            match channels.get(&entry.type_id) {
                Some(channel) => channel.send(value),
                None => channels.extend(entry.channel(value).map(|channel| (entry.type_id, channel))),
            }
        }
    }
}

impl fmt::Debug for Configs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.current().fmt(f)
    }
}
