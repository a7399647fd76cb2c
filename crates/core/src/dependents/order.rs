//! The orders of kinds within a wave (ORD-1, ORD-2). Lower numbers go first.

/// Returns the priority with which objects of this kind are applied.
pub(super) fn apply_priority(group: &str, kind: &str) -> i8 {
    match (group, kind) {
        ("", "Namespace") => -4,
        ("apiextensions.k8s.io", "CustomResourceDefinition")
        | ("networking.k8s.io", "IngressClass")
        | ("node.k8s.io", "RuntimeClass")
        | ("scheduling.k8s.io", "PriorityClass")
        | ("storage.k8s.io", "StorageClass")
        | ("rbac.authorization.k8s.io", "ClusterRole" | "Role") => -2,
        ("", "ConfigMap" | "Secret") | ("rbac.authorization.k8s.io", "ClusterRoleBinding" | "RoleBinding") => -1,
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => 1,
        ("apiregistration.k8s.io", "APIService") => 2,
        _ => 0,
    }
}

/// Returns the priority with which objects of this kind are deleted.
pub(super) fn delete_priority(group: &str, kind: &str) -> i8 {
    match (group, kind) {
        ("apiextensions.k8s.io", "CustomResourceDefinition") | ("apiregistration.k8s.io", "APIService") => -2,
        ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => -1,
        ("", "Service" | "ConfigMap" | "Secret") => 2,
        ("", "Namespace") => 3,
        ("networking.k8s.io", "IngressClass")
        | ("node.k8s.io", "RuntimeClass")
        | ("scheduling.k8s.io", "PriorityClass")
        | ("storage.k8s.io", "StorageClass") => 4,
        _ => 0,
    }
}
