//! Patches and changes of images of a list of objects, without a kustomization.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{BuildProblem, KustomizeError};
use crate::fields::Tables;
use crate::kustomization::{ImageEntry, PatchEntry, TargetPattern};
use crate::limits::{BuildLimits, ObjectBytes};
use crate::resource::{BuildResource, ResourceList};
use crate::strategic::MergeSchemas;
use crate::transform::{PatchSource, Transformer};

/// A patch of objects, as in `patches` of a kustomization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[allow(clippy::exhaustive_structs, reason = "kustomize has these two fields")]
pub struct ObjectPatch {
    /// A strategic merge patch in YAML, or a JSON patch (RFC 6902) in YAML or JSON.
    pub patch: String,
    /// The objects that are patched. Default: the object with the apiVersion, kind, name and namespace of a strategic merge patch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<PatchTarget>,
}

/// The objects that a patch is for. Each field is a regular expression for the whole text, or a selector; an empty one selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[allow(clippy::exhaustive_structs, reason = "kustomize has these fields")]
pub struct PatchTarget {
    /// The API group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The version of the API.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
    /// The kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The namespace; `default` for an object without one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// A selector of labels, such as `app=web`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label_selector: String,
    /// A selector of annotations.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub annotation_selector: String,
}

/// A change of the images of a name, as in `images` of a kustomization. Empty fields change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
#[allow(clippy::exhaustive_structs, reason = "kustomize has these fields")]
pub struct ImageChange {
    /// The present name, without tag and digest.
    pub name: String,
    /// The new name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub new_name: String,
    /// The new tag. It replaces tag and digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub new_tag: String,
    /// The new digest. It replaces tag and digest.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
}

/// Patches and changes of images, read once and applied to any number of lists of objects.
///
/// ```
/// use kubewright_kustomize::{BuildLimits, ImageChange, ObjectPatches};
/// use serde_json::json;
///
/// let image = ImageChange { name: "nginx".to_owned(), new_tag: "1.29".to_owned(), ..ImageChange::default() };
/// let patches = ObjectPatches::new(&[], &[image])?;
/// let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "web" }, "spec": { "containers": [{ "image": "nginx:1.27" }] } });
/// let patched = patches.apply(vec![pod], BuildLimits::default())?;
/// assert_eq!(patched[0].as_ref().unwrap()["spec"]["containers"][0]["image"], "nginx:1.29");
/// # Ok::<(), kubewright_kustomize::KustomizeError>(())
/// ```
#[derive(Debug)]
pub struct ObjectPatches {
    transformers: Vec<(String, Transformer)>,
}

impl ObjectPatches {
    /// Reads patches and changes of images. Patches are applied first, in their order.
    pub fn new(patches: &[ObjectPatch], images: &[ImageChange]) -> Result<Self, KustomizeError> {
        let mut transformers = Vec::with_capacity(patches.len() + images.len());
        for (index, patch) in patches.iter().enumerate() {
            let field = format!("patches[{index}]");
            let read = read_patch(patch, &field).map_err(|problem| problem.in_field("", &field))?;
            transformers.extend(read.into_iter().map(|transformer| (field.clone(), transformer)));
        }
        for (index, image) in images.iter().enumerate() {
            let field = format!("images[{index}]");
            if image.name.is_empty() {
                return Err(BuildProblem::new("name is missing; it is the present name of the image").in_field("", field));
            }
            let image = ImageEntry {
                name: image.name.clone(),
                new_name: image.new_name.clone(),
                new_tag: image.new_tag.clone(),
                digest: image.digest.clone(),
                ..ImageEntry::default()
            };
            transformers.push((field, Transformer::Image { image, fields: Tables::defaults().images.clone() }));
        }
        Ok(Self { transformers })
    }

    /// Returns true if there are neither patches nor changes of images.
    pub fn is_empty(&self) -> bool {
        self.transformers.is_empty()
    }

    /// Applies everything to objects, and returns them in their order. An object that a patch has deleted is None. An object may be several times in the
    /// list; a patch without target changes each of them.
    ///
    /// A patch without target whose object is not in the list is an error; one with a target that selects no object has no effect.
    pub fn apply(&self, objects: Vec<Value>, limits: BuildLimits) -> Result<Vec<Option<Value>>, KustomizeError> {
        let count = objects.len();
        if count > limits.objects {
            let message = format!("{count} objects are more than the limit of {}; raise BuildLimits::objects", limits.objects);
            return Err(BuildProblem(message).in_file(""));
        }
        let mut layers = layers(objects);
        let schemas = MergeSchemas::default();
        let mut bytes = ObjectBytes::new(limits);
        for resource in layers.iter().flat_map(|list| &list.resources) {
            bytes.add(&resource.object).map_err(|problem| problem.in_file(""))?;
        }
        for (field, transformer) in &self.transformers {
            for (index, list) in layers.iter_mut().enumerate() {
                if index == 0 || has_targets(transformer, list) {
                    transformer.apply(list, &schemas, &mut bytes).map_err(|problem| problem.in_field("", field))?;
                }
            }
        }
        let mut results = vec![None; count];
        for resource in layers.into_iter().flat_map(|list| list.resources) {
            if let Some(result) = results.get_mut(resource.position) {
                *result = Some(resource.object);
            }
        }
        Ok(results)
    }
}

/// Reads a patch. One without target may have several documents, each of which is a transformer of its own.
fn read_patch(patch: &ObjectPatch, field: &str) -> Result<Vec<Transformer>, BuildProblem> {
    let text = patch.patch.trim();
    if text.is_empty() {
        return Err(BuildProblem::new("patch is empty"));
    }
    let target = patch.target.clone().map(|target| TargetPattern {
        group: target.group,
        version: target.version,
        kind: target.kind,
        name: target.name,
        namespace: target.namespace,
        annotation_selector: target.annotation_selector,
        label_selector: target.label_selector,
    });
    // With a path, errors do not show the text, which may contain secrets.
    let source = PatchSource { text: text.to_owned(), path: Some(field.to_owned()) };
    Ok(match source.transformer(&PatchEntry { target, ..PatchEntry::default() })? {
        Transformer::Patch { patches, target: None, options } => {
            let single = |patch| Transformer::Patch { patches: vec![patch], target: None, options };
            patches.into_iter().map(single).collect()
        }
        other => vec![other],
    })
}

/// Returns lists that have no identity twice: the first has the first object of each identity, the next the second ones.
fn layers(objects: Vec<Value>) -> Vec<ResourceList> {
    let mut layers: Vec<ResourceList> = vec![ResourceList::default()];
    for (position, object) in objects.into_iter().enumerate() {
        let mut resource = BuildResource::new(object);
        resource.position = position;
        let id = resource.id();
        let free = layers.iter().position(|list| !list.resources.iter().any(|known| known.has_id(&id)));
        match free.and_then(|index| layers.get_mut(index)) {
            Some(list) => list.resources.push(resource),
            None => layers.push(ResourceList { resources: vec![resource] }),
        }
    }
    layers
}

/// Returns false for a patch without target whose object is not in a list.
fn has_targets(transformer: &Transformer, list: &ResourceList) -> bool {
    match transformer {
        Transformer::Patch { patches, target: None, .. } => {
            patches.iter().all(|patch| list.matching(&patch.original_id()).next().is_some())
        }
        _ => true,
    }
}
