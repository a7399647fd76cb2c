//! Merging of maps and scalars.

use std::collections::BTreeSet;

use kubewright_machinery::object::json_type;
use serde_json::{Map, Value};

use super::lists::merge_lists;
use super::schema::{MergeSchemas, SchemaPosition};
use crate::error::BuildProblem;

pub(super) const DIRECTIVE: &str = "$patch";
/// The greatest depth of a patched value.
const DEEPEST: usize = 200;

/// The directive of a map or list in a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MergeDirective {
    Merge,
    Replace,
    Delete,
}

impl MergeDirective {
    pub(super) fn parse(value: &Value) -> Result<Self, BuildProblem> {
        match value.as_str() {
            Some("merge") => Ok(Self::Merge),
            Some("replace") => Ok(Self::Replace),
            Some("delete") => Ok(Self::Delete),
            _ => Err(BuildProblem(format!("unknown patch strategy {value}; {DIRECTIVE} must be merge, replace or delete"))),
        }
    }
}

/// The schemas of a merge, and its place in the object.
#[derive(Clone, Copy, Debug)]
pub(super) struct MergeContext<'a> {
    pub(super) schemas: &'a MergeSchemas,
    pub(super) position: SchemaPosition<'a>,
    pub(super) depth: usize,
}

/// Merges a patch into an object. Returns `None` if the patch deletes it.
pub(crate) fn merge(object: Value, patch: Value, schemas: &MergeSchemas) -> Result<Option<Value>, BuildProblem> {
    merge_values(Some(object), Some(patch), MergeContext { schemas, position: SchemaPosition::Unknown, depth: 0 })
}

/// Merges two values, of which one may be absent or null. Returns `None` if the value is to be removed.
pub(super) fn merge_values(
    dest: Option<Value>,
    patch: Option<Value>,
    mut context: MergeContext<'_>,
) -> Result<Option<Value>, BuildProblem> {
    context.depth += 1;
    if context.depth > DEEPEST {
        return Err(BuildProblem(format!("the patched value is nested more than {DEEPEST} deep")));
    }
    if context.position.is_unknown() {
        let sources = dest.iter().chain(&patch).map(|source| context.schemas.of_object(source));
        context.position = sources.into_iter().find(|position| !position.is_unknown()).unwrap_or(SchemaPosition::Unknown);
    }
    let present = |value: &Option<Value>| value.as_ref().filter(|value| !value.is_null()).map(shape);
    let shapes = (present(&dest), present(&patch));
    if let (Some(dest_shape), Some(patch_shape)) = shapes
        && dest_shape != patch_shape
    {
        let found = patch.as_ref().map_or("nothing", json_type);
        return Err(BuildProblem(format!(
            "the patch has {found} where the object has {}",
            dest.as_ref().map_or("nothing", json_type)
        )));
    }
    match shapes.0.or(shapes.1) {
        Some(ValueShape::Map) | None => merge_maps(dest, patch, context),
        Some(ValueShape::List) if context.position.merges() => merge_lists(dest, patch, context),
        Some(ValueShape::List | ValueShape::Scalar) => Ok(patch.or(dest).filter(|value| !value.is_null())),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueShape {
    Map,
    List,
    Scalar,
}

fn shape(value: &Value) -> ValueShape {
    match value {
        Value::Object(_) => ValueShape::Map,
        Value::Array(_) => ValueShape::List,
        _ => ValueShape::Scalar,
    }
}

fn merge_maps(dest: Option<Value>, patch: Option<Value>, context: MergeContext<'_>) -> Result<Option<Value>, BuildProblem> {
    let (mut merged, patch) = match (dest, patch) {
        // A null that the patch does not mention stays.
        (Some(Value::Null), None) => return Ok(Some(Value::Null)),
        (Some(Value::Object(dest)), None) => (dest, Map::new()),
        (dest, Some(Value::Object(mut patch))) => {
            let directive = patch.remove(DIRECTIVE).map_or(Ok(MergeDirective::Merge), |value| MergeDirective::parse(&value))?;
            match (directive, dest) {
                (MergeDirective::Delete, _) => return Ok(None),
                (MergeDirective::Merge, Some(Value::Object(dest))) => (dest, patch),
                // A new map is merged with itself, so that directives below it are followed.
                (MergeDirective::Merge | MergeDirective::Replace, _) => (patch.clone(), patch),
            }
        }
        _ => return Ok(None),
    };
    let names: BTreeSet<String> = merged.keys().chain(patch.keys()).cloned().collect();
    let mut patch = patch;
    for name in names {
        let position = context.position.member(&name);
        let value = merge_values(merged.remove(&name), patch.remove(&name), MergeContext { position, ..context });
        if let Some(value) = value.map_err(|problem| within(&name, problem))? {
            merged.insert(name, value);
        }
    }
    Ok(Some(Value::Object(merged)))
}

/// Puts the name of a field before a problem below it.
fn within(name: &str, problem: BuildProblem) -> BuildProblem {
    match problem.0.strip_prefix('.') {
        Some(below) => BuildProblem(format!(".{name}.{below}")),
        None => BuildProblem(format!(".{name}: {problem}")),
    }
}
