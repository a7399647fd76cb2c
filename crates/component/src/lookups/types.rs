//! Lookups of the types that a cluster serves.

use std::collections::BTreeSet;

use kubewright_render::RenderError;
use kubewright_runtime::cluster::{ApiError, Cluster};

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

/// Returns every `group/version` and every `group/version/Kind` that the cluster serves.
pub(super) async fn served_types(cluster: &Cluster) -> Result<BTreeSet<String>, RenderError> {
    let served = cluster.discovery().all().await.map_err(refused)?;
    let of = |api_version: String, kind: &str| [format!("{api_version}/{kind}"), api_version];
    Ok(served.iter().flat_map(|resource| of(resource.api_version(), &resource.kind)).collect())
}

pub(super) fn refused(error: ApiError) -> RenderError {
    RenderError::Api(Box::new(error))
}
