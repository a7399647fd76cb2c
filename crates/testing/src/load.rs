//! Objects loaded as another cluster had them: with their UIDs, status, field managers and deletion timestamps.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::cluster::Cluster;
use serde_json::{Value, json};

use crate::TestCluster;
use crate::backend::Backend;

impl TestCluster {
    /// Stores objects exactly as they are, bypassing all that an API server does with a write. Their kinds must be served. On a real control plane
    /// the objects are written to its etcd; a cluster of a kubeconfig cannot be filled like this.
    pub async fn load(&self, objects: impl IntoIterator<Item = Value>) {
        match self.backend() {
            Backend::Embedded { server } => {
                if let Err(error) = server.seed(objects) {
                    self.fail(&format!("failed to load objects: {error}"));
                }
            }
            Backend::Real { plane, .. } => {
                let cluster = self.connect(self.tasks()).await;
                let etcd = etcd(plane.etcd()).unwrap_or_else(|error| self.fail(&error));
                for object in objects {
                    if let Err(error) = put(&cluster, &etcd, &object).await {
                        self.fail(&format!("failed to load {}: {error}", object.title()));
                    }
                }
            }
            Backend::Kubeconfig { .. } => self.fail("objects can be loaded into a cluster of the test's own only"),
        }
    }
}

/// Returns a client for the JSON gateway of etcd.
fn etcd(url: &str) -> Result<kube::Client, String> {
    let url = url.parse().map_err(|error| format!("failed to read the URL of etcd: {error}"))?;
    kube::Client::try_from(kube::Config::new(url)).map_err(|error| format!("failed to connect to etcd: {error}"))
}

async fn put(cluster: &Cluster, etcd: &kube::Client, object: &Value) -> Result<(), String> {
    let key = storage_key(cluster, object).await?;
    // The server reads JSON as well as its own encoding; it sets the version when it reads.
    let mut stored = object.clone();
    stored.metadata_mut().remove("resourceVersion");
    let body = json!({ "key": BASE64_STANDARD.encode(key), "value": BASE64_STANDARD.encode(stored.to_string()) });
    let request =
        http::Request::post("/v3/kv/put").header("Content-Type", "application/json").body(body.to_string().into_bytes());
    let request = request.map_err(|error| error.to_string())?;
    etcd.request_text(request).await.map(drop).map_err(|error| error.to_string())
}

/// Returns the etcd key under which kube-apiserver keeps an object.
async fn storage_key(cluster: &Cluster, object: &Value) -> Result<String, String> {
    let gvk = object.gvk().ok_or("it has no kind")?;
    let resource = cluster.discovery().require(&gvk).await.map_err(|error| error.to_string())?;
    // Built-in kinds are stored under their resource alone, except the kinds of the servers that kube-apiserver contains.
    let folder = match (gvk.group.as_str(), resource.plural.as_str()) {
        ("", "services") => "services/specs".to_owned(),
        ("networking.k8s.io", "ingresses") => "ingress".to_owned(),
        ("apiextensions.k8s.io" | "apiregistration.k8s.io", plural) => format!("{}/{plural}", gvk.group),
        (group, plural) if group.contains('.') && !group.ends_with(".k8s.io") => format!("{group}/{plural}"),
        (_, plural) => plural.to_owned(),
    };
    let object_path =
        if resource.namespaced { format!("{}/{}", object.namespace(), object.name()) } else { object.name().to_owned() };
    Ok(format!("/registry/{folder}/{object_path}"))
}
