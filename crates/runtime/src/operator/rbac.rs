//! The roles that an operator needs, as documents.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Declarations, Rule};

/// ClusterRole and Roles for what is declared, named after the prefix: rules with the same group and verbs are one.
pub fn rbac_documents(declarations: &Declarations, prefix: &str) -> Vec<Value> {
    let mut scopes: BTreeMap<Option<String>, Vec<Rule>> = BTreeMap::new();
    for rule in declarations.all_rules() {
        scopes.entry(rule.namespace.clone()).or_default().push(rule);
    }
    scopes.into_iter().map(|(namespace, rules)| role(prefix, namespace, &rules)).collect()
}

fn role(prefix: &str, namespace: Option<String>, rules: &[Rule]) -> Value {
    let mut grouped: BTreeMap<(&str, &BTreeSet<String>), Vec<&str>> = BTreeMap::new();
    for rule in rules {
        grouped.entry((&rule.group, &rule.verbs)).or_default().push(&rule.resource);
    }
    let rules: Vec<Value> = grouped
        .into_iter()
        .map(|((group, verbs), resources)| json!({"apiGroups": [group], "resources": resources, "verbs": verbs}))
        .collect();
    let api_version = "rbac.authorization.k8s.io/v1";
    match namespace {
        None => {
            json!({"apiVersion": api_version, "kind": "ClusterRole", "metadata": {"name": prefix}, "rules": rules})
        }
        Some(namespace) => json!({
            "apiVersion": api_version, "kind": "Role", "metadata": {"name": prefix, "namespace": namespace}, "rules": rules,
        }),
    }
}
