//! The fields that a replacement writes to.

use serde_json::Value;

use super::embedded::write_embedded;
use super::path::{CreatedLeaf, split, visit};
use super::scalar::write;
use super::source::check_options;
use crate::error::BuildProblem;
use crate::kustomization::{ReplacementOptions, ReplacementTarget};
use crate::resource::{BuildResource, ResourceList};
use crate::select::TargetSelector;

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
    pub(super) fn write(&self, list: &mut ResourceList, value: &Value) -> Result<(), BuildProblem> {
        for resource in list.resources.iter_mut().filter(|resource| self.selects(resource)) {
            for path in &self.paths {
                self.write_path(&mut resource.object, path, value)?;
            }
        }
        Ok(())
    }

    fn write_path(&self, object: &mut Value, path: &str, value: &Value) -> Result<(), BuildProblem> {
        let creates = self.options.as_ref().is_some_and(|options| options.create);
        let leaf = match value {
            _ if !creates => CreatedLeaf::Nothing,
            Value::Array(_) => CreatedLeaf::List,
            Value::Object(_) => CreatedLeaf::Map,
            _ => CreatedLeaf::Scalar,
        };
        let (steps, options) = (split(path), self.options.as_ref());
        if write_embedded(object, &steps, leaf, value, options)? {
            return Ok(());
        }
        let or_create = if creates { " or create" } else { "" };
        let missing = format!("unable to find{or_create} field {path:?} in replacement target");
        match visit(object, &steps, leaf, &mut |field| write(field, value, options)) {
            Ok(0) => Err(BuildProblem(missing)),
            Ok(_) => Ok(()),
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
