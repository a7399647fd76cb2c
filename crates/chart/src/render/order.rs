//! The order in which Helm installs and prints objects.

use super::hook::ChartHook;
use crate::compat::HelmCompat;

/// The kinds with a rank, in the order of installation.
const KINDS: [&str; 36] = [
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
];

/// The kinds that have a rank behind those with Helm 4.
const KINDS_OF_HELM_4: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// A document that has a place in Helm's order.
pub(super) trait HelmOrdered {
    /// Returns the kind of the object; the empty text if it has none.
    fn kind(&self) -> &str;

    /// Returns the hook that the annotations make of the document.
    fn hook(&self) -> Option<&ChartHook>;
}

/// Returns documents in Helm's order.
pub(super) fn in_helm_order<D: HelmOrdered>(documents: &[D], compat: HelmCompat) -> Vec<&D> {
    let is_printed = |hook: bool| {
        move |document: &&D| match document.hook() {
            None => !hook,
            Some(own) => hook && own.unknown_events().next().is_none(),
        }
    };
    let mut sorted: Vec<&D> = documents.iter().filter(is_printed(false)).collect();
    let mut hooks: Vec<&D> = documents.iter().filter(is_printed(true)).collect();
    sorted.sort_by_key(|document| rank(document.kind(), compat));
    hooks.sort_by_key(|document| rank(document.kind(), compat));
    sorted.append(&mut hooks);
    sorted
}

/// Returns the rank of a kind: kinds without one come last, by their names.
fn rank(kind: &str, compat: HelmCompat) -> (usize, &str) {
    let known_too: &[&str] = if compat == HelmCompat::Helm4 { &KINDS_OF_HELM_4 } else { &[] };
    match KINDS.iter().chain(known_too).position(|known| *known == kind) {
        Some(rank) => (rank, ""),
        None => (usize::MAX, kind),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::render::rendered::ChartDocument;

    fn order(compat: HelmCompat) -> Vec<String> {
        let document = |index, (kind, event): (&str, Option<&str>)| ChartDocument {
            file: String::new(),
            index,
            text: "".into(),
            object: json!({"kind": kind}).into(),
            hook: event.map(|event| ChartHook {
                events: vec![event.to_owned()],
                weight: None,
                delete_policies: Vec::new(),
                log_policies: Vec::new(),
            }),
        };
        let kinds = [
            ("Certificate", None),
            ("ValidatingWebhookConfiguration", None),
            ("Deployment", None),
            ("Job", Some("pre-install")),
            ("Pod", Some("never")),
            ("ServiceAccount", Some("pre-install")),
            ("Service", None),
        ];
        let documents: Vec<_> = kinds.into_iter().enumerate().map(|(index, kind)| document(index, kind)).collect();
        in_helm_order(&documents, compat).iter().map(|document| document.kind().to_owned()).collect()
    }

    #[test]
    fn objects_come_by_kind_and_hooks_last() {
        assert_eq!(
            order(HelmCompat::Helm3),
            ["Service", "Deployment", "Certificate", "ValidatingWebhookConfiguration", "ServiceAccount", "Job"]
        );
    }

    #[test]
    fn webhook_configurations_have_a_rank_with_helm_4() {
        assert_eq!(
            order(HelmCompat::Helm4),
            ["Service", "Deployment", "ValidatingWebhookConfiguration", "Certificate", "ServiceAccount", "Job"]
        );
    }
}
