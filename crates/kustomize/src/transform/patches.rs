//! Strategic merge patches and JSON patches.

use kubewright_machinery::object::{canonical_json, json_type};
use kubewright_machinery::patch::{JsonPatch, OperationError, PatchError};
use kubewright_machinery::yaml;
use serde_json::Value;

use super::{Transformer, of_resource};
use crate::error::BuildProblem;
use crate::kustomization::{PatchEntry, PatchOptions};
use crate::limits::ObjectBytes;
use crate::resource::{BuildResource, ResourceList, read_resources};
use crate::select::TargetSelector;
use crate::strategic::{MergeSchemas, merge};

/// The text of a patch with its source, for errors.
#[derive(Clone, Debug)]
pub(crate) struct PatchSource {
    pub(crate) text: String,
    /// The path of the file, or nothing for an inline patch.
    pub(crate) path: Option<String>,
}

/// A JSON patch with the names of its operations, for errors.
#[derive(Debug)]
pub(crate) struct JsonOperations {
    patch: JsonPatch,
    names: Vec<String>,
}

impl JsonOperations {
    fn parse(document: &Value) -> Result<Self, PatchError> {
        let operations = document.as_array().into_iter().flatten();
        let names = operations.map(|operation| operation.get("op").and_then(Value::as_str).unwrap_or_default().to_owned());
        Ok(Self { patch: JsonPatch::parse(document)?, names: names.collect() })
    }

    /// Returns the problem of the patch, worded as kustomize words it.
    fn problem(&self, error: &PatchError) -> BuildProblem {
        match error {
            PatchError::Failed { problem: OperationError::Differs(path), .. } => {
                BuildProblem(format!("testing value {path} failed: test failed"))
            }
            PatchError::Failed { index, problem: OperationError::NotFound(path) } => {
                let operation = self.names.get(*index).map_or("", String::as_str);
                let key = path.rsplit('/').next().unwrap_or_default();
                match operation {
                    "remove" => BuildProblem(format!(
                        "remove operation does not apply: doc is missing {path:?}: Unable to remove nonexistent key: {key}"
                    )),
                    _ => BuildProblem(format!(
                        "{operation} operation does not apply: doc is missing path: {path:?}: missing value"
                    )),
                }
            }
            other => BuildProblem(other.to_string()),
        }
    }
}

impl PatchSource {
    fn name(&self) -> String {
        match &self.path {
            Some(path) => format!("[path: {path:?}]"),
            None => format!("[patch: {:?}]", self.text),
        }
    }

    /// Reads an entry of `patches`, whose text is a strategic merge patch or a JSON patch.
    pub(crate) fn transformer(&self, entry: &PatchEntry) -> Result<Transformer, BuildProblem> {
        let target = entry.target.as_ref().map(TargetSelector::new).transpose()?;
        let patches = match read_resources(self.text.as_bytes()) {
            Ok(patches) => patches,
            Err(problem) => {
                let Ok(document @ (Value::Array(_) | Value::Null)) = yaml::first_document(&self.text) else {
                    return Err(BuildProblem(format!("unable to parse SM or JSON patch from {}: {problem}", self.name())));
                };
                let patch =
                    JsonOperations::parse(&document).map_err(|error| BuildProblem(format!("{}: {error}", self.name())))?;
                let target =
                    target.ok_or_else(|| BuildProblem(format!("must specify a target for JSON patch {}", self.name())))?;
                return Ok(Transformer::JsonPatch { patch, target, remembers: true });
            }
        };
        if target.is_some() && patches.len() > 1 {
            return Err(BuildProblem(format!(
                "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field: {}",
                self.name()
            )));
        }
        Ok(Transformer::Patch { patches, target, options: entry.options })
    }

    /// Reads an entry of `patchesJson6902`.
    pub(crate) fn json_transformer(&self, entry: &PatchEntry) -> Result<Transformer, BuildProblem> {
        let Some(target) = entry.target.as_ref().filter(|target| !target.name.is_empty()) else {
            return Err(BuildProblem::new("must specify the target name"));
        };
        let document = yaml::first_document(&self.text).map_err(|error| BuildProblem(format!("{}: {error}", self.name())))?;
        if document.as_array().is_none_or(Vec::is_empty) {
            return Err(BuildProblem(format!("patch appears to be empty, or is no list of operations; {}", self.name())));
        }
        let patch = JsonOperations::parse(&document).map_err(|error| BuildProblem(format!("{}: {error}", self.name())))?;
        Ok(Transformer::JsonPatch { patch, target: TargetSelector::new(target)?, remembers: false })
    }
}

/// Applies patches to the resources of their identities; two resources that become the same one are an error.
pub(super) fn apply_each(
    list: &mut ResourceList,
    patches: &[BuildResource],
    schemas: &MergeSchemas,
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    for patch in patches {
        let index = list.unique(&patch.original_id())?;
        apply_selected(list, &[index], patch, PatchOptions::default(), schemas, bytes)?;
    }
    Ok(())
}

/// Applies patches to the resources of their identities.
pub(super) fn apply_in_place(
    list: &mut ResourceList,
    patches: &[BuildResource],
    options: PatchOptions,
    schemas: &MergeSchemas,
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    for patch in patches {
        let id = patch.original_id();
        let index = list.unique(&id).map_err(|problem| {
            BuildProblem(format!("no resource matches strategic merge patch {:?}: {problem}", id.to_string()))
        })?;
        bytes.add(&patch.object)?;
        apply_one(&mut list.resources[index], patch.object.clone(), options, schemas)?;
    }
    Ok(())
}

/// Applies a patch to all resources of a target.
pub(super) fn apply_to_target(
    list: &mut ResourceList,
    patches: &[BuildResource],
    target: &TargetSelector,
    options: PatchOptions,
    schemas: &MergeSchemas,
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    let selected = list.resources.iter().enumerate().filter(|(_, resource)| target.selects(resource));
    let selected: Vec<usize> = selected.map(|(index, _)| index).collect();
    patches.iter().try_for_each(|patch| apply_selected(list, &selected, patch, options, schemas, bytes))
}

fn apply_selected(
    list: &mut ResourceList,
    indexes: &[usize],
    patch: &BuildResource,
    options: PatchOptions,
    schemas: &MergeSchemas,
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    let size = canonical_json(&patch.object).len();
    for index in indexes {
        bytes.grow(size)?;
        let resource = &mut list.resources[*index];
        let mut object = patch.object.clone();
        // The version is that of the resource, whatever the patch says.
        if let Some(version) = resource.object.get("apiVersion") {
            object["apiVersion"] = version.clone();
        }
        apply_one(resource, object, options, schemas)?;
    }
    let resources = std::mem::take(&mut list.resources);
    resources.into_iter().filter(|resource| !resource.is_empty()).try_for_each(|resource| list.add(resource))
}

fn apply_one(
    resource: &mut BuildResource,
    patch: Value,
    options: PatchOptions,
    schemas: &MergeSchemas,
) -> Result<(), BuildProblem> {
    let (name, namespace, kind) = (resource.name().to_owned(), resource.namespace().to_owned(), resource.kind_name().to_owned());
    if options.allow_kind_change || options.allow_name_change {
        resource.remember_id();
    }
    let within = of_resource(resource);
    let object = std::mem::take(&mut resource.object);
    resource.object = merge(object, patch, schemas).map_err(within)?.unwrap_or_default();
    if resource.is_empty() {
        return Ok(());
    }
    if !options.allow_kind_change {
        resource.set_kind_name(&kind);
    }
    if !options.allow_name_change {
        resource.set_name(&name);
    }
    resource.set_namespace(&namespace);
    Ok(())
}

/// Applies a JSON patch to all resources of a target.
pub(super) fn apply_json(
    list: &mut ResourceList,
    patch: &JsonOperations,
    target: &TargetSelector,
    remembers: bool,
    bytes: &mut ObjectBytes,
) -> Result<(), BuildProblem> {
    for resource in list.resources.iter_mut().filter(|resource| target.selects(resource)) {
        if remembers {
            resource.remember_id();
        }
        let id = resource.id();
        let within = |problem: BuildProblem| problem.within(&id);
        let before = canonical_json(&resource.object).len();
        patch.patch.apply(&mut resource.object).map_err(|error| within(patch.problem(&error)))?;
        bytes.grow(canonical_json(&resource.object).len().saturating_sub(before))?;
        if !resource.object.is_object() {
            let found = json_type(&resource.object);
            return Err(within(BuildProblem(format!(
                "the JSON patch makes the object a value of type {found}; keep its root an object"
            ))));
        }
    }
    Ok(())
}
