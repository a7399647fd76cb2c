//! Causes for which a key is queued.

use std::fmt;
use std::sync::Arc;

use kubewright_machinery::object::{GroupKind, Key};
use serde_json::{Value, json};

use super::ChangedPaths;
use crate::flow::{Reason, Timer};

/// The cause for which a key was queued.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueuedBy {
    /// The object, or a related one, existed when the controller started.
    FirstList,
    /// An object was created, updated or removed.
    Changed(Arc<ObjectChange>),
    /// The watch of a kind changed its state: it was denied or allowed, or has its first list late.
    WatchTurned(Arc<GroupKind>),
    /// The types that a cluster serves changed.
    TypesChanged,
    /// The timer that the previous pass set has expired.
    Timer(Timer),
    /// The safety resync is due.
    Resync,
    /// A configuration changed.
    Configuration {
        /// The name of the configuration.
        name: Arc<str>,
    },
    /// Code requested the pass.
    Requested,
    /// This replica leads the key from now on.
    Promoted,
}

/// A change of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectChange {
    /// The group and kind of the object.
    pub kind: Arc<GroupKind>,
    /// The namespace and name of the object.
    pub key: Key,
    /// The kind of the change.
    pub what: ObjectChangeKind,
    /// The field manager that wrote last, if it is known.
    pub by: Option<Arc<str>>,
    /// True if this process wrote the change.
    pub own: bool,
}

/// The kind of a change of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectChangeKind {
    /// The object was created.
    Came,
    /// The object was updated; the paths are empty if they are not known.
    Changed(ChangedPaths),
    /// The object was removed.
    Went,
}

impl QueuedBy {
    /// Returns true if this process is the cause: by an own write, or by the outcome of the previous pass.
    pub fn is_own(&self) -> bool {
        match self {
            Self::Changed(change) => change.own,
            Self::Timer(_) => true,
            _ => false,
        }
    }

    /// Converts the cause to JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::FirstList => json!({ "cause": "firstList" }),
            Self::Changed(change) => change.to_json(),
            Self::WatchTurned(kind) => json!({ "cause": "watch", "kind": kind.to_string() }),
            Self::TypesChanged => json!({ "cause": "types" }),
            Self::Timer(timer) => {
                json!({ "cause": "timer", "timer": timer.as_str(), "reason": timer.reason().map(Reason::as_str) })
            }
            Self::Resync => json!({ "cause": "resync" }),
            Self::Configuration { name } => json!({ "cause": "configuration", "name": &**name }),
            Self::Requested => json!({ "cause": "requested" }),
            Self::Promoted => json!({ "cause": "promoted" }),
        }
    }

    pub(super) fn weight(&self) -> usize {
        let inner = match self {
            Self::Changed(change) => change.weight(),
            _ => 0,
        };
        size_of::<Self>() + inner
    }
}

impl fmt::Display for QueuedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FirstList => f.write_str("first list"),
            Self::Changed(change) => change.fmt(f),
            Self::WatchTurned(kind) => write!(f, "the watch of {kind} changed its state"),
            Self::TypesChanged => f.write_str("the served types changed"),
            Self::Timer(timer) => write!(f, "timer ({timer})"),
            Self::Resync => f.write_str("resync"),
            Self::Configuration { name } => write!(f, "configuration {name} changed"),
            Self::Requested => f.write_str("requested"),
            Self::Promoted => f.write_str("promoted"),
        }
    }
}

impl ObjectChange {
    /// Returns true if both changes are of the same object.
    pub(super) fn is_of_same(&self, other: &Self) -> bool {
        self.key == other.key && self.kind == other.kind
    }

    /// Merges a later change of the same object.
    pub(super) fn join(&mut self, later: &Self, limit: usize) {
        match (&mut self.what, &later.what) {
            (ObjectChangeKind::Changed(paths), ObjectChangeKind::Changed(others)) => paths.join(others, limit),
            (ObjectChangeKind::Came, ObjectChangeKind::Changed(_)) => {}
            (what, other) => what.clone_from(other),
        }
        self.by.clone_from(&later.by);
        self.own &= later.own;
    }

    fn to_json(&self) -> Value {
        let (paths, more) = match &self.what {
            ObjectChangeKind::Changed(paths) => (paths.shown().collect(), paths.more()),
            _ => (Vec::new(), 0),
        };
        json!({
            "cause": "object", "kind": self.kind.to_string(), "namespace": self.key.namespace(), "name": self.key.name(),
            "what": self.what.as_str(), "paths": paths, "morePaths": more, "by": self.by.as_deref(), "own": self.own,
        })
    }

    fn weight(&self) -> usize {
        let paths = match &self.what {
            ObjectChangeKind::Changed(paths) => paths.weight(),
            _ => 0,
        };
        size_of::<Self>() + paths + self.by.as_ref().map_or(0, |by| by.len())
    }
}

/// Writes `ConfigMap x/y changed data.a (by kubectl)`.
impl fmt::Display for ObjectChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.kind, self.key, self.what.as_str())?;
        if let ObjectChangeKind::Changed(paths) = &self.what
            && !paths.is_empty()
        {
            write!(f, " {paths}")?;
        }
        match (&self.by, self.own) {
            (_, true) => f.write_str(" (own write)"),
            (Some(by), false) => write!(f, " (by {by})"),
            (None, false) => Ok(()),
        }
    }
}

impl ObjectChangeKind {
    /// Returns the word for the change.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Came => "came",
            Self::Changed(_) => "changed",
            Self::Went => "went",
        }
    }
}
