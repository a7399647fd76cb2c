//! Changes, of which a commit consists.

use serde_json::Value;

use super::{ObjectName, ObjectRef, Resource};

/// One change of one object, with a precondition on its current state.
#[derive(Clone, Debug)]
pub struct StoreChange {
    /// The object.
    pub object: ObjectRef,
    /// The state that the writer has seen.
    pub expect: Expect,
    /// The new content; `None` for a deletion.
    pub content: Option<Value>,
}

/// The precondition of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// No object of that name exists.
    Absent,
    /// The object is at this revision.
    Revision(u64),
    /// Any state; an existing object is replaced.
    Anything,
}

impl StoreChange {
    /// Returns the change that stores an object that does not exist yet.
    pub fn create(resource: Resource, name: ObjectName, content: Value) -> Self {
        Self { object: ObjectRef { resource, name }, expect: Expect::Absent, content: Some(content) }
    }

    /// Returns the change that replaces an object.
    pub fn update(resource: Resource, name: ObjectName, seen: u64, content: Value) -> Self {
        Self { object: ObjectRef { resource, name }, expect: Expect::Revision(seen), content: Some(content) }
    }

    /// Returns the change that removes an object.
    pub fn delete(resource: Resource, name: ObjectName, seen: u64) -> Self {
        Self { object: ObjectRef { resource, name }, expect: Expect::Revision(seen), content: None }
    }
}

/// The reason for which nothing was committed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// An object that was to be created exists.
    #[error("commit {0}: it exists")]
    Exists(ObjectRef),
    /// An object that was to be changed is gone.
    #[error("commit {0}: it is gone")]
    Gone(ObjectRef),
    /// An object was changed by a concurrent write.
    #[error("commit {0}: it changed in the meantime")]
    Changed(ObjectRef),
    /// The store itself failed.
    #[error("commit {0}: the storage failed")]
    Failed(ObjectRef),
}
