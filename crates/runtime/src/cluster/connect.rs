use std::panic;
use std::path::{Path, PathBuf};

use kube::Config;
use kube::config::{AuthInfo, InClusterError, KubeConfigOptions, Kubeconfig, KubeconfigError};
use kubewright_core::flow::{Confidential, full_text};
use serde_json::Value;

/// The error of connecting to a cluster. Each variant's message says how to correct it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// A kubeconfig file cannot be used.
    #[error("load kubeconfig {}: {}; correct the file, or name another with --kubeconfig or $KUBECONFIG", path.display(), full_text(source))]
    Kubeconfig {
        /// The path of the file.
        path: PathBuf,
        /// The error of reading it.
        source: Box<KubeconfigError>,
    },
    /// The kubeconfig does not have the requested context.
    #[error("find context {context:?} in kubeconfig {}: it has {}", path.display(), list(known))]
    Context {
        /// The path of the file.
        path: PathBuf,
        /// The requested context.
        context: String,
        /// The contexts of the file.
        known: Vec<String>,
    },
    /// There is neither a kubeconfig nor a service account.
    #[error(
        "find a cluster: no kubeconfig ({}) and not inside a cluster ({}); set $KUBECONFIG, or pass --kubeconfig",
        full_text(kubeconfig),
        full_text(in_cluster)
    )]
    NoCluster {
        /// The reason why no kubeconfig was found.
        kubeconfig: Box<KubeconfigError>,
        /// The reason why no service account was found.
        in_cluster: Box<InClusterError>,
    },
    /// The binary has no TLS implementation.
    #[error(
        "set up TLS: this binary has no rustls crypto provider; \
         enable the feature `ring` or `aws-lc-rs` of rustls, or install a provider at the start of main"
    )]
    NoCryptoProvider,
    /// The name of a user or group cannot be sent in a header.
    #[error("impersonate {found:?}: a user or group must be a visible text that is not empty")]
    InvalidIdentity {
        /// The invalid name.
        found: String,
    },
    /// The client of an impersonating configuration is asked to impersonate another user; a request can act for one user only.
    #[error(
        "impersonate a user in cluster {cluster}: its configuration impersonates a user already (remove `as` and `as-groups` \
         from the kubeconfig, or the impersonation)"
    )]
    ActsAsAnother {
        /// The name of the cluster.
        cluster: String,
    },
    /// The configuration cannot be turned into a client.
    #[error("set up a client for {url}: {}", full_text(source))]
    Client {
        /// The URL of the API server.
        url: String,
        /// The error of creating the client.
        source: Box<kube::Error>,
    },
}

/// Returns the credentials that identify requests, as far as the configuration contains them.
pub(super) fn credentials(auth: &AuthInfo) -> Confidential {
    let mut auth = serde_json::to_value(auth).unwrap_or_default();
    let text = |field: &str| auth.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    // The header of basic authentication holds user and password in one value.
    let basic = format!("{}:{}", text("username"), text("password"));
    auth["authorization"] = basic.into();
    Confidential::of(&auth, false)
}

/// Reads the configuration of a kubeconfig file: that of its current context, unless the options name another context or parts of it.
pub async fn config_from_file(path: &Path, options: &KubeConfigOptions) -> Result<Config, ConnectError> {
    let refused = |source| ConnectError::Kubeconfig { path: path.to_owned(), source: Box::new(source) };
    let kubeconfig = Kubeconfig::read_from(path).map_err(refused)?;
    if let Some(context) = &options.context {
        let known: Vec<_> = kubeconfig.contexts.iter().map(|known| known.name.clone()).collect();
        if !known.iter().any(|known| known == context) {
            return Err(ConnectError::Context { path: path.to_owned(), context: context.clone(), known });
        }
    }
    Config::from_custom_kubeconfig(kubeconfig, options).await.map_err(refused)
}

/// Infers the configuration: `$KUBECONFIG`, else `~/.kube/config`, else the service account of the pod.
///
/// A kubeconfig that exists but cannot be used is an error, because connecting to another cluster instead would be unexpected.
pub async fn infer_config() -> Result<Config, ConnectError> {
    let missing = match Config::from_kubeconfig(&KubeConfigOptions::default()).await {
        Ok(config) => return Ok(config),
        Err(error) => error,
    };
    let named = std::env::var_os("KUBECONFIG").filter(|value| !value.is_empty());
    match (&missing, named) {
        (KubeconfigError::ReadConfig(io, _), None) if io.kind() == std::io::ErrorKind::NotFound => {}
        (KubeconfigError::FindPath, None) => {}
        (KubeconfigError::ReadConfig(_, path), _) => {
            return Err(ConnectError::Kubeconfig { path: path.clone(), source: Box::new(missing) });
        }
        (_, named) => {
            let path = named.map_or_else(|| PathBuf::from("~/.kube/config"), PathBuf::from);
            return Err(ConnectError::Kubeconfig { path, source: Box::new(missing) });
        }
    }
    Config::incluster()
        .map_err(|in_cluster| ConnectError::NoCluster { kubeconfig: Box::new(missing), in_cluster: Box::new(in_cluster) })
}

/// Creates a client that sends each request once.
pub(super) fn client(mut config: Config) -> Result<kube::Client, ConnectError> {
    config.default_retry = false;
    let url = config.cluster_url.to_string();
    // kube sets up TLS even for an address without TLS.
    if !has_crypto_provider() {
        return Err(ConnectError::NoCryptoProvider);
    }
    kube::Client::try_from(config).map_err(|source| ConnectError::Client { url, source: Box::new(source) })
}

/// Returns true if rustls has a crypto provider that is installed or the only one compiled in. Without one rustls panics; it has no other way to ask.
fn has_crypto_provider() -> bool {
    rustls::crypto::CryptoProvider::get_default().is_some() || panic::catch_unwind(rustls::ClientConfig::builder).is_ok()
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "no contexts".to_owned() } else { names.join(", ") }
}
