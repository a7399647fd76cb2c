//! Bootstrap roles and bindings, which exist from the start, as data.

use serde::Deserialize;
use serde_json::{Value, json};

use super::GROUP;

/// The data file: roles, and the groups that they are bound to.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Roles {
    role: Vec<BootstrapRole>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BootstrapRole {
    name: String,
    /// Groups that have the role cluster-wide.
    #[serde(default)]
    groups: Vec<String>,
    /// The role that this role is aggregated into.
    part_of: Option<String>,
    /// True if the rules of the role are the aggregated rules of its parts.
    #[serde(default)]
    is_whole: bool,
    /// Resource rules: verbs, API groups, resources.
    #[serde(default)]
    resources: Vec<(Vec<String>, Vec<String>, Vec<String>)>,
    /// Non-resource rules: verbs, paths.
    #[serde(default)]
    paths: Vec<(Vec<String>, Vec<String>)>,
}

/// Returns the cluster roles and bindings as objects without system metadata.
pub(crate) fn objects() -> Vec<Value> {
    // The file is part of the crate and a test parses it, so parsing cannot fail here.
    let roles: Roles = toml::from_str(include_str!("../../../data/roles.toml")).unwrap_or_default();
    roles.role.iter().flat_map(|role| [Some(role.role()), role.binding()]).flatten().collect()
}

impl BootstrapRole {
    fn role(&self) -> Value {
        let resources = self
            .resources
            .iter()
            .map(|(verbs, groups, resources)| json!({"verbs": verbs, "apiGroups": groups, "resources": resources}));
        let paths = self.paths.iter().map(|(verbs, paths)| json!({"verbs": verbs, "nonResourceURLs": paths}));
        let mut role = object("ClusterRole", &self.name);
        if self.is_whole {
            role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {part_label(&self.name): "true"}}]});
        } else {
            role["rules"] = resources.chain(paths).collect();
        }
        if let Some(whole) = &self.part_of {
            role["metadata"]["labels"][part_label(whole)] = "true".into();
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

/// Returns the aggregation label of the parts of a role.
fn part_label(whole: &str) -> String {
    format!("rbac.authorization.k8s.io/aggregate-to-{whole}")
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
