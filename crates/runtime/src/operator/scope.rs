//! The distinction of permissions for cluster-scoped objects.

use std::collections::BTreeSet;

use serde_json::Value;

use super::Rule;

/// The cluster-scoped resources of Kubernetes: groups with their plurals. Users and groups are not objects, but rules name them too.
const CLUSTER_SCOPED: &[(&str, &[&str])] = &[
    ("", &["componentstatuses", "groups", "namespaces", "nodes", "persistentvolumes", "users"]),
    (
        "admissionregistration.k8s.io",
        &[
            "mutatingadmissionpolicies",
            "mutatingadmissionpolicybindings",
            "mutatingwebhookconfigurations",
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "validatingwebhookconfigurations",
        ],
    ),
    ("apiextensions.k8s.io", &["customresourcedefinitions"]),
    ("apiregistration.k8s.io", &["apiservices"]),
    ("authentication.k8s.io", &["selfsubjectreviews", "tokenreviews", "userextras", "uids"]),
    ("authorization.k8s.io", &["selfsubjectaccessreviews", "selfsubjectrulesreviews", "subjectaccessreviews"]),
    ("certificates.k8s.io", &["certificatesigningrequests", "clustertrustbundles", "signers"]),
    ("flowcontrol.apiserver.k8s.io", &["flowschemas", "prioritylevelconfigurations"]),
    ("networking.k8s.io", &["ingressclasses", "ipaddresses", "servicecidrs"]),
    ("node.k8s.io", &["runtimeclasses"]),
    ("rbac.authorization.k8s.io", &["clusterrolebindings", "clusterroles"]),
    ("resource.k8s.io", &["deviceclasses", "devicetaintrules", "resourceslices"]),
    ("scheduling.k8s.io", &["priorityclasses"]),
    ("storage.k8s.io", &["csidrivers", "csinodes", "storageclasses", "volumeattachments", "volumeattributesclasses"]),
    ("storagemigration.k8s.io", &["storageversionmigrations"]),
];

/// The resources that are known to be cluster-scoped: those of Kubernetes, and those of the operator's own definitions.
pub(super) struct ClusterScoped<'a> {
    kubernetes: BTreeSet<(&'a str, &'a str)>,
    own: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> ClusterScoped<'a> {
    pub(super) fn with(definitions: impl Iterator<Item = &'a Value>) -> Self {
        let text = |crd: &'a Value, pointer| crd.pointer(pointer).and_then(Value::as_str);
        let own = definitions
            .filter(move |crd| text(crd, "/spec/scope") == Some("Cluster"))
            .filter_map(move |crd| Some((text(crd, "/spec/group")?, text(crd, "/spec/names/plural")?)));
        let known = CLUSTER_SCOPED.iter().flat_map(|(group, plurals)| plurals.iter().map(|plural| (*group, *plural)));
        Self { kubernetes: known.collect(), own: own.collect() }
    }

    /// Returns true if the operator brings a definition of cluster-scoped objects.
    pub(super) fn any_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Returns true if a rule is for cluster-scoped objects.
    pub(super) fn has(&self, rule: &Rule) -> bool {
        let plural = rule.resource.split_once('/').map_or(&*rule.resource, |(plural, _)| plural);
        let resource = (&*rule.group, plural);
        self.kubernetes.contains(&resource) || self.own.contains(&resource)
    }
}
