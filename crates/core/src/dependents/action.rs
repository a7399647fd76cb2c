//! What a plan asks to be sent.

use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectKey};
use serde_json::Value;

use super::{Inventory, ManagedType};

/// One step of a plan. All actions of a plan are independent of each other and may be sent at once.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "nearly all actions are sends")]
#[non_exhaustive]
pub enum Action {
    /// Write this inventory to the component's status before anything else is sent (PLAN-4). It is alone in its batch. Answer
    /// with [`Observed::record_persisted`](super::Observed::record_persisted).
    Persist(Inventory),
    /// Look for objects that are not ours. Answer with [`Observed::record_foreign`](super::Observed::record_foreign).
    CheckForeign(ForeignCheck),
    /// Send one request about one object. Answer with [`Observed::record`](super::Observed::record).
    Send(ObjectAction),
}

/// One request about one object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectAction {
    /// What the request is for.
    pub verb: Verb,
    /// The type. Where the request has no body of its own and this version is not served, another version will do.
    pub gvk: GroupVersionKind,
    /// The object.
    pub key: ObjectKey,
    /// What to send.
    pub request: Request,
    /// How long to wait before sending; zero but for repetitions. The sender adds jitter.
    pub after: Duration,
    /// What to tell people once the request succeeded.
    pub note: Option<Note>,
    /// Whether this restores what somebody else changed. Its failure never shows in the component's state (DRIFT-7).
    pub corrective: bool,
    /// Whether this restores marks of ours that somebody else changed: such a write is spaced like a correction (OWN-4).
    pub contested: bool,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verb {
    /// Create an object.
    Create,
    /// Write an object that exists.
    Update,
    /// Delete an object in order to create it again.
    Recreate,
    /// Delete an object.
    Delete,
    /// Take our marks off an object and leave it.
    Orphan,
    /// Put our marks on an object without changing anything else.
    TakeOwnership,
    /// Take our finalizer off a type that is being deleted.
    ReleaseFinalizer,
    /// Make fields of other managers, or earlier ones of ours, fields that our applies own (WRITE-5).
    Reclaim,
    /// Ask what an apply would change, without changing anything (TAKE-2).
    Compare,
    /// Create a namespace that a dependent needs.
    CreateNamespace,
    /// Read an object, because no watch shows it.
    ReadLive,
}

impl Verb {
    /// Whether the request changes something in the cluster.
    pub const fn is_write(self) -> bool {
        !matches!(self, Self::ReadLive | Self::Compare)
    }

    /// The value of the metric label `action`.
    pub const fn operation(self) -> &'static str {
        match self {
            Self::Create | Self::CreateNamespace => "create",
            Self::Update | Self::Orphan | Self::TakeOwnership | Self::ReleaseFinalizer | Self::Reclaim => "update",
            Self::Recreate | Self::Delete => "delete",
            Self::ReadLive | Self::Compare => "read",
        }
    }
}

/// What to send.
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
        /// Whether fields of other managers are taken over.
        force: bool,
    },
    /// Forced server-side apply of this object that is not carried out.
    DryRun(Value),
    /// JSON merge patch (RFC 7386).
    MergePatch(Value),
    /// JSON patch (RFC 6902).
    JsonPatch(Value),
    /// DELETE with propagation Background and these preconditions.
    Delete {
        /// The UID that the object must have.
        uid: String,
        /// The version that the object must have.
        resource_version: String,
    },
    /// GET.
    Get,
}

/// A question: does any object of a type exist that is not ours (component.md, 10.12)? One LIST per kind with limit [`Instances::SHOWN`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForeignCheck {
    /// What types are meant.
    pub types: CheckedTypes,
    /// Whether objects of ours count as well.
    pub any_owner: bool,
    /// The label selector of the LIST; empty: all objects.
    pub selector: String,
}

/// The types that a check is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum CheckedTypes {
    /// All served, listable kinds that match, each in its preferred version.
    Declared(ManagedType),
    /// The kind of a CustomResourceDefinition.
    Definition {
        /// Name of the definition.
        name: String,
        /// Its kind.
        kind: GroupKind,
        /// Its plural, for the path of the request.
        plural: String,
        /// The version to list.
        version: String,
    },
    /// All listable kinds of an APIService.
    ApiService {
        /// Name of the APIService.
        name: String,
        /// Its group.
        group: String,
        /// Its version.
        version: String,
    },
}

/// The answer to a [`ForeignCheck`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// There is none.
    None,
    /// There are some.
    Found(Instances),
    /// Discovery or a LIST failed.
    Unavailable(String),
}

/// Instances of a type that are not ours.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "executors make it")]
pub struct Instances {
    /// Their kind.
    pub kind: GroupKind,
    /// Some of them, as `namespace/name`.
    pub names: Vec<String>,
    /// Whether there are more than those.
    pub more: bool,
}

impl Instances {
    /// The number of instances that a message names, and that a check asks for.
    pub const SHOWN: usize = 3;
}

impl fmt::Display for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        if self.more { f.write_str(" and more") } else { Ok(()) }
    }
}

/// Something worth telling people as an event on the component (EVT-2).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A namespace was created for a dependent.
    NamespaceCreated {
        /// Its name.
        namespace: String,
    },
    /// A namespace stays, since an object in it does.
    NamespaceKept {
        /// Its name.
        namespace: String,
        /// The object in it.
        object: ObjectKey,
    },
    /// A type that is wanted was deleted by hand.
    DependentDeleted {
        /// The type.
        object: ObjectKey,
    },
    /// Somebody else keeps changing our fields.
    DriftRepeated {
        /// The object.
        object: ObjectKey,
        /// The managers of the fields, comma separated.
        managers: String,
        /// The fields, comma separated.
        fields: String,
    },
    /// The server refuses to restore fields of ours that somebody changed (DRIFT-8).
    DriftNotRepaired {
        /// The object.
        object: ObjectKey,
        /// The field that the server names.
        field: String,
        /// The server's text.
        error: String,
    },
    /// The server does not know fields of a manifest; the object was written without them (WRITE-12).
    UnknownFields {
        /// The object.
        object: ObjectKey,
        /// The fields, comma separated.
        fields: String,
    },
    /// Manifests of cluster-scoped objects name a namespace (PREP-7).
    NamespaceIgnored {
        /// The objects with their namespaces, comma separated.
        objects: String,
    },
}

impl Note {
    /// The reason of the event.
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

    /// Whether the event is a Warning.
    pub const fn is_warning(&self) -> bool {
        !matches!(self, Self::NamespaceCreated { .. })
    }

    /// The message of the event.
    pub fn message(&self) -> String {
        match self {
            Self::NamespaceCreated { namespace } => format!("Namespace {namespace} created"),
            Self::NamespaceKept { namespace, object } => {
                format!("Namespace {namespace} is kept because {object} stays in it")
            }
            Self::DependentDeleted { object } => {
                format!("{object} was deleted by somebody else and is created again")
            }
            Self::DriftRepeated { object, managers, fields } => {
                let fields = if fields.is_empty() { "fields" } else { fields };
                let managers = if managers.is_empty() { "an unknown manager" } else { managers };
                format!("{managers} keeps changing {fields} of {object} (take out of the manifest what another program sets)")
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
