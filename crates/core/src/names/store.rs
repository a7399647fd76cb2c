//! Small values that an operator keeps in a ConfigMap.

use std::collections::BTreeMap;

use kubewright_machinery::object::{ObjectExt, names};
use kubewright_machinery::patch::diff_fields;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// JSON values by key in the `data` of a ConfigMap, in memory. The store computes its changes since it was loaded; it sends no requests.
///
/// Many users can read ConfigMaps, so a store must not hold secrets.
///
/// ```
/// use kubewright_core::names::KvStore;
/// use serde_json::json;
///
/// # fn main() -> Result<(), kubewright_core::names::KvStoreError> {
/// let read = json!({"metadata": {"resourceVersion": "7"}, "data": {"checkpoint": "41"}});
/// let mut store = KvStore::load(&read);
/// let checkpoint: u64 = store.get("checkpoint")?.unwrap_or_default();
/// store.set("checkpoint", &(checkpoint + 1))?;
/// assert_eq!(store.patch(), Some(json!({"metadata": {"resourceVersion": "7"}, "data": {"checkpoint": "42"}})));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KvStore {
    resource_version: String,
    loaded: Map<String, Value>,
    data: BTreeMap<String, String>,
}

/// A value of a store that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KvStoreError {
    /// The stored text is not the JSON of the wanted type.
    #[error("read key {key:?} of the store")]
    Read {
        /// The key.
        key: String,
        /// The error of the parser.
        source: serde_json::Error,
    },
    /// The value has no JSON form.
    #[error("write key {key:?} of the store")]
    Write {
        /// The key.
        key: String,
        /// The error of the serializer.
        source: serde_json::Error,
    },
    /// The key is not valid in a ConfigMap.
    #[error("write key {key:?} of the store: {problem}")]
    Key {
        /// The key.
        key: String,
        /// The reason why the key is invalid.
        problem: String,
    },
}

impl KvStore {
    /// Creates a store whose ConfigMap does not exist yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads the store from a ConfigMap, without changes. Call it after each read, and with the answer to each write.
    pub fn load(config_map: &Value) -> Self {
        let loaded = config_map.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
        let texts = loaded.iter().filter_map(|(key, text)| Some((key.clone(), text.as_str()?.to_owned())));
        Self { resource_version: config_map.resource_version().to_owned(), data: texts.collect(), loaded }
    }

    /// Returns true if the ConfigMap existed when the store was loaded. Such a ConfigMap is patched; otherwise it is created.
    pub fn is_stored(&self) -> bool {
        !self.resource_version.is_empty()
    }

    /// Returns the keys that have a value, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.data.keys().map(String::as_str)
    }

    /// Returns the value of a key, if it has one.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, KvStoreError> {
        let value = self.data.get(key).map(|text| serde_json::from_str(text)).transpose();
        value.map_err(|source| KvStoreError::Read { key: key.to_owned(), source })
    }

    /// Sets the value of a key. A value equal to the stored one is no change, even if its text is formatted differently.
    pub fn set<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), KvStoreError> {
        let problem = names::config_key(key).join("; ");
        if !problem.is_empty() {
            return Err(KvStoreError::Key { key: key.to_owned(), problem });
        }
        let value = serde_json::to_value(value).map_err(|source| KvStoreError::Write { key: key.to_owned(), source })?;
        // Setting the loaded value again after a change restores the text as it was loaded.
        let loaded = self.loaded.get(key).and_then(Value::as_str);
        let text = loaded.filter(|text| is_text_of(text, &value)).map_or_else(|| value.to_string(), str::to_owned);
        self.data.insert(key.to_owned(), text);
        Ok(())
    }

    /// Removes a key. Returns true if it had a value.
    pub fn remove(&mut self, key: &str) -> bool {
        self.data.remove(key).is_some()
    }

    /// Returns true if a value differs from the loaded one, so that a write is due.
    pub fn is_changed(&self) -> bool {
        self.changes().is_some()
    }

    /// Returns the merge patch that brings the ConfigMap up to date; `None` when nothing has changed. The patch holds only the changed keys and the
    /// resource version that was loaded. After a conflict, load the ConfigMap again and repeat the change.
    pub fn patch(&self) -> Option<Value> {
        let data = self.changes()?;
        if !self.is_stored() {
            return Some(json!({"data": data}));
        }
        Some(json!({"metadata": {"resourceVersion": self.resource_version}, "data": data}))
    }

    /// Returns the ConfigMap to create if it does not exist.
    pub fn config_map(&self, namespace: &str, name: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"namespace": namespace, "name": name},
            "data": self.texts(),
        })
    }

    fn changes(&self) -> Option<Value> {
        diff_fields(&self.loaded, &self.texts())
    }

    fn texts(&self) -> Map<String, Value> {
        self.data.iter().map(|(key, text)| (key.clone(), Value::from(text.as_str()))).collect()
    }
}

fn is_text_of(text: &str, value: &Value) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|stored| stored == *value)
}
