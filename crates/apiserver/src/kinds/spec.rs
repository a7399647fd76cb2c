//! A kind, as the server knows it.

use std::sync::Arc;

use super::custom::{Column, CustomKind};
use super::derived::Derived;
use super::generation::Generation;
use super::reset::Reset;
use super::scale::Scale;
use super::verbs::{Verb, Verbs};

/// Everything the server knows about one version of one resource.
#[derive(Clone, Debug)]
pub struct KindSpec {
    /// API group; empty for the core group.
    pub group: String,
    /// API version, such as `v1`.
    pub version: String,
    /// Kind, such as `ConfigMap`.
    pub kind: String,
    /// Kind of a list of them.
    pub list_kind: String,
    /// Resource name in paths, such as `configmaps`.
    pub plural: String,
    /// Name for one, such as `configmap`.
    pub singular: String,
    /// Whether objects live in a namespace.
    pub scope: Scope,
    /// What can be done with objects of the kind.
    pub verbs: Verbs,
    /// Short names that kubectl knows, such as `cm`.
    pub short_names: Vec<String>,
    /// Groups of resources that kubectl knows, such as `all`.
    pub categories: Vec<String>,
    /// What can be addressed below an object.
    pub subresources: Vec<Subresource>,
    /// Exceptions from the usual behaviour of writes.
    pub flags: Flags,
    /// How `metadata.generation` behaves.
    pub generation: Generation,
    /// What a delete without a propagation policy does to dependents.
    pub gc_default: GcDefault,
    /// Fields that endpoints keep from the stored object.
    pub reset: Reset,
    /// The fields behind `/scale`, when the kind has it.
    pub scale: Option<Scale>,
    /// Where objects of the kind are stored: versions of one resource share their storage.
    pub storage: StorageId,
    /// Field selectors of built-in kinds besides `metadata.name` and `metadata.namespace`.
    pub field_selectors: Vec<String>,
    /// What a table of objects shows.
    pub columns: Columns,
    /// What clients are told with each answer, for versions that will go.
    pub deprecation_warning: Option<String>,
    /// Set for custom resources.
    pub custom: Option<Arc<CustomKind>>,
    /// What follows from all this.
    pub derived: Derived,
}

impl KindSpec {
    /// `group/version`, or just the version in the core group: what objects have as `apiVersion`.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// `plural.group`, or just the plural in the core group: how messages name the resource.
    pub fn qualified_resource(&self) -> String {
        qualified(&self.plural, &self.group)
    }

    /// `Kind.group`, or just the kind in the core group: how messages about invalid objects name it.
    pub fn qualified_kind(&self) -> String {
        qualified(&self.kind, &self.group)
    }

    /// Whether objects live in a namespace.
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// Whether the verb can be used on the resource itself.
    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(verb)
    }

    /// Whether objects are stored at all; reviews and bindings are only answered.
    pub fn is_stored(&self) -> bool {
        self.verbs.contains(Verb::Get) && self.verbs.contains(Verb::Create)
    }

    /// The subresource of this name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|subresource| subresource.name == name)
    }

    /// Whether the status can only be written through `/status`.
    pub fn has_status_subresource(&self) -> bool {
        self.subresource("status").is_some()
    }

    /// Whether the kind comes from a CustomResourceDefinition.
    pub fn is_custom(&self) -> bool {
        self.custom.is_some()
    }
}

pub(super) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

fn qualified(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

/// Whether objects of a kind live in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
pub enum Scope {
    /// In a namespace.
    Namespaced,
    /// In the cluster as a whole.
    Cluster,
}

/// Something addressed below an object, such as `status` or `scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Name in the path.
    pub name: String,
    /// Group of the kind that it takes and answers.
    pub group: String,
    /// Version of that kind.
    pub version: String,
    /// That kind.
    pub kind: String,
    /// What can be done with it.
    pub verbs: Verbs,
}

/// Exceptions from the usual behaviour of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// An update may leave out the resource version. Without it, one is refused.
    pub unconditional_update: bool,
    /// An update of a missing object creates it.
    pub create_on_update: bool,
    /// An immediate delete answers the deleted object instead of a Status.
    pub returns_deleted: bool,
    /// A delete gives the object a grace period.
    pub graceful: bool,
}

/// What a delete without a propagation policy does to dependents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GcDefault {
    /// They are deleted after their owner.
    #[default]
    Background,
    /// They lose the reference to their owner and stay.
    Orphan,
    /// The kind owns nothing; propagation policies are ignored.
    Unsupported,
}

/// Where objects are stored: all versions of a resource, and both views of an Event, have one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageId {
    /// Group of the stored form.
    pub group: String,
    /// Plural name of the resource.
    pub plural: String,
    /// Version of the stored form.
    pub version: String,
}

impl StorageId {
    /// `group/version` of the stored form.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }
}

/// What a table shows after the name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// The printer of the built-in kind, or just the age.
    #[default]
    Builtin,
    /// The columns of a custom resource definition; empty: just the age.
    Custom(Vec<Column>),
}
