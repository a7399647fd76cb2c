//! The roles that are bound to a user.

use std::sync::Arc;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Identity;
use serde_json::Value;

use super::GROUP;
use crate::store::{ObjectName, Resource, Snapshot, Stored};

/// Returns the roles that a user has cluster-wide, and in the namespace if one is given. A binding to a role that does not exist grants nothing.
pub(super) fn roles<'a>(
    snapshot: &'a Snapshot,
    user: &'a Identity,
    namespace: &'a str,
) -> impl Iterator<Item = Arc<Stored>> + 'a {
    let listed = |plural: &str, namespace: Option<&str>| -> Vec<Arc<Stored>> {
        snapshot.list(&Resource::new(GROUP, plural), namespace).map(|(_, binding)| binding.clone()).collect()
    };
    let mut bindings = listed("clusterrolebindings", None);
    if !namespace.is_empty() {
        bindings.extend(listed("rolebindings", Some(namespace)));
    }
    bindings.into_iter().filter(|binding| binds(binding.value(), user)).filter_map(|binding| role(snapshot, binding.value()))
}

fn binds(binding: &Value, user: &Identity) -> bool {
    let mut subjects = binding["subjects"].as_array().into_iter().flatten();
    subjects.any(|subject| {
        let name = subject["name"].as_str().unwrap_or_default();
        match subject["kind"].as_str().unwrap_or_default() {
            "User" => user.name() == name,
            "Group" => user.groups().iter().any(|group| group == name),
            "ServiceAccount" => {
                let namespace =
                    subject["namespace"].as_str().filter(|text| !text.is_empty()).unwrap_or_else(|| binding.namespace());
                let account = user.name().strip_prefix("system:serviceaccount:").and_then(|account| account.split_once(':'));
                account == Some((namespace, name))
            }
            _ => false,
        }
    })
}

fn role(snapshot: &Snapshot, binding: &Value) -> Option<Arc<Stored>> {
    let reference = &binding["roleRef"];
    let (plural, namespace) = match reference["kind"].as_str()? {
        "ClusterRole" => ("clusterroles", ""),
        "Role" => ("roles", binding.namespace()),
        _ => return None,
    };
    snapshot.get(&Resource::new(GROUP, plural), &ObjectName::new(namespace, reference["name"].as_str()?)).cloned()
}
