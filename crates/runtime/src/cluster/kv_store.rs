//! Small values in a ConfigMap of a cluster.

use std::fmt;

use kubewright_core::flow::ApiStatus;
use kubewright_core::names::{KvStore, KvStoreError};
use kubewright_machinery::object::GroupVersionKind;

use super::{ApiError, ApiRequest, ApiResource, Cluster, Matcher, PatchKind, RetryPolicy};

/// Another writer was faster, or created the ConfigMap.
const OVERTAKEN: [Matcher; 2] = [ApiStatus::is_conflict, ApiStatus::is_already_exists];

/// The values that a ConfigMap holds: [`KvStore`] with its requests. Cheap to clone. The ConfigMap need not exist.
///
/// It needs the permission to get, create and patch ConfigMaps in its namespace.
#[derive(Clone)]
pub struct StoredValues {
    cluster: Cluster,
    config_maps: ApiResource,
    namespace: String,
    name: String,
    manager: String,
}

/// Values could not be brought up to date.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredValuesError {
    /// The server refused a request, or did not answer it.
    #[error("bring the values of a ConfigMap up to date")]
    Api(#[from] ApiError),
    /// A value cannot be read or written.
    #[error("change the values of a ConfigMap")]
    Value(#[from] KvStoreError),
}

impl Cluster {
    /// The values in a ConfigMap, which are written in the name of this field manager.
    pub fn stored_values(
        &self,
        namespace: impl Into<String>,
        name: impl Into<String>,
        manager: impl Into<String>,
    ) -> StoredValues {
        let config_maps = ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true);
        StoredValues {
            cluster: self.clone(),
            config_maps,
            namespace: namespace.into(),
            name: name.into(),
            manager: manager.into(),
        }
    }
}

impl StoredValues {
    /// Reads the values, with one request. There are none where there is no ConfigMap.
    ///
    /// # Errors
    /// What the server answers, but for the absence of the ConfigMap.
    pub async fn load(&self) -> Result<KvStore, ApiError> {
        match self.cluster.send(&ApiRequest::get(&self.config_maps, &self.namespace, &self.name)).await {
            Ok(config_map) => Ok(KvStore::load(&config_map)),
            Err(error) if error.is_not_found() => Ok(KvStore::new()),
            Err(error) => Err(error),
        }
    }

    /// Writes what has changed since the values were loaded: nothing, the changed keys, or a ConfigMap where there was none. Returns whether there was
    /// anything to write; the values are then those that the server has.
    ///
    /// # Errors
    /// What the server answers. A conflict: another writer was faster; load again and repeat the change, as [`update`](Self::update) does.
    pub async fn save(&self, values: &mut KvStore) -> Result<bool, ApiError> {
        let Some(patch) = values.patch() else { return Ok(false) };
        let request = if values.is_stored() {
            ApiRequest::patch(&self.config_maps, &self.namespace, &self.name, PatchKind::Merge, &patch)
        } else {
            ApiRequest::create(&self.config_maps, &values.config_map(&self.namespace, &self.name))
        };
        let answer = self.cluster.send(&request.field_manager(&self.manager)).await?;
        self.cluster.watches().record_write(&answer);
        *values = KvStore::load(&answer);
        Ok(true)
    }

    /// Loads the values, changes them, and saves what has changed; again, at most three times, when another writer was faster meanwhile. Returns the values
    /// as they are then.
    ///
    /// # Errors
    /// What the server answers, and what `change` returns; nothing is written then.
    pub async fn update(
        &self,
        change: impl Fn(&mut KvStore) -> Result<(), KvStoreError> + Sync,
    ) -> Result<KvStore, StoredValuesError> {
        let change = &change;
        let attempt = |_| async move {
            let mut values = self.load().await?;
            change(&mut values)?;
            self.save(&mut values).await?;
            Ok(values)
        };
        self.cluster.retry(&RetryPolicy::default(), &OVERTAKEN, attempt).await
    }
}

impl fmt::Debug for StoredValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredValues").field("namespace", &self.namespace).field("name", &self.name).finish_non_exhaustive()
    }
}
