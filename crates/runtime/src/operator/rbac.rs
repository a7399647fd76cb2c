//! The roles that an operator needs, and the bindings to its service account, as documents.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Declarations, Rule};

const API_VERSION: &str = "rbac.authorization.k8s.io/v1";

/// Returns the ClusterRole and Roles for the declarations, named after the prefix; rules with the same group, verbs and names are merged. There is no
/// ClusterRole if all rules are limited to namespaces.
pub fn rbac_documents(declarations: &Declarations, prefix: &str) -> Vec<Value> {
    let mut scopes: BTreeMap<Option<String>, Vec<Rule>> = BTreeMap::new();
    for rule in declarations.all_rules() {
        scopes.entry(rule.namespace.clone()).or_default().push(rule);
    }
    scopes.into_iter().map(|(namespace, rules)| role(prefix, namespace, &rules)).collect()
}

/// Returns the service account of the operator, with this name and in this namespace, and a binding to it for each of the roles of [`rbac_documents`].
pub fn service_account_documents(declarations: &Declarations, name: &str, namespace: &str) -> Vec<Value> {
    let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}});
    let roles = rbac_documents(declarations, name);
    let bindings = roles.iter().map(|role| {
        let kind = if role["kind"] == "Role" { "RoleBinding" } else { "ClusterRoleBinding" };
        json!({
            "apiVersion": API_VERSION, "kind": kind, "metadata": role["metadata"],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": role["kind"], "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
        })
    });
    std::iter::once(account).chain(bindings).collect()
}

fn role(prefix: &str, namespace: Option<String>, rules: &[Rule]) -> Value {
    let mut grouped: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for rule in rules {
        grouped.entry((&*rule.group, &rule.verbs, &rule.names)).or_default().push(&rule.resource);
    }
    let rules: Vec<Value> = grouped
        .into_iter()
        .map(|((group, verbs, names), resources)| {
            let mut rule = json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
            if !names.is_empty() {
                rule["resourceNames"] = json!(names);
            }
            rule
        })
        .collect();
    match namespace {
        None => {
            json!({"apiVersion": API_VERSION, "kind": "ClusterRole", "metadata": {"name": prefix}, "rules": rules})
        }
        Some(namespace) => json!({
            "apiVersion": API_VERSION, "kind": "Role", "metadata": {"name": prefix, "namespace": namespace}, "rules": rules,
        }),
    }
}
