//! A replacement and the value that it writes.

use serde_json::Value;

use super::path::{look_up, split};
use super::scalar::part_of;
use super::target::FieldTarget;
use crate::error::BuildProblem;
use crate::fields::KindPattern;
use crate::kind::KindId;
use crate::kustomization::{ReplacementEntry, ReplacementOptions, ReplacementSource};
use crate::limits::ObjectBytes;
use crate::resource::{BuildResource, ResourceId, ResourceList};

const DEFAULT_PATH: &str = "metadata.name";

/// A replacement: where its value comes from, and where it goes.
#[derive(Debug)]
pub(crate) struct FieldReplacement {
    source: ValueSource,
    targets: Vec<FieldTarget>,
}

#[derive(Debug)]
enum ValueSource {
    Literal(String),
    Field(ReplacementSource),
}

impl FieldReplacement {
    /// Checks an entry of `replacements` that has no path.
    pub(crate) fn new(entry: &ReplacementEntry) -> Result<Self, BuildProblem> {
        let source = match (&entry.source, &entry.source_value) {
            (Some(_), Some(_)) => return Err(BuildProblem::new("value and resource selectors are mutually exclusive")),
            (Some(source), None) => ValueSource::Field(source.clone()),
            (None, Some(value)) => ValueSource::Literal(value.clone()),
            (None, None) => return Err(BuildProblem::new("replacements must specify a source and at least one target")),
        };
        let Some(targets) = &entry.targets else {
            return Err(BuildProblem::new("replacements must specify a source and at least one target"));
        };
        if let ValueSource::Field(ReplacementSource { options: Some(options), .. }) = &source {
            check_options(options)?;
        }
        Ok(Self { source, targets: targets.iter().map(FieldTarget::new).collect::<Result<_, _>>()? })
    }

    /// Writes the value into all targets.
    pub(crate) fn apply(&self, list: &mut ResourceList, bytes: &mut ObjectBytes) -> Result<(), BuildProblem> {
        let value = match &self.source {
            ValueSource::Literal(text) => Value::from(text.as_str()),
            ValueSource::Field(source) => value_of(source, list)?,
        };
        self.targets.iter().try_for_each(|target| target.write(list, &value, bytes))
    }
}

/// Refuses options that have no effect.
pub(super) fn check_options(options: &ReplacementOptions) -> Result<(), BuildProblem> {
    match options.encoding.as_str() {
        "" => Ok(()),
        other => Err(BuildProblem(format!("options.encoding {other:?} is not supported; kustomize ignores it; remove it"))),
    }
}

fn value_of(source: &ReplacementSource, list: &ResourceList) -> Result<Value, BuildProblem> {
    let mut selected = list.resources.iter().filter(|resource| is_selected(source, resource));
    let resource = match (selected.next(), selected.next()) {
        (Some(resource), None) => resource,
        (None, _) => return Err(BuildProblem(format!("nothing selected by {}", name_of(source)))),
        (Some(_), Some(_)) => return Err(BuildProblem(format!("multiple matches for selector {}", name_of(source)))),
    };
    let path = if source.field_path.is_empty() { DEFAULT_PATH } else { &source.field_path };
    let found =
        look_up(&resource.object, &split(path)).map_err(|problem| problem.within("error looking up replacement source"))?;
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    let value = found
        .filter(|value| !is_empty(value))
        .ok_or_else(|| BuildProblem(format!("fieldPath `{path}` is missing for replacement source {}", id_of(source))))?;
    part_of(value, source.options.as_ref())
}

/// Returns true if one of the identities of a resource is that of the source; empty parts are not compared.
fn is_selected(source: &ReplacementSource, resource: &BuildResource) -> bool {
    let wanted = id_of(source);
    let kinds = KindPattern { group: source.group.clone(), version: source.version.clone(), kind: source.kind.clone() };
    std::iter::once(resource.id()).chain(resource.previous_ids()).any(|id| {
        let of_kind = ResourceId { kind: id.kind.clone(), ..wanted.clone() };
        (wanted.name.is_empty() || wanted.name == id.name)
            && (wanted.namespace.is_empty() || of_kind.is_in_namespace_of(&id))
            && kinds.matches(&id.kind)
    })
}

fn id_of(source: &ReplacementSource) -> ResourceId {
    ResourceId {
        kind: KindId { group: source.group.clone(), version: source.version.clone(), kind: source.kind.clone() },
        name: source.name.clone(),
        namespace: source.namespace.clone(),
    }
}

fn name_of(source: &ReplacementSource) -> String {
    match source.field_path.as_str() {
        "" => id_of(source).to_string(),
        path => format!("{}:{path}", id_of(source)),
    }
}
