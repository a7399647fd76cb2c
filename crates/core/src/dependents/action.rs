//! The actions that a plan requests.

use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectKey};
use serde_json::Value;

use super::{Inventory, ManagedTypePattern};

/// One action of a plan. All actions of a plan are independent of each other and may be sent at once.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all actions are sends")]
#[non_exhaustive]
pub enum Action {
    /// Write this inventory to the component's status before any other request (PLAN-4). This action is alone in its batch. Record the answer with
    /// [`Observed::record_persisted`](super::Observed::record_persisted).
    Persist(Inventory),
    /// Look for objects of other owners. Record the answer with [`Observed::record_foreign`](super::Observed::record_foreign).
    CheckForeign(ForeignCheck),
    /// Send one request about one object. Record the answer with [`Observed::record`](super::Observed::record).
    Send(ObjectAction),
}

/// One request about one object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectAction {
    /// The purpose of the request.
    pub purpose: RequestPurpose,
    /// The type of the object. If the request has no body and this version is not served, the request may be sent in another version.
    pub gvk: GroupVersionKind,
    /// The identity of the object.
    pub key: ObjectKey,
    /// The request to send.
    pub request: Request,
    /// The delay before sending; zero except for repetitions. The sender adds jitter.
    pub after: Duration,
    /// The event to record once the request has succeeded.
    pub note: Option<Note>,
    /// True if the request restores a change by another program. Its failure never shows in the component's state (DRIFT-7).
    pub corrective: bool,
    /// True if the request restores marks of ours that another program changed. Such a write is spaced like a correction (OWN-4).
    pub contested: bool,
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestPurpose {
    /// Create an object.
    Create,
    /// Write an object that exists already.
    Update,
    /// Delete an object in order to create it again.
    Recreate,
    /// Delete an object.
    Delete,
    /// Remove our marks from an object and leave the object in the cluster.
    Orphan,
    /// Add our marks to an object without any other change.
    TakeOwnership,
    /// Remove our finalizer from a type that is being deleted.
    ReleaseFinalizer,
    /// Transfer fields of other managers, or of earlier operations of ours, to the field set of our applies (WRITE-5).
    Reclaim,
    /// Compute the result of an apply without carrying it out (TAKE-2).
    Compare,
    /// Create a namespace that a dependent needs.
    CreateNamespace,
    /// Read an object that no watch shows.
    ReadLive,
}

impl RequestPurpose {
    /// Returns true if the request changes something in the cluster.
    pub const fn is_write(self) -> bool {
        !matches!(self, Self::ReadLive | Self::Compare)
    }

    /// Returns the value of the metric label `action`.
    pub const fn operation(self) -> &'static str {
        match self {
            Self::Create | Self::CreateNamespace => "create",
            Self::Update | Self::Orphan | Self::TakeOwnership | Self::ReleaseFinalizer | Self::Reclaim => "update",
            Self::Recreate | Self::Delete => "delete",
            Self::ReadLive | Self::Compare => "read",
        }
    }
}

/// The content of a request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Request {
    /// POST of this object.
    Create(Value),
    /// PUT of this object.
    Replace(Value),
    /// Server-side apply of this object.
    Apply {
        /// The object.
        body: Value,
        /// True if fields of other managers are taken over.
        force: bool,
    },
    /// Forced server-side apply of this object as a dry run.
    DryRun(Value),
    /// JSON merge patch (RFC 7386).
    MergePatch(Value),
    /// JSON patch (RFC 6902).
    JsonPatch(Value),
    /// DELETE with propagation Background and these preconditions.
    Delete {
        /// The UID that the object must have.
        uid: String,
        /// The resource version that the object must have.
        resource_version: String,
    },
    /// GET.
    Get,
}

/// The question whether a type has objects that are not ours (component.md, 10.12). It takes one LIST per kind with limit [`Instances::SHOWN`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForeignCheck {
    /// The types to check.
    pub types: CheckedTypes,
    /// True if our own objects count as well.
    pub any_owner: bool,
    /// The label selector of the LIST; an empty selector matches all objects.
    pub selector: String,
}

/// The types that a check covers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CheckedTypes {
    /// All served, listable kinds that match, each in its preferred version.
    Declared(ManagedTypePattern),
    /// The kind of a CustomResourceDefinition.
    Definition {
        /// The name of the definition.
        name: String,
        /// The kind that it defines.
        kind: GroupKind,
        /// The plural of the kind, for the path of the request.
        plural: String,
        /// The version to list.
        version: String,
    },
    /// All listable kinds of an APIService.
    ApiService {
        /// The name of the APIService.
        name: String,
        /// The group that it serves.
        group: String,
        /// The version that it serves.
        version: String,
    },
}

/// The answer to a [`ForeignCheck`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// No such instance exists.
    None,
    /// Some instances exist.
    Found(Instances),
    /// Discovery or a LIST failed.
    Unavailable(String),
}

/// Instances of a type that are not ours.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "executors make it")]
pub struct Instances {
    /// The kind of the instances.
    pub kind: GroupKind,
    /// Up to [`Instances::SHOWN`] of the instances, as `namespace/name`.
    pub names: Vec<String>,
    /// True if there are more instances than those.
    pub more: bool,
}

impl Instances {
    /// The number of instances that a message names and that a check requests.
    pub const SHOWN: usize = 3;
}

impl fmt::Display for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        if self.more { f.write_str(" and more") } else { Ok(()) }
    }
}

/// An event to record on the component (EVT-2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A namespace was created for a dependent.
    NamespaceCreated {
        /// The name of the namespace.
        namespace: String,
    },
    /// A namespace is kept because an object in it stays.
    NamespaceKept {
        /// The name of the namespace.
        namespace: String,
        /// The object that stays in it.
        object: ObjectKey,
    },
    /// A wanted type was deleted by another program or a user.
    DependentDeleted {
        /// The type.
        object: ObjectKey,
    },
    /// Another program keeps changing our fields.
    DriftRepeated {
        /// The object.
        object: ObjectKey,
        /// The managers of the fields, comma separated.
        managers: String,
        /// The fields, comma separated.
        fields: String,
    },
    /// The server refuses to restore fields of ours that another program changed (DRIFT-8).
    DriftNotRepaired {
        /// The object.
        object: ObjectKey,
        /// The field that the server's answer contains.
        field: String,
        /// The message of the server.
        error: String,
    },
    /// The server does not know fields of a manifest; the object was written without them (WRITE-12).
    UnknownFields {
        /// The object.
        object: ObjectKey,
        /// The fields, comma separated.
        fields: String,
    },
    /// Manifests of cluster-scoped objects contain a namespace, which is ignored (PREP-7).
    NamespaceIgnored {
        /// The objects with their namespaces, comma separated.
        objects: String,
    },
}

impl Note {
    /// Returns the reason of the event.
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::NamespaceCreated { .. } => "NamespaceCreated",
            Self::NamespaceKept { .. } => "NamespaceKept",
            Self::DependentDeleted { .. } => "DependentDeleted",
            Self::DriftRepeated { .. } => "DriftRepeated",
            Self::DriftNotRepaired { .. } => "DriftNotRepaired",
            Self::UnknownFields { .. } => "UnknownFields",
            Self::NamespaceIgnored { .. } => "NamespaceIgnored",
        }
    }

    /// Returns true if the event is a Warning.
    pub const fn is_warning(&self) -> bool {
        !matches!(self, Self::NamespaceCreated { .. })
    }

    /// Returns the message of the event.
    pub fn message(&self) -> String {
        match self {
            Self::NamespaceCreated { namespace } => format!("Namespace {namespace} created"),
            Self::NamespaceKept { namespace, object } => {
                format!("Namespace {namespace} is kept because {object} stays in it")
            }
            Self::DependentDeleted { object } => {
                format!("{object} was deleted by another program and is created again")
            }
            Self::DriftRepeated { object, managers, fields } => {
                let fields = if fields.is_empty() { "fields" } else { fields };
                let managers = if managers.is_empty() { "an unknown manager" } else { managers };
                format!(
                    "{managers} keeps changing {fields} of {object} (remove the fields that another program sets from the manifest)"
                )
            }
            Self::DriftNotRepaired { object, field, error } => {
                let field = if field.is_empty() { String::new() } else { format!("{field} of ") };
                format!("{field}{object} was changed and cannot be restored: {error}")
            }
            Self::UnknownFields { object, fields } => {
                format!("{object} is written without fields that the server does not know: {fields}")
            }
            Self::NamespaceIgnored { objects } => {
                format!("cluster-scoped objects have no namespace; that of their manifests is ignored: {objects}")
            }
        }
    }
}
