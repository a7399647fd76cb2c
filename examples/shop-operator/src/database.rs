//! Databases: their kind, their dependents, and the hook that keeps a database while caches use it.

use kubewright::kube::Api;
use kubewright::kube::api::ListParams;
use kubewright::prelude::*;

use crate::cache::Cache;

/// Installs a database.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "demo.kubewright.dev", version = "v1alpha1", kind = "Database", namespaced, status = "ComponentStatus")]
#[serde(rename_all = "camelCase")]
pub struct DatabaseSpec {
    /// How dependents are adopted, updated and deleted.
    #[serde(flatten)]
    pub policies: Policies,
    /// Container image.
    #[serde(default = "image")]
    pub image: String,
    /// Port of the Service.
    #[serde(default = "port")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: u32,
}

fn image() -> String {
    "postgres:18.1".to_owned()
}

fn port() -> u32 {
    5432
}

/// The connection data of a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Connection {
    /// The host name of its Service.
    pub host: String,
    /// The port of its Service.
    pub port: u32,
}

impl Database {
    /// Returns the connection data of this database. `None` until it was completely ready once.
    pub fn connection(&self) -> Option<Connection> {
        let was_ready = self.component_status().is_some_and(|status| status.applied_generation > 0);
        let host = format!("{}.{}.svc", dependent(&self.name_any()), self.namespace().unwrap_or_default());
        was_ready.then_some(Connection { host, port: self.spec.port })
    }
}

/// Returns the name of all dependents. It differs from that of a cache's dependents, so that both kinds can use one name.
fn dependent(name: &str) -> String {
    format!("{name}-database")
}

/// Renders the dependents of one Database.
pub(crate) async fn render(cx: &RenderContext<Database>) -> Result<Vec<Manifest>, RenderError> {
    let spec = &cx.component().spec;
    let name = dependent(cx.name());
    let labels = json!({"app.kubernetes.io/name": "database", "app.kubernetes.io/instance": cx.name()});
    let service = json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": labels},
        "spec": {"selector": labels, "ports": [{"name": "sql", "port": spec.port, "targetPort": "sql"}]},
    });
    let server = json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "serviceName": name,
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [{
                        "name": "database",
                        "image": spec.image,
                        // Only the caches of its namespace are meant to reach it, and it keeps no data.
                        "env": [{"name": "POSTGRES_HOST_AUTH_METHOD", "value": "trust"}],
                        "ports": [{"name": "sql", "containerPort": 5432}],
                    }],
                },
            },
        },
    });
    Ok(vec![Manifest::from_json(service)?, Manifest::from_json(server)?])
}

/// Keeps a database that is being deleted while caches refer to it.
pub(crate) async fn keep_while_in_use(cx: &HookContext<Database>, database: &Database, _: &mut ComponentStatus) -> Flow {
    let caches = Api::<Cache>::namespaced(cx.client(), &database.namespace().unwrap_or_default());
    let users: Vec<String> = caches
        .list(&ListParams::default())
        .await?
        .into_iter()
        .filter(|cache| cache.database_key().is_some_and(|key| key.name() == database.name_any()))
        .map(|cache| cache.name_any())
        .collect();
    if users.is_empty() {
        return Ok(());
    }
    Blocked::new("InUse", format!("the database is in use by the caches {} (delete them first)", users.join(", "))).into()
}
