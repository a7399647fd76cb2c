//! Namespaces of resources and of the references in them.

use std::collections::HashSet;

use serde_json::Value;

use super::{NamespaceTransformer, SubjectMode, of_resource};
use crate::error::BuildProblem;
use crate::fields::{Created, FieldSpec, change, expect_scalar};
use crate::limits::{ObjectBytes, check_name};
use crate::resource::{BuildResource, ResourceList, scalar_text};

const NAMESPACE: &str = "metadata/namespace";
const NAME: &str = "metadata/name";
const SUBJECTS: &str = "subjects/namespace";

/// Sets the namespace of all resources that are in one, and in the fields. Two resources that become the same one are an error.
pub(super) fn apply(
    list: &mut ResourceList,
    transformer: &NamespaceTransformer,
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    check_name("namespace", &transformer.namespace)?;
    for resource in &mut list.resources {
        resource.remember_id();
        let within = of_resource(resource);
        apply_to(resource, transformer, bytes).map_err(|problem| within(problem.within("namespace transformation failed")))?;
    }
    let mut ids = HashSet::new();
    for resource in &list.resources {
        let id = resource.id();
        if !ids.insert((id.kind.clone(), id.name.clone(), id.effective_namespace_text().to_owned())) {
            return Err(BuildProblem(format!("namespace transformation produces ID conflict: {id} exists twice")));
        }
    }
    Ok(())
}

fn apply_to(
    resource: &mut BuildResource,
    transformer: &NamespaceTransformer,
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    let kind = resource.kind();
    let is_core = kind.group.is_empty() && kind.version == "v1";
    let is_binding = kind.kind == "RoleBinding" || kind.kind == "ClusterRoleBinding";
    let own = (!kind.is_cluster_scoped()).then(|| FieldSpec::everywhere(NAMESPACE));
    if is_binding {
        set_subjects(resource, transformer, bytes)?;
    }
    let others = transformer.fields.iter().filter(|field| {
        field.path != NAMESPACE
            && (is_core || field.path != NAME)
            && !(is_binding && field.path == SUBJECTS && field.kind().ends_with("RoleBinding"))
            && field.matches(&kind)
    });
    for field in own.iter().chain(others) {
        change(&mut resource.object, field, Created::Scalar, &mut |value| {
            expect_scalar(value).map_err(|problem| problem.within("namespace field specs must target scalar nodes"))?;
            set(value, transformer, bytes)
        })?;
    }
    Ok(())
}

fn set(value: &mut Value, transformer: &NamespaceTransformer, bytes: &mut ObjectBytes) -> Result<(), BuildProblem> {
    if !transformer.unset_only || scalar_text(value).is_empty() {
        bytes.grow(transformer.namespace.len())?;
        *value = transformer.namespace.as_str().into();
    }
    Ok(())
}

/// Sets the namespace of the subjects of a role binding that the mode selects.
fn set_subjects(
    resource: &mut BuildResource,
    transformer: &NamespaceTransformer,
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    let subjects = resource.object.get_mut("subjects").and_then(Value::as_array_mut);
    for subject in subjects.into_iter().flatten().filter_map(Value::as_object_mut) {
        let selected = match transformer.subjects {
            SubjectMode::DefaultOnly => subject.get("name").is_some_and(|name| name == "default"),
            SubjectMode::AllServiceAccounts => subject.get("kind").is_some_and(|kind| kind == "ServiceAccount"),
            SubjectMode::NoSubjects => false,
        };
        if selected {
            set(subject.entry("namespace").or_insert_with(|| "".into()), transformer, bytes)?;
        }
    }
    Ok(())
}
