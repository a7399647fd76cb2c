//! The description of a kind.

use std::sync::Arc;

use kubewright_machinery::object::Scope;
use kubewright_middleware::Verb;

use super::custom::{Column, CustomKind};
use super::derived::Derived;
use super::generation::Generation;
use super::reset::Reset;
use super::scale::Scale;
use super::verbs::Verbs;

/// All that the server knows about one version of one resource.
#[derive(Clone, Debug)]
pub struct KindSpec {
    /// API group; empty for the core group.
    pub group: String,
    /// API version, such as `v1`.
    pub version: String,
    /// Kind, such as `ConfigMap`.
    pub kind: String,
    /// Kind of a list of such objects.
    pub list_kind: String,
    /// Resource name in paths, such as `configmaps`.
    pub plural: String,
    /// Resource name in the singular, such as `configmap`.
    pub singular: String,
    /// The scope: namespaced or cluster-wide.
    pub scope: Scope,
    /// The verbs that the kind supports.
    pub verbs: Verbs,
    /// Short names that kubectl knows, such as `cm`.
    pub short_names: Vec<String>,
    /// Groups of resources that kubectl knows, such as `all`.
    pub categories: Vec<String>,
    /// The subresources of an object.
    pub subresources: Vec<Subresource>,
    /// Deviations from the usual behaviour of writes.
    pub flags: Flags,
    /// The behaviour of `metadata.generation`.
    pub generation: Generation,
    /// The effect on dependents of a delete without a propagation policy.
    pub gc_default: GcDefault,
    /// Fields that endpoints keep from the stored object.
    pub reset: Reset,
    /// The fields behind `/scale`, if the kind has it.
    pub scale: Option<Scale>,
    /// The storage of objects of the kind, which all versions of a resource share.
    pub storage: StorageId,
    /// Field selectors of built-in kinds besides `metadata.name` and `metadata.namespace`.
    pub field_selectors: Vec<String>,
    /// The columns of a table of objects.
    pub columns: Columns,
    /// A warning that is sent with each answer, for deprecated versions.
    pub deprecation_warning: Option<String>,
    /// Set for custom resources.
    pub custom: Option<Arc<CustomKind>>,
    /// Values derived from the other fields.
    pub derived: Derived,
}

impl KindSpec {
    /// Returns the `apiVersion` of objects: `group/version`, or just the version in the core group.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// Returns the name of the resource in messages: `plural.group`, or just the plural in the core group.
    pub fn qualified_resource(&self) -> String {
        qualified(&self.plural, &self.group)
    }

    /// Returns the name of the kind in messages about invalid objects: `Kind.group`, or just the kind in the core group.
    pub fn qualified_kind(&self) -> String {
        qualified(&self.kind, &self.group)
    }

    /// Returns true if objects live in a namespace.
    pub fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    /// Returns true if the resource itself supports the verb.
    pub fn allows(&self, verb: Verb) -> bool {
        self.verbs.contains(verb)
    }

    /// Returns true if objects are stored; reviews and bindings are answered only.
    pub fn is_stored(&self) -> bool {
        self.verbs.contains(Verb::Get) && self.verbs.contains(Verb::Create)
    }

    /// Returns the subresource of this name.
    pub fn subresource(&self, name: &str) -> Option<&Subresource> {
        self.subresources.iter().find(|subresource| subresource.name == name)
    }

    /// Returns true if the status can only be written through `/status`.
    pub fn has_status_subresource(&self) -> bool {
        self.subresource("status").is_some()
    }

    /// Returns true if the kind comes from a CustomResourceDefinition.
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

/// A subresource of an object, such as `status` or `scale`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subresource {
    /// Name in the path.
    pub name: String,
    /// Group of the kind that the subresource accepts and returns.
    pub group: String,
    /// Version of the kind that the subresource accepts and returns.
    pub version: String,
    /// The kind that the subresource accepts and returns.
    pub kind: String,
    /// The verbs that the subresource supports.
    pub verbs: Verbs,
}

/// Deviations from the usual behaviour of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// An update may omit the resource version. Without this flag, such an update is refused.
    pub unconditional_update: bool,
    /// An update of a missing object creates it.
    pub create_on_update: bool,
    /// An immediate delete returns the deleted object instead of a Status.
    pub returns_deleted: bool,
    /// A delete gives the object a grace period.
    pub graceful: bool,
}

/// The effect on dependents of a delete without a propagation policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GcDefault {
    /// Dependents are deleted after their owner.
    #[default]
    Background,
    /// Dependents lose the reference to their owner and stay.
    Orphan,
    /// The kind owns nothing; propagation policies are ignored.
    Unsupported,
}

/// The storage of a kind. All versions of a resource share one, and so do both views of an Event.
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
    /// Returns the `apiVersion` of the stored form.
    pub fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }
}

/// The columns of a table after the name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// The printer of the built-in kind, or just the age.
    #[default]
    Builtin,
    /// The columns of a custom resource definition; if empty, just the age.
    Custom(Vec<Column>),
}
