//! The requests that a row expects of its pass.

use serde::Serialize;
use serde_json::Value;

use super::{Apply, Delete, DeleteCollection, Patch};

/// An expected mutating request.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    Create(Value),
    Update(Value),
    /// A write of a status, with the status of the stored object after it.
    Status(Value),
    Patch(Patch),
    Apply(Apply),
    FinalizerAdded(String),
    FinalizerRemoved(String),
    Delete(Delete),
    DeleteCollection(DeleteCollection),
}

/// The kinds of requests that are compared with each other, in the order in which they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Create,
    Update,
    Status,
    Patch,
    Apply,
    Delete,
    DeleteCollection,
    /// A request of a kind that no expectation covers.
    Other,
}

impl Sort {
    pub(super) const ALL: [Self; 8] =
        [Self::Create, Self::Update, Self::Status, Self::Patch, Self::Apply, Self::Delete, Self::DeleteCollection, Self::Other];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Status => "status",
            Self::Patch => "patch",
            Self::Apply => "apply",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Other => "request",
        }
    }
}

impl Expected {
    pub(super) const fn sort(&self) -> Sort {
        match self {
            Self::Create(_) => Sort::Create,
            Self::Update(_) => Sort::Update,
            Self::Status(_) => Sort::Status,
            Self::Patch(_) | Self::FinalizerAdded(_) | Self::FinalizerRemoved(_) => Sort::Patch,
            Self::Apply(_) => Sort::Apply,
            Self::Delete(_) => Sort::Delete,
            Self::DeleteCollection(_) => Sort::DeleteCollection,
        }
    }
}

/// Converts an object of a test to JSON.
#[track_caller]
pub(super) fn json(object: impl Serialize) -> Value {
    match serde_json::to_value(object) {
        Ok(value) => value,
        Err(error) => crate::cluster::fail(&format!("failed to write an object of a row as JSON: {error}")),
    }
}
