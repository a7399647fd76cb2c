//! Labels and annotations.

use std::collections::BTreeMap;

use kubewright_machinery::object::json_type;
use serde_json::Value;

use super::of_resource;
use crate::error::BuildProblem;
use crate::fields::{Created, FieldSpec, change};
use crate::limits::ObjectBytes;
use crate::resource::ResourceList;

/// Sets entries of all maps that the fields lead to.
pub(super) fn set_entries(
    list: &mut ResourceList,
    entries: &BTreeMap<String, String>,
    fields: &[FieldSpec],
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    if entries.is_empty() {
        return Ok(());
    }
    let added = entries.iter().map(|(key, text)| key.len() + text.len()).sum();
    for resource in &mut list.resources {
        let kind = resource.kind();
        let within = of_resource(resource);
        let object = &mut resource.object;
        let mut fields = fields.iter().filter(|field| field.matches(&kind));
        let result = fields.try_for_each(|field| {
            change(object, field, Created::Map, &mut |value| match value {
                Value::Object(members) => {
                    bytes.grow(added)?;
                    members.extend(entries.iter().map(|(key, text)| (key.clone(), text.as_str().into())));
                    Ok(())
                }
                other => Err(BuildProblem(format!("expected a map, found {}", json_type(other)))),
            })
        });
        result.map_err(within)?;
    }
    Ok(())
}
