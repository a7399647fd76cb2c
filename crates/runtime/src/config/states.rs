//! How the ConfigMaps that an operator reads are doing.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// How the ConfigMaps that an operator reads are doing, by name. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigStates(Arc<Mutex<BTreeMap<String, ConfigState>>>);

#[derive(Clone, Debug, Default)]
struct ConfigState {
    /// None while it is absent.
    version: Option<String>,
    is_ok: bool,
}

impl ConfigStates {
    /// A ConfigMap was read, or is absent and has no version; `is_ok` tells whether its values, or the defaults in its place, are in use.
    pub(super) fn read(&self, map: &str, version: Option<&str>, is_ok: bool) {
        self.0.lock().insert(map.to_owned(), ConfigState { version: version.map(str::to_owned), is_ok });
    }

    /// Nothing that is read from a ConfigMap has changed but its version.
    pub(super) fn touched(&self, map: &str, version: Option<&str>) {
        if let Some(state) = self.0.lock().get_mut(map) {
            state.version = version.map(str::to_owned);
        }
    }

    /// One entry for each ConfigMap that has been looked for.
    pub(crate) fn to_json(&self) -> Value {
        let states = self.0.lock();
        let told =
            |(name, state): (&String, &ConfigState)| json!({ "name": name, "resourceVersion": state.version, "ok": state.is_ok });
        states.iter().map(told).collect()
    }
}
