//! Prefixes and suffixes of names.

use serde_json::Value;

use super::of_resource;
use crate::error::BuildProblem;
use crate::fields::{Created, FieldSpec, change, expect_scalar};
use crate::kind::KindId;
use crate::limits::{ObjectBytes, check_name};
use crate::resource::{BuildResource, ResourceList, scalar_text};

const NAME: &str = "metadata/name";

/// Puts a prefix before the fields.
pub(super) fn prefix(
    list: &mut ResourceList,
    prefix: &str,
    fields: &[FieldSpec],
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    check_name("prefix", prefix)?;
    rename(list, fields, prefix, bytes, |resource| resource.prefixes.push(prefix.to_owned()), |name| format!("{prefix}{name}"))
}

/// Puts a suffix behind the fields.
pub(super) fn suffix(
    list: &mut ResourceList,
    suffix: &str,
    fields: &[FieldSpec],
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    check_name("suffix", suffix)?;
    rename(list, fields, suffix, bytes, |resource| resource.suffixes.push(suffix.to_owned()), |name| format!("{name}{suffix}"))
}

fn rename(
    list: &mut ResourceList,
    fields: &[FieldSpec],
    affix: &str,
    bytes: &mut ObjectBytes,
    record: impl Fn(&mut BuildResource),
    changed: impl Fn(String) -> String,
) -> Result<(), BuildProblem> {
    for resource in &mut list.resources {
        let original = resource.original_id().kind;
        if keeps_name(&original) {
            continue;
        }
        for field in fields.iter().filter(|field| field.matches(&original)) {
            if field.path == NAME && !affix.is_empty() {
                record(resource);
                resource.remember_id();
            }
            if !field.matches(&resource.kind()) {
                continue;
            }
            let within = of_resource(resource);
            change(&mut resource.object, field, Created::Scalar, &mut |value| {
                expect_scalar(value)?;
                bytes.grow(affix.len())?;
                *value = Value::String(changed(scalar_text(value)));
                Ok(())
            })
            .map_err(within)?;
        }
    }
    Ok(())
}

/// Returns true for a kind whose names have a meaning of their own.
fn keeps_name(kind: &KindId) -> bool {
    kind.kind == "CustomResourceDefinition"
        || kind.kind == "Namespace"
        || kind.kind == "APIService" && kind.group == "apiregistration.k8s.io"
}
