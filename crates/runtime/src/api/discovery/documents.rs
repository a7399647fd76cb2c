use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt as _;
use kubewright_machinery::object::GroupVersionKind;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::super::{ApiError, ApiRequest, ApiResource, ApiSubresource, Connection};
use super::table::TypeTable;

/// The accepted media types: both forms of aggregated discovery; an older server answers with the second.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
     application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

/// The number of groups that are read at a time from a server without aggregated discovery.
const GROUPS_AT_ONCE: usize = 8;

/// The answer of `/api` or `/apis`, in any of the forms in which servers answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Index {
    /// The groups of an APIGroupDiscoveryList.
    items: Vec<DiscoveredGroup>,
    /// The groups of an APIGroupList.
    groups: Vec<LegacyGroup>,
    /// The versions of an APIVersions.
    versions: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DiscoveredGroup {
    metadata: GroupMetadata,
    versions: Vec<DiscoveredVersion>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GroupMetadata {
    name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DiscoveredVersion {
    #[serde(rename = "version")]
    name: String,
    freshness: String,
    resources: Vec<DiscoveredResource>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DiscoveredResource {
    #[serde(rename = "resource")]
    plural: String,
    response_kind: Option<DiscoveredKind>,
    scope: String,
    singular_resource: String,
    verbs: Vec<String>,
    short_names: Vec<String>,
    categories: Vec<String>,
    subresources: Vec<DiscoveredSubresource>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DiscoveredKind {
    group: String,
    version: String,
    kind: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct DiscoveredSubresource {
    subresource: String,
    response_kind: Option<DiscoveredKind>,
    verbs: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LegacyGroup {
    name: String,
    versions: Vec<LegacyVersion>,
    preferred_version: LegacyVersion,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct LegacyVersion {
    version: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LegacyResources {
    resources: Vec<LegacyResource>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct LegacyResource {
    name: String,
    singular_name: String,
    group: String,
    version: String,
    kind: String,
    namespaced: bool,
    verbs: Vec<String>,
    short_names: Vec<String>,
    categories: Vec<String>,
}

/// Reads all types of the cluster. The types of a group that cannot list them at the moment are taken from `before`.
pub(super) async fn read(connection: &Connection, before: &TypeTable) -> Result<TypeTable, ApiError> {
    let core = ApiRequest::raw("/api").accept(AGGREGATED);
    let others = ApiRequest::raw("/apis").accept(AGGREGATED);
    let (core, others) = futures::try_join!(fetch::<Index>(connection, &core), fetch::<Index>(connection, &others))?;
    let mut table = TypeTable::default();
    let mut legacy = Vec::new();
    for index in [core, others] {
        for group in index.items {
            add_group(&mut table, group, before);
        }
        legacy.extend(index.versions.into_iter().map(|version| (String::new(), version)));
        for mut group in index.groups {
            group.versions.sort_by_key(|version| *version != group.preferred_version);
            legacy.extend(group.versions.into_iter().map(|version| (group.name.clone(), version.version)));
        }
    }
    read_legacy(connection, legacy, before, &mut table).await;
    Ok(table)
}

fn add_group(table: &mut TypeTable, group: DiscoveredGroup, before: &TypeTable) {
    let name = group.metadata.name;
    for version in group.versions {
        if version.freshness == "Stale" && version.resources.is_empty() {
            table.keep(before, &name, &version.name);
        }
        for resource in version.resources {
            let Some(kind) = resource.response_kind.filter(|kind| !kind.kind.is_empty()) else {
                continue;
            };
            let subresources = resource.subresources.into_iter().map(|sub| {
                let DiscoveredKind { group: of_group, version: of_version, kind } = sub.response_kind.unwrap_or_default();
                let gvk = kind_within((&name, &version.name), (of_group, of_version, kind));
                ApiSubresource { name: sub.subresource, gvk, verbs: sub.verbs }
            });
            table.add(Arc::new(ApiResource {
                group: name.clone(),
                version: version.name.clone(),
                kind: kind.kind,
                subresources: subresources.collect(),
                plural: resource.plural,
                singular: resource.singular_resource,
                short_names: resource.short_names,
                categories: resource.categories,
                namespaced: resource.scope == "Namespaced",
                verbs: resource.verbs,
            }));
        }
    }
}

async fn read_legacy(connection: &Connection, versions: Vec<(String, String)>, before: &TypeTable, table: &mut TypeTable) {
    let requests = versions.into_iter().map(|(group, version)| async move {
        let path = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        let answer = fetch::<LegacyResources>(connection, &ApiRequest::raw(path)).await;
        (group, version, answer)
    });
    let mut answers = futures::stream::iter(requests).buffered(GROUPS_AT_ONCE);
    while let Some((group, version, answer)) = answers.next().await {
        let resources = match answer {
            Ok(list) => list.resources,
            Err(error) => {
                // An extension server that is down must not hide the types of all other groups.
                tracing::debug!(group, version, %error, "discovery keeps its previous answer for a group");
                table.keep(before, &group, &version);
                continue;
            }
        };
        let (subresources, resources): (Vec<_>, Vec<_>) = resources.into_iter().partition(|resource| resource.name.contains('/'));
        for resource in resources {
            let of_this = subresources.iter().filter_map(|sub| {
                let name = sub.name.strip_prefix(&resource.name)?.strip_prefix('/')?.to_owned();
                let gvk = kind_within((&group, &version), (sub.group.clone(), sub.version.clone(), sub.kind.clone()));
                Some(ApiSubresource { name, gvk, verbs: sub.verbs.clone() })
            });
            table.add(Arc::new(ApiResource {
                group: group.clone(),
                version: version.clone(),
                kind: resource.kind,
                subresources: of_this.collect(),
                plural: resource.name,
                singular: resource.singular_name,
                short_names: resource.short_names,
                categories: resource.categories,
                namespaced: resource.namespaced,
                verbs: resource.verbs,
            }));
        }
    }
}

/// Returns the type of a subresource. A server leaves its version, and then its group, empty if they are those of the document around it.
fn kind_within((group, version): (&str, &str), (own_group, own_version, kind): (String, String, String)) -> GroupVersionKind {
    if own_version.is_empty() {
        GroupVersionKind::new(group, version, kind)
    } else {
        GroupVersionKind::new(own_group, own_version, kind)
    }
}

async fn fetch<T: DeserializeOwned>(connection: &Connection, request: &ApiRequest) -> Result<T, ApiError> {
    let (_, body): (_, Bytes) = connection.fetch(request).await?;
    serde_json::from_slice(&body).map_err(|error| ApiError::undecodable(request.to_string(), &error))
}
