//! Lookups of the types that a cluster serves.

use std::collections::{BTreeMap, BTreeSet};

use kubewright_render::RenderError;
use kubewright_runtime::cluster::{ApiError, ApiResource, ApiSubresource, Cluster};
use serde_json::{Value, json};

/// Returns true if the cluster serves a `group/version`, or a kind of it. The result is an error if the group does not answer discovery at the
/// moment, since it may serve the type all the same.
pub(super) async fn serves(cluster: &Cluster, api: &str) -> Result<bool, RenderError> {
    let served = cluster.discovery().all().await.map_err(refused)?;
    let is_it = |api_version: &str, kind: &str| {
        api == api_version || api.strip_prefix(api_version).and_then(|rest| rest.strip_prefix('/')) == Some(kind)
    };
    if served.iter().any(|resource| is_it(&resource.api_version(), &resource.kind)) {
        return Ok(true);
    }
    let group = api.split_once('/').map_or("", |(group, _)| group);
    match cluster.discovery().silence(group, None) {
        Some(error) => Err(RenderError::transient(error)),
        None => Ok(false),
    }
}

/// Returns every `group/version` that the cluster serves.
pub(super) async fn api_versions(cluster: &Cluster) -> Result<BTreeSet<String>, RenderError> {
    let served = cluster.discovery().all().await.map_err(refused)?;
    Ok(served.iter().map(|resource| resource.api_version()).collect())
}

/// Returns all types that the cluster serves, in the form of [`Question::ServedTypes`](kubewright_render::Question::ServedTypes).
pub(super) async fn served_types(cluster: &Cluster) -> Result<Value, RenderError> {
    let served = cluster.discovery().all().await.map_err(refused)?;
    Ok(resource_lists(served.iter().map(AsRef::as_ref)))
}

fn resource_lists<'a>(served: impl Iterator<Item = &'a ApiResource>) -> Value {
    let mut lists: BTreeMap<String, BTreeMap<String, Value>> = BTreeMap::new();
    for resource in served {
        let list = lists.entry(resource.api_version()).or_default();
        list.insert(resource.plural.clone(), entry(resource));
        // Like clients in Go, leaves out a subresource whose objects have no type.
        for subresource in resource.subresources.iter().filter(|subresource| !subresource.gvk.kind.is_empty()) {
            let name = format!("{}/{}", resource.plural, subresource.name);
            list.insert(name.clone(), entry_of_subresource(resource, &name, subresource));
        }
    }
    let lists = lists.into_iter().map(|(group_version, resources)| {
        let resources: Vec<Value> = resources.into_values().collect();
        json!({ "groupVersion": group_version, "resources": resources })
    });
    lists.collect()
}

fn entry(resource: &ApiResource) -> Value {
    let mut entry = json!({
        "name": resource.plural, "singularName": resource.singular, "namespaced": resource.namespaced,
        "group": resource.group, "version": resource.version, "kind": resource.kind, "verbs": sorted(&resource.verbs),
    });
    for (field, names) in [("shortNames", &resource.short_names), ("categories", &resource.categories)] {
        if !names.is_empty() {
            entry[field] = json!(sorted(names));
        }
    }
    entry
}

fn entry_of_subresource(resource: &ApiResource, name: &str, subresource: &ApiSubresource) -> Value {
    let ApiSubresource { gvk, verbs, .. } = subresource;
    json!({
        "name": name, "singularName": "", "namespaced": resource.namespaced,
        "group": gvk.group, "version": gvk.version, "kind": gvk.kind, "verbs": sorted(verbs),
    })
}

fn sorted(texts: &[String]) -> Vec<&str> {
    let mut texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    texts.sort_unstable();
    texts
}

pub(super) fn refused(error: ApiError) -> RenderError {
    RenderError::Api(Box::new(error))
}

#[cfg(test)]
mod tests {
    use kubewright_machinery::object::GroupVersionKind;

    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    /// Returns the entry of a type of version `v1` without other names.
    fn bare(name: &str, group: &str, kind: &str, verbs: &[&str]) -> Value {
        json!({
            "name": name, "singularName": "", "namespaced": true, "group": group, "version": "v1", "kind": kind, "verbs": verbs,
        })
    }

    // KUS-10
    #[test]
    fn types_and_subresources_are_sorted_by_group_version_and_name() {
        let pods = ApiResource::known(&GroupVersionKind::new("", "v1", "Pod"), "pods", true);
        let mut deployments = ApiResource::known(&GroupVersionKind::new("apps", "v1", "Deployment"), "deployments", true);
        deployments.singular = "deployment".to_owned();
        deployments.verbs = texts(&["watch", "get", "list"]);
        deployments.short_names = texts(&["deploy"]);
        deployments.categories = texts(&["x", "all"]);
        let subresource = |name: &str, gvk| ApiSubresource { name: name.to_owned(), gvk, verbs: texts(&["patch", "get"]) };
        deployments.subresources = vec![
            subresource("status", deployments.gvk()),
            subresource("scale", GroupVersionKind::new("autoscaling", "v1", "Scale")),
            subresource("unknown", GroupVersionKind::new("", "", "")),
        ];
        let daemon_sets = ApiResource::known(&GroupVersionKind::new("apps", "v1", "DaemonSet"), "daemonsets", true);
        let expected = json!([
            { "groupVersion": "apps/v1", "resources": [
                bare("daemonsets", "apps", "DaemonSet", &[]),
                {
                    "name": "deployments", "singularName": "deployment", "namespaced": true, "group": "apps", "version": "v1",
                    "kind": "Deployment", "verbs": ["get", "list", "watch"], "shortNames": ["deploy"], "categories": ["all", "x"],
                },
                bare("deployments/scale", "autoscaling", "Scale", &["get", "patch"]),
                bare("deployments/status", "apps", "Deployment", &["get", "patch"]),
            ] },
            { "groupVersion": "v1", "resources": [bare("pods", "", "Pod", &[])] },
        ]);
        assert_eq!(resource_lists([pods, deployments, daemon_sets].iter()), expected);
    }
}
