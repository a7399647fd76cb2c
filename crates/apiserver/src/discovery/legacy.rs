//! Legacy discovery: small documents, one for each group and version.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kubewright_middleware::Verb;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::kinds::{KindSpec, Registry};

/// Returns the document at `/api`. `address` is the host and port at which the server can be reached.
pub fn api_versions(address: &str) -> Value {
    json!({"kind": "APIVersions", "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}]})
}

/// Returns the document at `/apis`.
pub fn api_group_list(registry: &Registry) -> Value {
    let groups: Vec<_> = registry.groups().into_iter().map(|name| Value::Object(group(registry, name))).collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// Returns the document at `/apis/{group}`, or `None` for a group that is not served.
pub fn api_group(registry: &Registry, name: &str) -> Option<Value> {
    if name.is_empty() || registry.versions(name).is_empty() {
        return None;
    }
    let mut document = group(registry, name);
    document.insert("kind".to_owned(), "APIGroup".into());
    document.insert("apiVersion".to_owned(), "v1".into());
    Some(Value::Object(document))
}

fn group(registry: &Registry, name: &str) -> Map<String, Value> {
    let versions: Vec<_> = registry
        .versions(name)
        .into_iter()
        .map(|version| json!({"groupVersion": format!("{name}/{version}"), "version": version}))
        .collect();
    let preferred = versions.first().cloned().unwrap_or_default();
    Map::from_iter([
        ("name".to_owned(), name.into()),
        ("versions".to_owned(), versions.into()),
        ("preferredVersion".to_owned(), preferred),
    ])
}

/// Returns the document at `/api/v1` or `/apis/{group}/{version}`, or `None` for a version that is not served.
pub fn api_resource_list(registry: &Registry, group: &str, version: &str) -> Option<Value> {
    let mut resources = Vec::new();
    for kind in registry.resources(group, version) {
        resources.push(resource(kind));
        for subresource in &kind.subresources {
            let verbs: Vec<_> = subresource.verbs.iter().map(Verb::as_str).collect();
            let mut entry = json!({"name": format!("{}/{}", kind.plural, subresource.name), "singularName": "",
                "namespaced": kind.is_namespaced(), "kind": subresource.kind, "verbs": verbs});
            if (&subresource.group, &subresource.version) != (&kind.group, &kind.version)
                && let Some(entry) = entry.as_object_mut()
            {
                entry.insert("group".to_owned(), subresource.group.as_str().into());
                entry.insert("version".to_owned(), subresource.version.as_str().into());
            }
            resources.push(entry);
        }
    }
    if resources.is_empty() {
        return None;
    }
    if group.is_empty() {
        return Some(json!({"kind": "APIResourceList", "groupVersion": version, "resources": resources}));
    }
    Some(
        json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": format!("{group}/{version}"), "resources": resources}),
    )
}

fn resource(kind: &KindSpec) -> Value {
    let mut entry = Map::new();
    entry.insert("name".to_owned(), kind.plural.as_str().into());
    entry.insert("singularName".to_owned(), kind.singular.as_str().into());
    entry.insert("namespaced".to_owned(), kind.is_namespaced().into());
    entry.insert("kind".to_owned(), kind.kind.as_str().into());
    entry.insert("verbs".to_owned(), verbs(kind));
    for (field, names) in [("shortNames", &kind.short_names), ("categories", &kind.categories)] {
        if !names.is_empty() {
            entry.insert(field.to_owned(), names.as_slice().into());
        }
    }
    if kind.is_stored() {
        entry.insert("storageVersionHash".to_owned(), storage_version_hash(kind).into());
    }
    Value::Object(entry)
}

/// Returns the `storageVersionHash` of a kind: the first bytes of a digest of the group, version and kind of its stored form.
fn storage_version_hash(kind: &KindSpec) -> String {
    let stored = format!("{}/{}/{}", kind.storage.group, kind.storage.version, kind.kind);
    STANDARD.encode(&Sha256::digest(stored)[..8])
}

/// Returns the verbs of a kind in the order of discovery. Instances of a definition that is being deleted can only be read and deleted.
pub(super) fn verbs(kind: &KindSpec) -> Value {
    let Some(custom) = &kind.custom else {
        return kind.verbs.iter().map(Verb::as_str).collect();
    };
    let open = |verb: &Verb| !custom.terminating || !matches!(verb, Verb::Create | Verb::Update | Verb::Patch);
    kind.verbs.iter_custom().filter(open).map(Verb::as_str).collect()
}
