//! Kubeconfigs with all data inline (SRV-5).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kubewright_machinery::yaml;
use serde_json::{Value, json};

/// The credentials in a kubeconfig.
pub(super) enum Proof<'a> {
    /// A certificate and its key, both PEM.
    Certificate { certificate: &'a str, key: &'a str },
    /// No credentials, for a plain connection.
    None,
}

/// Returns the YAML text of a kubeconfig for one user of one server.
pub(super) fn kubeconfig(url: &str, authority: Option<&str>, user: &str, proof: &Proof<'_>) -> String {
    let encode = |text: &str| Value::from(STANDARD.encode(text));
    let mut cluster = json!({"server": url});
    if let Some(authority) = authority {
        cluster["certificate-authority-data"] = encode(authority);
    }
    let credentials = match proof {
        Proof::Certificate { certificate, key } => {
            json!({"client-certificate-data": encode(certificate), "client-key-data": encode(key)})
        }
        Proof::None => json!({}),
    };
    yaml::to_string(&json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "kubewright", "cluster": cluster}],
        "users": [{"name": user, "user": credentials}],
        "contexts": [{"name": "kubewright", "context": {"cluster": "kubewright", "user": user}}],
        "current-context": "kubewright",
    }))
}
