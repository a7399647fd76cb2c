//! Roles and bindings that are there from the beginning, as data.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

const GROUP: &str = "rbac.authorization.k8s.io";

/// The file: roles, and who has them.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Roles {
    role: Vec<Role>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Role {
    name: String,
    /// Groups that have it everywhere.
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    /// Verbs, API groups, resources.
    #[serde(default)]
    resources: Vec<(Vec<String>, Vec<String>, Vec<String>)>,
    /// Verbs, paths.
    #[serde(default)]
    paths: Vec<(Vec<String>, Vec<String>)>,
}

/// The cluster roles and bindings, as objects without system metadata.
pub(crate) fn objects() -> Vec<Value> {
    // A test reads the file.
    let roles: Roles = toml::from_str(include_str!("../../../data/roles.toml")).unwrap_or_default();
    roles.role.iter().flat_map(|role| [Some(role.role()), role.binding()]).flatten().collect()
}

impl Role {
    fn role(&self) -> Value {
        let resources = self
            .resources
            .iter()
            .map(|(verbs, groups, resources)| json!({"verbs": verbs, "apiGroups": groups, "resources": resources}));
        let paths = self.paths.iter().map(|(verbs, paths)| json!({"verbs": verbs, "nonResourceURLs": paths}));
        let mut role = object("ClusterRole", &self.name);
        role["rules"] = resources.chain(paths).collect();
        if let Some(labels) = role["metadata"]["labels"].as_object_mut() {
            labels.extend(self.labels.iter().map(|(key, value)| (key.clone(), value.clone().into())));
        }
        role
    }

    fn binding(&self) -> Option<Value> {
        if self.groups.is_empty() {
            return None;
        }
        let subject = |group: &String| json!({"apiGroup": GROUP, "kind": "Group", "name": group});
        let mut binding = object("ClusterRoleBinding", &self.name);
        binding["roleRef"] = json!({"apiGroup": GROUP, "kind": "ClusterRole", "name": self.name});
        binding["subjects"] = self.groups.iter().map(subject).collect();
        Some(binding)
    }
}

fn object(kind: &str, name: &str) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": kind,
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roles_can_be_read() {
        toml::from_str::<Roles>(include_str!("../../../data/roles.toml")).unwrap();
        assert!(objects().iter().any(|object| object["metadata"]["name"] == "cluster-admin"));
    }
}
