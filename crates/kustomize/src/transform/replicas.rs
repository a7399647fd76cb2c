//! Numbers of replicas.

use serde_json::Value;

use super::of_resource;
use crate::error::BuildProblem;
use crate::fields::{Created, FieldSpec, change, expect_scalar};
use crate::kustomization::ReplicaEntry;
use crate::resource::ResourceList;

/// Sets the number of replicas of the resources that have or had a name. It is an error if there is none.
pub(super) fn apply(list: &mut ResourceList, replica: &ReplicaEntry, fields: &[FieldSpec]) -> Result<(), BuildProblem> {
    let mut found = false;
    for resource in &mut list.resources {
        let mut ids: Vec<_> = resource.previous_ids().collect();
        ids.push(resource.id());
        let kind = resource.kind();
        for field in fields {
            if !ids.iter().any(|id| id.name == replica.name && field.matches(&id.kind)) {
                continue;
            }
            found = true;
            if field.matches(&kind) {
                let within = of_resource(resource);
                change(&mut resource.object, field, Created::Scalar, &mut |value| {
                    expect_scalar(value)?;
                    *value = Value::from(replica.count);
                    Ok(())
                })
                .map_err(within)?;
            }
        }
    }
    if found {
        return Ok(());
    }
    let kinds: Vec<&str> = fields.iter().map(FieldSpec::kind).collect();
    Err(BuildProblem(format!(
        "resource with name {} does not match a config with the following GVK [{}]",
        replica.name,
        kinds.join(" ")
    )))
}
