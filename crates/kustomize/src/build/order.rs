//! The order of the objects.

use std::collections::HashMap;

use crate::error::BuildProblem;
use crate::kind::{FIRST, KindId, LAST};
use crate::kustomization::{LegacySortOptions, SortOptions};
use crate::resource::{BuildResource, ResourceList};

/// Sorts the resources by the rank of their kind, then by kind, namespace and name; or leaves them in their order.
pub(super) fn sort(list: &mut ResourceList, options: Option<&SortOptions>) -> Result<(), BuildProblem> {
    let default = || LegacySortOptions {
        order_first: FIRST.iter().map(ToString::to_string).collect(),
        order_last: LAST.iter().map(ToString::to_string).collect(),
    };
    let legacy = match options.map(|options| (options.order.as_str(), &options.legacy_sort_options)) {
        None | Some(("legacy", None)) => default(),
        Some(("legacy", Some(legacy))) => legacy.clone(),
        Some(("fifo", None)) => return Ok(()),
        Some(("fifo", Some(_))) => {
            return Err(BuildProblem::new(
                "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
            ));
        }
        Some(_) => return Err(BuildProblem::new("the field 'sortOptions.order' must be one of [fifo, legacy]")),
    };
    let ranks = ranks(&legacy.order_first, &legacy.order_last);
    list.resources.sort_by_cached_key(|resource| sort_key(resource, &ranks));
    Ok(())
}

fn ranks<'a>(first: &'a [String], last: &'a [String]) -> HashMap<&'a str, i64> {
    let firsts = first.iter().enumerate().map(|(index, kind)| (kind.as_str(), index as i64 - first.len() as i64));
    firsts.chain(last.iter().enumerate().map(|(index, kind)| (kind.as_str(), index as i64 + 1))).collect()
}

/// Rank, kind, and namespace with name. Absent parts are texts that sort behind most names.
type SortKey = (i64, String, String);

fn sort_key(resource: &BuildResource, ranks: &HashMap<&str, i64>) -> SortKey {
    let part = |text: &str, empty: &'static str| if text.is_empty() { empty.to_owned() } else { text.to_owned() };
    let KindId { group, version, kind } = resource.kind();
    // Among namespaces, the built-in kind comes first.
    let is_own_namespace = kind == "Namespace" && !group.is_empty();
    let mark = if is_own_namespace { "~~" } else { "" };
    let kind_key = format!("{mark}{}_{}_{}", part(&group, "~G"), part(&version, "~V"), part(&kind, "~K"));
    let place = format!("{}|{}", part(resource.namespace(), "~X"), part(resource.name(), "~N"));
    (ranks.get(kind.as_str()).copied().unwrap_or_default(), kind_key, place)
}
