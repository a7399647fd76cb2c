//! The embedded API server, its kubeconfig, and the objects installed on it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::api::{Api, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use kubewright_apiserver::listen::ListeningServer;
use kubewright_apiserver::workloads::{StageDelays, Workloads};
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use crate::DevError;

/// The time until a pod becomes ready, which is long enough to be seen.
const STAGE_DELAY: Duration = Duration::from_secs(1);

/// A running server with its port and kubeconfig file.
pub(crate) struct DevServer {
    server: ApiServer,
    endpoint: ListeningServer,
    kubeconfig: KubeconfigFile,
}

impl DevServer {
    pub(crate) async fn start(operator: &str, port: u16, kubeconfig: Option<PathBuf>) -> Result<Self, DevError> {
        let server = ApiServer::builder().workloads(Workloads::Pods).stage_delays(StageDelays::visible(STAGE_DELAY)).build()?;
        let endpoint = server.listen(&format!("127.0.0.1:{port}")).await?;
        let text = endpoint.kubeconfig(&Identity::admin())?;
        let kubeconfig = KubeconfigFile::write(operator, kubeconfig, &text)?;
        Ok(Self { server, endpoint, kubeconfig })
    }

    pub(crate) fn url(&self) -> String {
        self.endpoint.url()
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig.path
    }

    /// Returns a client that needs no socket.
    pub(crate) fn client(&self) -> kube::Client {
        self.server.client(Identity::admin())
    }

    pub(crate) async fn stop(self) {
        self.endpoint.shutdown().await;
    }
}

/// The kubeconfig file. A temporary one is deleted with the server.
struct KubeconfigFile {
    path: PathBuf,
    temporary: bool,
}

impl KubeconfigFile {
    fn write(operator: &str, wanted: Option<PathBuf>, text: &str) -> Result<Self, DevError> {
        if let Some(path) = wanted.as_ref().filter(|path| !may_overwrite(path)) {
            return Err(DevError::ForeignKubeconfig(path.clone()));
        }
        let temporary = wanted.is_none();
        let path = wanted.unwrap_or_else(|| std::env::temp_dir().join(format!("{operator}-{}.kubeconfig", std::process::id())));
        match write_private(&path, text) {
            Ok(()) => Ok(Self { path, temporary }),
            Err(source) => Err(DevError::Kubeconfig { path, source }),
        }
    }
}

impl Drop for KubeconfigFile {
    fn drop(&mut self) {
        if self.temporary {
            // A file that cannot be deleted only names a server that is gone.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns true if the path is free, or holds an empty file or a kubeconfig that this command wrote before.
fn may_overwrite(path: &Path) -> bool {
    !path.exists()
        || std::fs::read_to_string(path).is_ok_and(|text| text.trim().is_empty() || text.contains("current-context: kubewright"))
}

/// Writes a file that only the user can read, because it contains a key. An existing file is replaced by a new one.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    std::io::Write::write_all(&mut options.open(path)?, text.as_bytes())
}

/// Creates an object. An object that already exists is no error.
pub(crate) async fn install(client: &kube::Client, object: &Value) -> Result<(), DevError> {
    let what = || format!("{} {}", object.kind(), object.name());
    let failed = |source| DevError::Install { what: what(), source: Box::new(source) };
    let gvk = object.gvk().unwrap_or_default();
    let gvk = GroupVersionKind::gvk(&gvk.group, &gvk.version, &gvk.kind);
    let (resource, capabilities) = kube::discovery::pinned_kind(client, &gvk).await.map_err(failed)?;
    let api: Api<DynamicObject> = match (capabilities.scope, object.namespace()) {
        (kube::discovery::Scope::Namespaced, "") => Api::namespaced_with(client.clone(), "default", &resource),
        (kube::discovery::Scope::Namespaced, namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        (kube::discovery::Scope::Cluster, _) => Api::all_with(client.clone(), &resource),
    };
    let typed = serde_json::from_value(object.clone()).map_err(|error| failed(kube::Error::SerdeError(error)))?;
    let params = PostParams { field_manager: Some("kubewright-dev".to_owned()), ..PostParams::default() };
    match api.create(&params, &typed).await {
        Ok(_) => Ok(()),
        Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => Ok(()),
        Err(error) => Err(failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_kubeconfig_is_not_overwritten() {
        let path = std::env::temp_dir().join(format!("kubewright-dev-test-{}", std::process::id()));
        std::fs::write(&path, "current-context: production\n").unwrap();
        let refused = KubeconfigFile::write("demo", Some(path.clone()), "text").err().unwrap().to_string();
        assert!(refused.contains("--kubeconfig"), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "current-context: production\n");
        std::fs::write(&path, "current-context: kubewright\n").unwrap();
        KubeconfigFile::write("demo", Some(path.clone()), "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        std::fs::remove_file(&path).unwrap();
    }
}
