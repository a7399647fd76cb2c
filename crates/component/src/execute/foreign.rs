use std::collections::BTreeMap;
use std::sync::Arc;

use kubewright_core::backoff::Transient;
use kubewright_core::dependents::{CheckedTypes, Foreign, ForeignCheck, Instances, matches_group};
use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt as _};
use kubewright_runtime::cluster::{ApiError, ApiRequest, ApiResource, Cluster, RequestRetries};
use serde_json::Value;

use crate::observe::title;

/// Checks for foreign objects: one LIST per kind, limited to as many objects as a message names, until one is found (GATE-1). The second value
/// is the transient error that prevented an answer, if there was one.
pub(crate) async fn check_foreign(cluster: &Cluster, check: &ForeignCheck) -> (Foreign, Option<Transient>) {
    let resources = match resources_of(cluster, &check.types).await {
        Ok(resources) => resources,
        Err(error) => return (Foreign::Unavailable(error.to_string()), error.transient()),
    };
    for resource in resources {
        let request = ApiRequest::list(&resource, None).labels(&check.selector).page(Instances::SHOWN as u32).metadata_only();
        match cluster.send_retrying(&request, &RequestRetries::default()).await {
            Ok(list) => {
                if let Some(found) = instances(&list, resource.group_kind()) {
                    return (Foreign::Found(found), None);
                }
            }
            // A type that is gone has no objects.
            Err(error) if error.is_not_found() => {}
            Err(error) => {
                return (Foreign::Unavailable(format!("{}: {error}", title(&resource.group_kind()))), error.transient());
            }
        }
    }
    (Foreign::None, None)
}

async fn resources_of(cluster: &Cluster, types: &CheckedTypes) -> Result<Vec<Arc<ApiResource>>, ApiError> {
    let discovery = cluster.discovery();
    let concerns = |group: &str, version: &str| match types {
        CheckedTypes::Declared(managed) => matches_group(&managed.group, group),
        CheckedTypes::ApiService { group: own, version: served, .. } => own == group && served == version,
        _ => false,
    };
    let mut all = match types {
        CheckedTypes::Declared(_) | CheckedTypes::ApiService { .. } => discovery.all().await?,
        _ => Vec::new(),
    };
    let silent = || discovery.silent().into_iter().find(|(group, version)| concerns(group, version));
    if silent().is_some() {
        discovery.look_again().await?;
        all = discovery.all().await?;
    }
    // An unreachable API service may still have instances; treating it as unused would delete them (GATE-4).
    if let Some((group, version)) = silent() {
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

/// Returns the objects of a list, or `None` if it is empty.
fn instances(list: &Value, kind: GroupKind) -> Option<Instances> {
    let items = list.get("items").and_then(Value::as_array).filter(|items| !items.is_empty())?;
    let name = |item: &Value| match item.namespace() {
        "" => item.name().to_owned(),
        namespace => format!("{namespace}/{}", item.name()),
    };
    let continues = list.metadata().get("continue").and_then(Value::as_str).is_some_and(|token| !token.is_empty());
    let names: Vec<String> = items.iter().take(Instances::SHOWN).map(name).collect();
    Some(Instances { kind, more: continues || items.len() > names.len(), names })
}
