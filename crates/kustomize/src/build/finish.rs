//! The end of a build: hashes, references, order, and marks of the builder.

use serde_json::Value;

use super::KUSTOMIZE_VERSION;
use super::order::sort;
use super::origin::settle_annotations;
use crate::error::KustomizeError;
use crate::fields::Tables;
use crate::generate::hash_suffix;
use crate::kustomization::KustomizationFields;
use crate::limits::check_name;
use crate::reference::fix_references;
use crate::resource::ResourceList;

const LOCAL: &str = "config.kubernetes.io/local-config";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// Finishes the resources of the outermost kustomization. `file` is its path.
pub(super) fn finish(
    mut list: ResourceList,
    tables: &Tables,
    kustomization: &KustomizationFields,
    file: &str,
) -> Result<Vec<Value>, KustomizeError> {
    for resource in list.resources.iter_mut().filter(|resource| resource.needs_hash) {
        let name = format!("{}-{}", resource.name(), hash_suffix(resource));
        resource.remember_id();
        resource.set_name(&name);
    }
    for resource in &list.resources {
        check_name(&format!("name of a {}", resource.kind_name()), resource.name()).map_err(|problem| problem.in_file(file))?;
    }
    fix_references(&mut list, &tables.name_reference).map_err(|problem| problem.in_file(file))?;
    list.resources.retain(|resource| {
        let annotations = resource.metadata_texts("annotations");
        annotations.get(LOCAL).is_none_or(|value| value == "false")
    });
    sort(&mut list, kustomization.sort_options.as_ref()).map_err(|problem| problem.in_field(file, "sortOptions"))?;
    let has = |option: &str| kustomization.build_metadata.iter().any(|set| set == option);
    for resource in &mut list.resources {
        if has("managedByLabel") {
            let mut labels = resource.object["metadata"]["labels"].as_object().cloned().unwrap_or_default();
            labels.insert(MANAGED_BY.to_owned(), format!("kustomize-{KUSTOMIZE_VERSION}").into());
            resource.metadata_mut().insert("labels".to_owned(), labels.into());
        }
        settle_annotations(resource, has("originAnnotations"), has("transformerAnnotations"));
    }
    Ok(list.resources.into_iter().map(|resource| resource.object).collect())
}
