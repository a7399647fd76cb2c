//! The states of the ConfigMaps that an operator reads.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// The states of the ConfigMaps that an operator reads, by name. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConfigStates(Arc<Mutex<BTreeMap<String, ConfigState>>>);

#[derive(Clone, Debug, Default)]
struct ConfigState {
    /// The resource version; None while the ConfigMap is absent.
    version: Option<String>,
    is_ok: bool,
}

impl ConfigStates {
    /// Records that a ConfigMap was read, or that it is absent if it has no version. `is_ok` tells if its values, or the defaults in its place, are in use.
    pub(super) fn read(&self, map: &str, version: Option<&str>, is_ok: bool) {
        self.0.lock().insert(map.to_owned(), ConfigState { version: version.map(str::to_owned), is_ok });
    }

    /// Records a new version of a ConfigMap whose data have not changed.
    pub(super) fn touched(&self, map: &str, version: Option<&str>) {
        if let Some(state) = self.0.lock().get_mut(map) {
            state.version = version.map(str::to_owned);
        }
    }

    /// Returns one entry for each ConfigMap that has been read or found absent.
    pub(crate) fn to_json(&self) -> Value {
        let states = self.0.lock();
        let told =
            |(name, state): (&String, &ConfigState)| json!({ "name": name, "resourceVersion": state.version, "ok": state.is_ok });
        states.iter().map(told).collect()
    }
}
