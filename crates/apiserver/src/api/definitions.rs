//! The kinds that are served: the registry, and the custom resource definitions in force.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::ObjectApi;
use crate::kinds::{KindSpec, Registry};

/// A definition whose kinds are served.
#[derive(Clone, Debug)]
pub(super) struct InForce {
    /// The input from which the kinds were made.
    shape: Value,
    /// The revision of establishment. Objects of older revisions were written under another schema, or before there was one.
    since: u64,
    /// The time at which the kinds were first served.
    established: Duration,
}

/// The kinds that are served now. The value is cheap to clone.
#[derive(Clone)]
pub(super) struct ServedKinds {
    pub(super) registry: Registry,
    pub(super) definitions: HashMap<String, InForce>,
}

impl ServedKinds {
    pub(super) fn builtin() -> Self {
        Self { registry: Registry::builtin(), definitions: HashMap::new() }
    }
}

impl ObjectApi {
    /// Returns the registry of the kinds that are served now.
    pub fn registry(&self) -> Registry {
        self.served.read().registry.clone()
    }

    /// Calls `ask` with the registry of the kinds that are served now, without cloning it.
    pub(crate) fn with_registry<T>(&self, ask: impl FnOnce(&Registry) -> T) -> T {
        ask(&self.served.read().registry)
    }

    /// Starts serving the kinds of a definition. `shape` is the input from which they were made.
    pub(crate) fn put_definition_in_force(&self, definition: &str, kinds: Vec<KindSpec>, shape: Value) {
        let mut served = self.served.write();
        let known = served.definitions.get(definition).map(|in_force| in_force.established);
        let established = known.unwrap_or_else(|| self.clock.moment());
        let in_force = InForce { shape, since: self.store.revision(), established };
        served.definitions.insert(definition.to_owned(), in_force);
        served.registry = served.registry.with_definition(definition, kinds);
    }

    /// Stops serving the kinds of a definition.
    pub(crate) fn withdraw_definition(&self, definition: &str) {
        let mut served = self.served.write();
        served.definitions.remove(definition);
        served.registry = served.registry.without_definition(definition);
    }

    /// Sets the group and version that an APIService would serve if its service answered; `None` if it answers or is gone.
    pub(crate) fn note_unavailable(&self, service: &str, serves: Option<(String, String)>) {
        let mut served = self.served.write();
        served.registry = served.registry.with_unavailable(service, serves);
    }

    /// Returns the input from which the kinds of a definition in force were made.
    pub(crate) fn definition_in_force(&self, definition: &str) -> Option<Value> {
        self.served.read().definitions.get(definition).map(|in_force| in_force.shape.clone())
    }

    /// Returns true if an object was written under the current schema of its kind.
    pub(crate) fn is_fresh(&self, kind: &KindSpec, revision: u64) -> bool {
        kind.custom.as_ref().is_none_or(|custom| {
            self.served.read().definitions.get(&custom.definition).is_some_and(|in_force| revision > in_force.since)
        })
    }

    /// Notes that an object was written as this kind. If the kind was replaced meanwhile, the object counts as written before the replacement.
    pub(crate) fn note_written(&self, kind: &Arc<KindSpec>, revision: u64) {
        let Some(custom) = &kind.custom else { return };
        let is_present = |registry: &Registry| {
            registry.resource(&kind.group, &kind.version, &kind.plural).is_some_and(|present| Arc::ptr_eq(present, kind))
        };
        if self.with_registry(is_present) {
            return;
        }
        if let Some(in_force) = self.served.write().definitions.get_mut(&custom.definition) {
            in_force.since = in_force.since.max(revision);
        }
    }

    /// Returns the time from which on objects of the kind may be created (DIF-1).
    pub(crate) fn open_for_creates(&self, kind: &KindSpec) -> Duration {
        let Some(custom) = kind.custom.as_ref().filter(|_| !self.options.cr_create_delay.is_zero()) else {
            return Duration::ZERO;
        };
        let established = self.served.read().definitions.get(&custom.definition).map(|in_force| in_force.established);
        established.unwrap_or_default() + self.options.cr_create_delay
    }
}
