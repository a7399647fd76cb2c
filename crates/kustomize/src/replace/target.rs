//! The fields that a replacement writes to.

use kubewright_machinery::object::{MAX_NESTING, canonical_json, is_nested_deeper};
use serde_json::Value;

use super::embedded::write_embedded;
use super::path::{CreatedLeaf, split, visit};
use super::scalar::write;
use super::source::check_options;
use crate::error::BuildProblem;
use crate::kustomization::{ReplacementOptions, ReplacementTarget};
use crate::limits::{LARGEST_OBJECT, ObjectBytes};
use crate::resource::{BuildResource, ResourceList};
use crate::select::TargetSelector;

/// The largest number of steps of a path.
const MAX_STEPS: usize = 100;
/// The largest value after which the size of the object is not looked at, in bytes.
const SMALL_VALUE: usize = 1024;

/// Fields of selected resources.
#[derive(Debug)]
pub(super) struct FieldTarget {
    select: TargetSelector,
    reject: Vec<TargetSelector>,
    paths: Vec<String>,
    options: Option<ReplacementOptions>,
}

impl FieldTarget {
    pub(super) fn new(target: &ReplacementTarget) -> Result<Self, BuildProblem> {
        let Some(select) = &target.select else { return Err(BuildProblem::new("target must specify resources to select")) };
        target.options.as_ref().map_or(Ok(()), check_options)?;
        let paths = if target.field_paths.is_empty() { vec!["metadata.name".to_owned()] } else { target.field_paths.clone() };
        Ok(Self {
            select: TargetSelector::new(select)?,
            reject: target.reject.iter().map(TargetSelector::new).collect::<Result<_, _>>()?,
            paths,
            options: target.options.clone(),
        })
    }

    /// Writes a value into the fields. It is an error if a selected resource does not have a field.
    pub(super) fn write(&self, list: &mut ResourceList, value: &Value, bytes: &mut ObjectBytes) -> Result<(), BuildProblem> {
        for resource in list.resources.iter_mut().filter(|resource| self.selects(resource)) {
            for path in &self.paths {
                self.write_path(&mut resource.object, path, value, bytes)?;
            }
        }
        Ok(())
    }

    fn write_path(&self, object: &mut Value, path: &str, value: &Value, bytes: &mut ObjectBytes) -> Result<(), BuildProblem> {
        let creates = self.options.as_ref().is_some_and(|options| options.create);
        let leaf = match value {
            _ if !creates => CreatedLeaf::Nothing,
            Value::Array(_) => CreatedLeaf::List,
            Value::Object(_) => CreatedLeaf::Map,
            _ => CreatedLeaf::Scalar,
        };
        let (steps, options) = (split(path), self.options.as_ref());
        if steps.len() > MAX_STEPS {
            return Err(BuildProblem(format!("a field path has {} steps, more than the allowed {MAX_STEPS}", steps.len())));
        }
        if write_embedded(object, &steps, leaf, value, options)? {
            bytes.grow(size_of(value))?;
            return check_size(object, value);
        }
        let or_create = if creates { " or create" } else { "" };
        let missing = format!("unable to find{or_create} field {path:?} in replacement target");
        let (size, mut room) = (size_of(value), LARGEST_OBJECT);
        let visited = visit(object, &steps, leaf, &mut |field| {
            room = room.checked_sub(size).ok_or_else(too_large)?;
            bytes.grow(size)?;
            write(field, value, options)
        });
        match visited {
            Ok(0) => Err(BuildProblem(missing)),
            Ok(_) => check_size(object, value),
            Err(problem) => Err(problem.within(missing)),
        }
    }

    fn selects(&self, resource: &BuildResource) -> bool {
        let ids: Vec<_> = std::iter::once(resource.id()).chain(resource.previous_ids()).collect();
        let is_rejected = |reject: &TargetSelector| {
            reject.has_selectors() && reject.matches_texts(resource)
                || reject.has_identity() && ids.iter().any(|id| reject.matches_id(id))
        };
        self.select.matches_texts(resource)
            && !self.reject.iter().any(is_rejected)
            && ids.iter().any(|id| self.select.matches_id(id))
    }
}

/// Refuses an object that replacements have made too large or nested too deep. Small texts make it grow with the kustomization only.
fn check_size(object: &Value, value: &Value) -> Result<(), BuildProblem> {
    let is_map = value.is_array() || value.is_object();
    if is_map && is_nested_deeper(object, MAX_NESTING) {
        return Err(BuildProblem(format!("the object would be nested more than {MAX_NESTING} deep")));
    }
    let is_small = size_of(value) <= SMALL_VALUE;
    if is_small || size_of(object) <= LARGEST_OBJECT { Ok(()) } else { Err(too_large()) }
}

/// Returns the number of bytes of a value as JSON.
fn size_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        value => canonical_json(value).len(),
    }
}

fn too_large() -> BuildProblem {
    BuildProblem(format!("the object would be larger than {LARGEST_OBJECT} bytes"))
}
