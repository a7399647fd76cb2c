//! What queued a key.

use std::fmt;
use std::sync::Arc;

use kubewright_machinery::object::{GroupKind, Key};
use serde_json::{Value, json};

use super::ChangedPaths;
use crate::flow::{Reason, Timer};

/// What queued a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueuedBy {
    /// The object, or one that concerns it, was there when the controller started.
    FirstList,
    /// An object came, changed or went.
    Changed(Arc<ObjectChange>),
    /// What can be seen of a kind changed as a whole: its watch was refused or allowed, or has its first list late.
    WatchTurned(Arc<GroupKind>),
    /// The types that a cluster serves changed.
    TypesChanged,
    /// The time that the pass before asked for is over.
    Timer(Timer),
    /// The safety resync.
    Resync,
    /// A configuration changed.
    Configuration {
        /// The name of the configuration.
        name: Arc<str>,
    },
    /// Code asked for it.
    Requested,
    /// This replica leads the key from now on.
    Promoted,
}

/// A change of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectChange {
    /// Group and kind of the object.
    pub kind: Arc<GroupKind>,
    /// Namespace and name of the object.
    pub key: Key,
    /// What became of it.
    pub what: ObjectChangeKind,
    /// The field manager whose write was the latest, if that is known.
    pub by: Option<Arc<str>>,
    /// Whether this process wrote it.
    pub own: bool,
}

/// What became of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectChangeKind {
    /// It came.
    Came,
    /// It changed; the paths are empty where they are not known.
    Changed(ChangedPaths),
    /// It went.
    Went,
}

impl QueuedBy {
    /// Whether this process caused it: by an own write, or by the outcome of the pass before.
    pub fn is_own(&self) -> bool {
        match self {
            Self::Changed(change) => change.own,
            Self::Timer(_) => true,
            _ => false,
        }
    }

    /// The cause as JSON.
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
    /// Whether this is about the same object.
    pub(super) fn is_of_same(&self, other: &Self) -> bool {
        self.key == other.key && self.kind == other.kind
    }

    /// Joins a later change of the same object.
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
    /// The word for it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Came => "came",
            Self::Changed(_) => "changed",
            Self::Went => "went",
        }
    }
}
