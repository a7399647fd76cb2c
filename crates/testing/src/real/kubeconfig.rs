//! A kubeconfig with inline certificates.

use base64::Engine as _;
use serde_json::json;

use super::certificates::Pair;

/// Returns a kubeconfig in JSON, which is also YAML.
pub(super) fn kubeconfig(server: &str, ca: &str, user: &str, pair: &Pair) -> String {
    let base64 = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "kubewright", "cluster": {"server": server, "certificate-authority-data": base64(ca)}}],
        "users": [{"name": user, "user": {
            "client-certificate-data": base64(&pair.certificate),
            "client-key-data": base64(&pair.key),
        }}],
        "contexts": [{"name": "kubewright", "context": {"cluster": "kubewright", "user": user}}],
        "current-context": "kubewright",
    })
    .to_string()
}
