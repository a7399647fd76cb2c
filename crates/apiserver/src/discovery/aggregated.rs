//! Aggregated discovery: all groups, versions, resources and subresources in one document.

use kubewright_machinery::object::Scope;
use kubewright_middleware::Verb;
use serde_json::{Map, Value, json};

use super::legacy::verbs;
use crate::kinds::{KindSpec, Registry, Subresource};

/// Returns the document at `/api`: the core group.
pub fn aggregated_core(registry: &Registry) -> Value {
    list(vec![group(registry, "")])
}

/// Returns the document at `/apis`: all other groups.
pub fn aggregated_groups(registry: &Registry) -> Value {
    list(registry.groups().into_iter().map(|name| group(registry, name)).collect())
}

fn list(items: Vec<Value>) -> Value {
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items})
}

fn group(registry: &Registry, name: &str) -> Value {
    let versions: Vec<_> = registry
        .versions(name)
        .into_iter()
        .map(|version| {
            if registry.is_unavailable(name, &version) {
                return json!({"version": version, "freshness": "Stale"});
            }
            let resources: Vec<_> = registry.resources(name, &version).map(|kind| resource(kind)).collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        })
        .collect();
    let metadata = if name.is_empty() { json!({}) } else { json!({"name": name}) };
    json!({"metadata": metadata, "versions": versions})
}

fn resource(kind: &KindSpec) -> Value {
    // The response kind of a built-in kind has an empty group and version, because both follow from the document around it.
    let (group, version) = if kind.is_custom() { (kind.group.as_str(), kind.version.as_str()) } else { ("", "") };
    let mut entry = Map::new();
    entry.insert("resource".to_owned(), kind.plural.as_str().into());
    entry.insert("responseKind".to_owned(), json!({"group": group, "version": version, "kind": kind.kind}));
    entry.insert(
        "scope".to_owned(),
        match kind.scope {
            Scope::Namespaced => "Namespaced",
            Scope::Cluster => "Cluster",
        }
        .into(),
    );
    entry.insert("singularResource".to_owned(), kind.singular.as_str().into());
    entry.insert("verbs".to_owned(), verbs(kind));
    for (field, names) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
        if !names.is_empty() {
            entry.insert(field.to_owned(), names.as_slice().into());
        }
    }
    let subresources: Vec<_> = kind.subresources.iter().map(|subresource| self::subresource(kind, subresource)).collect();
    if !subresources.is_empty() {
        entry.insert("subresources".to_owned(), subresources.into());
    }
    Value::Object(entry)
}

fn subresource(kind: &KindSpec, subresource: &Subresource) -> Value {
    let own = !kind.is_custom() && subresource.group == kind.group && subresource.version == kind.version;
    let (group, version) = if own { ("", "") } else { (subresource.group.as_str(), subresource.version.as_str()) };
    let verbs: Vec<_> = subresource.verbs.iter().map(Verb::as_str).collect();
    json!({"subresource": subresource.name, "responseKind": {"group": group, "version": version, "kind": subresource.kind}, "verbs": verbs})
}
