//! Caches: their kind, their dependents, and their reference to a database.

use std::collections::{BTreeMap, BTreeSet};

use kubewright::component::Key;
use kubewright::kube::Api;
use kubewright::machinery::object::canonical_sha256;
use kubewright::prelude::*;
use parking_lot::Mutex;

use crate::database::{Connection, Database};

/// The annotation that distinguishes pods with different settings.
const SETTINGS: &str = "demo.kubewright.dev/settings";

/// Installs a cache.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "demo.kubewright.dev", version = "v1alpha1", kind = "Cache", namespaced, status = "ComponentStatus")]
#[serde(rename_all = "camelCase")]
pub struct CacheSpec {
    /// How dependents are adopted, updated and deleted.
    #[serde(flatten)]
    pub policies: Policies,
    /// Container image.
    #[serde(default = "image")]
    pub image: String,
    /// The database whose content is cached.
    #[serde(default)]
    #[reference(ignore_on_deletion)]
    pub database: Option<DatabaseRef>,
}

fn image() -> String {
    "valkey/valkey:9.0".to_owned()
}

/// The name of a database of the same namespace.
#[derive(HoldsReferences, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[reference(content = Connection)]
pub struct DatabaseRef {
    /// The name of the database.
    pub name: String,
}

impl Reference for DatabaseRef {
    async fn load(&self, cx: &LoadContext) -> Flow<Loaded<Connection>> {
        // The reader is noted before the database is read, so that no change of the database is missed.
        let cache = Key::new(cx.namespace(), cx.name());
        note_reader(&cache, Some(Key::new(cx.namespace(), self.name.as_str())));
        let databases = Api::<Database>::namespaced(cx.client(), cx.namespace());
        let Some(database) = databases.get_opt(&self.name).await? else {
            return Wait::for_event("DatabaseMissing").message(format!("there is no database {}", self.name)).into();
        };
        match database.connection() {
            Some(connection) => Ok(Loaded::hashed(connection)),
            None => Wait::for_event("DatabaseNotReady").message(format!("the database {} is not ready", self.name)).into(),
        }
    }
}

impl Cache {
    /// Returns the key of the database that the cache refers to.
    pub fn database_key(&self) -> Option<Key> {
        let database = self.spec.database.as_ref()?;
        Some(Key::new(self.namespace().unwrap_or_default(), database.name.as_str()))
    }
}

/// The caches that read each database. A watch on databases shows only databases, and a reference has no other memory.
static READERS: Mutex<BTreeMap<Key, BTreeSet<Key>>> = Mutex::new(BTreeMap::new());

/// Notes the database that a cache reads.
fn note_reader(cache: &Key, database: Option<Key>) {
    let mut readers = READERS.lock();
    readers.retain(|_, caches| {
        caches.remove(cache);
        !caches.is_empty()
    });
    if let Some(database) = database {
        readers.entry(database).or_default().insert(cache.clone());
    }
}

/// Returns the caches that a change of a database concerns.
pub(crate) fn readers(database: &Database) -> Vec<Key> {
    let key = Key::new(database.namespace().unwrap_or_default(), database.name_any());
    READERS.lock().get(&key).into_iter().flatten().cloned().collect()
}

/// Forgets the database that a deleted cache read.
pub(crate) async fn forget(_: &HookContext<Cache>, cache: &Cache, _: &mut ComponentStatus) -> Flow {
    note_reader(&Key::new(cache.namespace().unwrap_or_default(), cache.name_any()), None);
    Ok(())
}

/// Renders the dependents of one Cache.
pub(crate) async fn render(cx: &RenderContext<Cache>) -> Result<Vec<Manifest>, RenderError> {
    let spec = &cx.component().spec;
    // The name differs from that of a database's dependents, so that both kinds can use one name.
    let name = format!("{}-cache", cx.name());
    let labels = json!({"app.kubernetes.io/name": "cache", "app.kubernetes.io/instance": cx.name()});
    let data = match cx.loaded(&spec.database) {
        Some(database) => json!({"DATABASE_HOST": database.host, "DATABASE_PORT": database.port.to_string()}),
        None => json!({}),
    };
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": labels},
        "spec": {"selector": labels, "ports": [{"name": "cache", "port": 6379, "targetPort": "cache"}]},
    });
    let server = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                // Pods read their environment when they start, so changed settings require new pods.
                "metadata": {"labels": labels, "annotations": {SETTINGS: canonical_sha256(&data)}},
                "spec": {
                    "containers": [{
                        "name": "cache",
                        "image": spec.image,
                        "envFrom": [{"configMapRef": {"name": name}}],
                        "ports": [{"name": "cache", "containerPort": 6379}],
                    }],
                },
            },
        },
    });
    let settings = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels}, "data": data});
    [settings, service, server].into_iter().map(|object| Ok(Manifest::from_json(object)?)).collect()
}
