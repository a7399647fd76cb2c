//! The order of the objects.

use std::collections::HashMap;

use crate::error::Problem;
use crate::kustomization::{LegacySortOptions, SortOptions};
use crate::resource::{KindId, Resource, ResourceList};

/// The kinds that come first by default.
const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];
/// The kinds that come last by default.
const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// Sorts the resources by the rank of their kind, then by kind, namespace and name; or leaves them in their order.
pub(super) fn sort(list: &mut ResourceList, options: Option<&SortOptions>) -> Result<(), Problem> {
    let default = || LegacySortOptions {
        order_first: FIRST.iter().map(ToString::to_string).collect(),
        order_last: LAST.iter().map(ToString::to_string).collect(),
    };
    let legacy = match options.map(|options| (options.order.as_str(), &options.legacy_sort_options)) {
        None | Some(("legacy", None)) => default(),
        Some(("legacy", Some(legacy))) => legacy.clone(),
        Some(("fifo", None)) => return Ok(()),
        Some(("fifo", Some(_))) => {
            return Err(Problem::new(
                "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
            ));
        }
        Some(_) => return Err(Problem::new("the field 'sortOptions.order' must be one of [fifo, legacy]")),
    };
    let ranks = ranks(&legacy.order_first, &legacy.order_last);
    list.resources.sort_by_cached_key(|resource| sort_key(resource, &ranks));
    Ok(())
}

/// Returns the rank of a kind in the default order; 0 for kinds that it does not name.
pub(crate) fn default_rank(kind: &str) -> i32 {
    let rank = |kinds: &[&str]| kinds.iter().position(|known| *known == kind).and_then(|index| i32::try_from(index).ok());
    let first = rank(&FIRST).map(|index| index - FIRST.len() as i32);
    first.or_else(|| rank(&LAST).map(|index| index + 1)).unwrap_or_default()
}

fn ranks<'a>(first: &'a [String], last: &'a [String]) -> HashMap<&'a str, i64> {
    let firsts = first.iter().enumerate().map(|(index, kind)| (kind.as_str(), index as i64 - first.len() as i64));
    firsts.chain(last.iter().enumerate().map(|(index, kind)| (kind.as_str(), index as i64 + 1))).collect()
}

/// Rank, kind, and namespace with name. Absent parts are texts that sort behind most names.
type SortKey = (i64, String, String);

fn sort_key(resource: &Resource, ranks: &HashMap<&str, i64>) -> SortKey {
    let part = |text: &str, empty: &'static str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
    let KindId { group, version, kind } = resource.kind();
    // Among namespaces, the built-in kind comes first.
    let is_own_namespace = kind == "Namespace" && !group.is_empty();
    let mark = if is_own_namespace { "~~" } else { "" };
    let kind_key = format!("{mark}{}_{}_{}", part(&group, "~G"), part(&version, "~V"), part(&kind, "~K"));
    let place = format!("{}|{}", part(resource.namespace(), "~X"), part(resource.name(), "~N"));
    (ranks.get(kind.as_str()).copied().unwrap_or_default(), kind_key, place)
}
