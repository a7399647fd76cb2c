use std::collections::BTreeMap;
use std::sync::Arc;

use kubewright_core::dependents::{CheckedTypes, Foreign, ForeignCheck, matches_group};
use kubewright_machinery::object::GroupVersionKind;
use kubewright_runtime::cluster::{ApiError, ApiRequest, ApiResource, Cluster, Retry};
use serde_json::Value;

use crate::observe::title;

/// Asks whether an object exists that is not ours: one LIST with limit 1 per kind, until one is found (GATE-1).
pub(crate) async fn check_foreign(cluster: &Cluster, check: &ForeignCheck) -> Foreign {
    let resources = match resources_of(cluster, &check.types).await {
        Ok(resources) => resources,
        Err(error) => return Foreign::Unavailable(error.to_string()),
    };
    for resource in resources {
        let request = ApiRequest::list(&resource, None).labels(&check.selector).page(1).metadata_only();
        match cluster.send_retrying(&request, &Retry::default()).await {
            Ok(list) if has_items(&list) => return Foreign::Found(resource.group_kind()),
            Ok(_) => {}
            // A type that is gone has no objects.
            Err(error) if error.is_not_found() => {}
            Err(error) => {
                return Foreign::Unavailable(format!("{}: {error}", title(&resource.group_kind())));
            }
        }
    }
    Foreign::None
}

async fn resources_of(cluster: &Cluster, types: &CheckedTypes) -> Result<Vec<Arc<ApiResource>>, ApiError> {
    let discovery = cluster.discovery();
    let concerns = |group: &str, version: &str| match types {
        CheckedTypes::Declared(managed) => matches_group(&managed.group, group),
        CheckedTypes::ApiService { group: own, version: served, .. } => own == group && served == version,
        _ => false,
    };
    let all = match types {
        CheckedTypes::Declared(_) | CheckedTypes::ApiService { .. } => discovery.all().await?,
        _ => Vec::new(),
    };
    // No answer is not the answer that there is nothing (GATE-4).
    if let Some((group, version)) = discovery.silent().into_iter().find(|(group, version)| concerns(group, version)) {
        return Err(ApiError::Silent { group, version });
    }
    match types {
        CheckedTypes::Declared(managed) => {
            let mut kinds = BTreeMap::new();
            for resource in all {
                let kind = resource.group_kind();
                if managed.matches_kind(&kind) && resource.supports("list") {
                    kinds.entry(kind).or_insert(resource);
                }
            }
            let mut resources = Vec::with_capacity(kinds.len());
            for (kind, served) in kinds {
                resources.push(discovery.resolve(&kind).await?.unwrap_or(served));
            }
            Ok(resources)
        }
        CheckedTypes::Definition { kind, plural, version, .. } => {
            let gvk = GroupVersionKind::new(&kind.group, version, &kind.kind);
            Ok(vec![Arc::new(ApiResource::known(&gvk, plural.clone(), true))])
        }
        CheckedTypes::ApiService { group, version, .. } => {
            let mut resources = all;
            resources.retain(|resource| resource.group == *group && resource.version == *version && resource.supports("list"));
            Ok(resources)
        }
        _ => Ok(Vec::new()),
    }
}

fn has_items(list: &Value) -> bool {
    list.get("items").and_then(Value::as_array).is_some_and(|items| !items.is_empty())
}
