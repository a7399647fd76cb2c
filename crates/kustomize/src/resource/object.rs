//! A resource: an object with its history in the build.

use serde_json::{Map, Value};

use super::identity::ResourceId;
use crate::kind::KindId;

/// An object, the identities it had before, and what is still to be done with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuildResource {
    /// The object; null if a patch has deleted it.
    pub(crate) object: Value,
    /// Earlier kinds, names and effective namespaces, the oldest first.
    previous: Vec<PreviousId>,
    /// The prefixes that the name got, the innermost first.
    pub(crate) prefixes: Vec<String>,
    /// The suffixes that the name got, the innermost first.
    pub(crate) suffixes: Vec<String>,
    /// The behavior of the generator that made the resource.
    pub(crate) behavior: GeneratorBehavior,
    /// True if the name is to end in a hash of the content.
    pub(crate) needs_hash: bool,
    /// The source of the resource, if it is recorded.
    pub(crate) origin: Option<BuildOrigin>,
    /// The transformations of the resource, if they are recorded.
    pub(crate) transformations: Vec<BuildOrigin>,
    /// The position in the list that a caller has given, if the resource is from one.
    pub(crate) position: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct PreviousId {
    kind: String,
    name: String,
    namespace: String,
}

/// The effect of a generated resource on one of the same identity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GeneratorBehavior {
    /// A resource of the same identity is an error.
    #[default]
    Create,
    /// The resource replaces the other, and keeps its labels and annotations.
    Replace,
    /// The resource is merged into the other.
    Merge,
}

/// The source of a resource: a file, or an entry of a kustomization.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BuildOrigin {
    pub(crate) path: String,
    pub(crate) configured_in: String,
    pub(crate) configured_by: Option<Configuration>,
}

/// The identity of a generator or transformer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Configuration {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
}

impl Configuration {
    /// Returns the identity of a generator or transformer of a kustomization, which has no name.
    pub(crate) fn built_in(kind: &str) -> Self {
        Self { api_version: "builtin".to_owned(), kind: kind.to_owned(), ..Self::default() }
    }
}

impl BuildOrigin {
    /// Returns the size of all texts, in bytes.
    pub(crate) fn text_size(&self) -> usize {
        let configuration =
            self.configured_by.as_ref().map_or(0, |by| by.api_version.len() + by.kind.len() + by.name.len() + by.namespace.len());
        self.path.len() + self.configured_in.len() + configuration
    }
}

impl BuildResource {
    pub(crate) fn new(object: Value) -> Self {
        Self { object, ..Self::default() }
    }

    /// Returns true if the object has been deleted, or has no members.
    pub(crate) fn is_empty(&self) -> bool {
        self.object.as_object().is_none_or(Map::is_empty)
    }

    pub(crate) fn kind(&self) -> KindId {
        KindId::new(self.text("apiVersion"), self.kind_name())
    }

    pub(crate) fn kind_name(&self) -> &str {
        self.text("kind")
    }

    pub(crate) fn name(&self) -> &str {
        self.metadata_text("name")
    }

    pub(crate) fn namespace(&self) -> &str {
        self.metadata_text("namespace")
    }

    fn text(&self, field: &str) -> &str {
        self.object.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn metadata_text(&self, field: &str) -> &str {
        self.object.get("metadata").and_then(|metadata| metadata.get(field)).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the present identity.
    pub(crate) fn id(&self) -> ResourceId {
        ResourceId { kind: self.kind(), name: self.name().to_owned(), namespace: self.namespace().to_owned() }
    }

    /// Returns true if this is the present identity.
    pub(crate) fn has_id(&self, id: &ResourceId) -> bool {
        self.name() == id.name && self.kind_name() == id.kind.kind && self.id() == *id
    }

    /// Returns true if this is or was an identity of the resource.
    pub(crate) fn has_had_id(&self, id: &ResourceId) -> bool {
        self.has_id(id) || self.has_had_name(&id.name) && self.previous_ids().any(|previous| previous == *id)
    }

    /// Returns true if an earlier identity had a name.
    pub(crate) fn has_had_name(&self, name: &str) -> bool {
        self.previous.iter().any(|previous| previous.name == name)
    }

    /// Returns the first identity.
    pub(crate) fn original_id(&self) -> ResourceId {
        self.previous_ids().next().unwrap_or_else(|| self.id())
    }

    /// Returns all earlier identities, the oldest first. Their group and version are the present ones.
    pub(crate) fn previous_ids(&self) -> impl Iterator<Item = ResourceId> + '_ {
        let now = self.kind();
        self.previous.iter().map(move |previous| ResourceId {
            kind: KindId { kind: previous.kind.clone(), ..now.clone() },
            name: previous.name.clone(),
            namespace: previous.namespace.clone(),
        })
    }

    /// Records the present identity, which is about to change.
    pub(crate) fn remember_id(&mut self) {
        let id = self.id();
        let namespace = id.effective_namespace_text().to_owned();
        self.previous.push(PreviousId { kind: id.kind.kind, name: id.name, namespace });
    }

    /// Sets the kind without its group and version.
    pub(crate) fn set_kind_name(&mut self, kind: &str) {
        if let Value::Object(members) = &mut self.object {
            members.insert("kind".to_owned(), kind.into());
        }
    }

    pub(crate) fn set_name(&mut self, name: &str) {
        self.metadata_mut().insert("name".to_owned(), name.into());
    }

    /// Sets the namespace; the empty one removes the field.
    pub(crate) fn set_namespace(&mut self, namespace: &str) {
        if namespace.is_empty() {
            self.metadata_mut().remove("namespace");
        } else {
            self.metadata_mut().insert("namespace".to_owned(), namespace.into());
        }
    }

    /// Returns the metadata, which becomes a map if it is none.
    pub(crate) fn metadata_mut(&mut self) -> &mut Map<String, Value> {
        map_of(map_of(&mut self.object).entry("metadata").or_insert(Value::Null))
    }

    /// Returns the texts of a map of the metadata: labels or annotations. Values that are no texts have the text that they print as.
    pub(crate) fn metadata_texts(&self, field: &str) -> Map<String, Value> {
        let map = self.object.get("metadata").and_then(|metadata| metadata.get(field)).and_then(Value::as_object);
        map.into_iter().flatten().map(|(key, value)| (key.clone(), scalar_text(value).into())).collect()
    }

    /// Replaces a map of the metadata; an empty one removes the field.
    pub(crate) fn set_metadata_texts(&mut self, field: &str, texts: Map<String, Value>) {
        if texts.is_empty() {
            self.metadata_mut().remove(field);
        } else {
            self.metadata_mut().insert(field.to_owned(), texts.into());
        }
    }

    /// Takes over the labels, annotations, name, namespace and history of a resource that this one replaces. Own labels and annotations win.
    pub(crate) fn inherit_from(&mut self, other: &Self) {
        for field in ["labels", "annotations"] {
            let mut texts = other.metadata_texts(field);
            texts.append(&mut self.metadata_texts(field));
            self.set_metadata_texts(field, texts);
        }
        self.set_name(other.name());
        self.set_namespace(other.namespace());
        self.previous.clone_from(&other.previous);
        self.prefixes.clone_from(&other.prefixes);
        self.suffixes.clone_from(&other.suffixes);
        self.behavior = other.behavior;
        self.needs_hash = self.needs_hash && other.needs_hash;
    }
}

/// Returns the map of a value, which becomes an empty one if it is none.
fn map_of(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    match value {
        Value::Object(members) => members,
        _ => unreachable!("the value has become a map"),
    }
}

/// Returns the text of a scalar: of a text itself, and of others their JSON. Null and values that are no scalars have the empty text.
pub(crate) fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}
