//! Manifests that a program prints, applied to the cluster unchanged.

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_runtime::cluster::{ApiRequest, ApiResource, PatchKind};
use serde_json::json;

use crate::TestCluster;

/// The field manager of kubectl.
const MANAGER: &str = "kubectl";

impl TestCluster {
    /// Applies YAML documents in their order, as `kubectl apply --server-side --validate=strict` does, and returns the warnings of the server, each
    /// with its object. An object that the server rejects fails the test.
    pub async fn apply_printed(&self, yaml: &str) -> Vec<String> {
        let documents = kubewright_machinery::yaml::documents(yaml)
            .unwrap_or_else(|error| self.fail(&format!("failed to read the printed YAML: {error}")));
        let connected = self.connect(self.tasks()).await;
        let mut warnings = Vec::new();
        for document in documents {
            let name = format!("{} {}", document["kind"].as_str().unwrap_or_default(), document.name());
            let Some(kind) = document.gvk() else {
                self.fail(&format!("failed to apply {name}: apiVersion or kind are missing"))
            };
            let (found, namespaced) =
                self.resource(&kube::core::GroupVersionKind::gvk(&kind.group, &kind.version, &kind.kind)).await;
            let resource =
                ApiResource::known(&GroupVersionKind::new(kind.group, kind.version, kind.kind), &found.plural, namespaced);
            let request = ApiRequest::patch(&resource, document.namespace(), document.name(), PatchKind::Apply, &document)
                .field_manager(MANAGER)
                .query("fieldValidation", "Strict");
            match connected.exchange(&request).await {
                Ok(answer) => warnings.extend(answer.warnings.iter().map(|warning| format!("{name}: {warning}"))),
                Err(error) => self.fail(&format!("failed to apply {name}: {error}")),
            }
        }
        warnings
    }

    /// Returns true if the server authorizes a user for a verb on a resource in a namespace (a SubjectAccessReview).
    pub async fn allows(&self, user: &str, verb: &str, (group, resource): (&str, &str), namespace: &str) -> bool {
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {
                "user": user,
                "resourceAttributes": {"namespace": namespace, "verb": verb, "group": group, "resource": resource},
            },
        });
        match self.create(review).await {
            Ok(answer) => answer["status"]["allowed"] == true,
            Err(error) => self.fail(&format!("failed to ask whether {user} may {verb} {resource}: {error}")),
        }
    }
}
