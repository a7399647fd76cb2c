//! Small values in a ConfigMap of a cluster.

use std::fmt;

use kubewright_core::flow::ApiStatus;
use kubewright_core::names::{KvStore, KvStoreError};
use kubewright_machinery::object::{GroupVersionKind, Key};

use super::{ApiError, ApiRequest, ApiResource, Cluster, Matcher, PatchKind, RetryPolicy};

/// The refusals which mean that another writer changed, created or deleted the ConfigMap since it was read.
const OVERTAKEN: [Matcher; 3] = [ApiStatus::is_conflict, ApiStatus::is_already_exists, ApiStatus::is_not_found];

/// The values that a ConfigMap holds: a [`KvStore`] with its requests. Cheap to clone. The ConfigMap need not exist.
///
/// It needs the permission to get, create and patch ConfigMaps in its namespace.
#[derive(Clone)]
pub struct StoredValues {
    cluster: Cluster,
    config_maps: ApiResource,
    config_map: Key,
    manager: String,
}

/// The error of changing the values of a ConfigMap.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredValuesError {
    /// The server rejected the read or write of the ConfigMap, or did not answer.
    #[error("bring the values of the ConfigMap {config_map} up to date")]
    Api {
        /// The namespace and name of the ConfigMap.
        config_map: Key,
        /// The error of the request.
        source: ApiError,
    },
    /// A value cannot be read or written.
    #[error("change the values of the ConfigMap {config_map}")]
    Value {
        /// The namespace and name of the ConfigMap.
        config_map: Key,
        /// The error of the value.
        source: KvStoreError,
    },
}

impl Cluster {
    /// Returns the values in the ConfigMap with this namespace and name, which are written with this field manager.
    pub fn stored_values(&self, namespace: impl AsRef<str>, name: impl AsRef<str>, manager: impl Into<String>) -> StoredValues {
        let config_maps = ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true);
        let config_map = Key::new(namespace, name);
        StoredValues { cluster: self.clone(), config_maps, config_map, manager: manager.into() }
    }
}

impl StoredValues {
    /// Reads the values with one request. A missing ConfigMap counts as empty.
    ///
    /// # Errors
    /// Returns the error of the request. The absence of the ConfigMap is not an error.
    pub async fn load(&self) -> Result<KvStore, ApiError> {
        match self.cluster.send(&ApiRequest::get(&self.config_maps, self.config_map.namespace(), self.config_map.name())).await {
            Ok(config_map) => Ok(KvStore::load(&config_map)),
            Err(error) if error.is_not_found() => Ok(KvStore::new()),
            Err(error) => Err(error),
        }
    }

    /// Writes the changes since the values were loaded: nothing, the changed keys, or a new ConfigMap if there was none. Returns true if there was anything
    /// to write; the values are then those that the server has.
    ///
    /// # Errors
    /// Returns the error of the request. After a conflict the values must be loaded and changed again, as [`update`](Self::update) does.
    pub async fn save(&self, values: &mut KvStore) -> Result<bool, ApiError> {
        let Some(patch) = values.patch() else { return Ok(false) };
        let (namespace, name) = (self.config_map.namespace(), self.config_map.name());
        let request = if values.is_stored() {
            ApiRequest::patch(&self.config_maps, namespace, name, PatchKind::Merge, &patch)
        } else {
            ApiRequest::create(&self.config_maps, &values.config_map(namespace, name))
        };
        let answer = self.cluster.send(&request.field_manager(&self.manager)).await?;
        self.cluster.watches().record_write(&answer);
        *values = KvStore::load(&answer);
        Ok(true)
    }

    /// Loads the values, changes them, and saves the changed keys. This is repeated at most three times if other writers change the ConfigMap in between.
    /// Returns the values that the server has then.
    ///
    /// # Errors
    /// Returns the error of a request, or the error of `change`, after which nothing has been written.
    pub async fn update(
        &self,
        change: impl Fn(&mut KvStore) -> Result<(), KvStoreError> + Sync,
    ) -> Result<KvStore, StoredValuesError> {
        let change = &change;
        let attempt = |_| async move {
            let refused = |source| StoredValuesError::Api { config_map: self.config_map.clone(), source };
            let mut values = self.load().await.map_err(refused)?;
            change(&mut values).map_err(|source| StoredValuesError::Value { config_map: self.config_map.clone(), source })?;
            self.save(&mut values).await.map_err(refused)?;
            Ok(values)
        };
        self.cluster.retry(&RetryPolicy::default(), &OVERTAKEN, attempt).await
    }
}

impl fmt::Debug for StoredValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredValues").field("config_map", &self.config_map).finish_non_exhaustive()
    }
}
