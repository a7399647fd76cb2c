//! What a commit is made of.

use serde_json::Value;

use super::{ObjectName, ObjectRef, Resource};

/// One change of one object, made under the condition that the object is still what its writer saw.
#[derive(Clone, Debug)]
pub struct Change {
    /// The object.
    pub object: ObjectRef,
    /// What the writer saw.
    pub expect: Expect,
    /// The new content; `None` deletes.
    pub content: Option<Value>,
}

/// What the store must hold for a change to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// No object of that name.
    Absent,
    /// The object at this revision.
    Revision(u64),
    /// Anything: whatever is there is replaced.
    Anything,
}

impl Change {
    /// Stores an object that does not exist yet.
    pub fn create(resource: Resource, name: ObjectName, content: Value) -> Self {
        Self { object: ObjectRef { resource, name }, expect: Expect::Absent, content: Some(content) }
    }

    /// Replaces an object.
    pub fn update(resource: Resource, name: ObjectName, seen: u64, content: Value) -> Self {
        Self { object: ObjectRef { resource, name }, expect: Expect::Revision(seen), content: Some(content) }
    }

    /// Removes an object.
    pub fn delete(resource: Resource, name: ObjectName, seen: u64) -> Self {
        Self { object: ObjectRef { resource, name }, expect: Expect::Revision(seen), content: None }
    }
}

/// Why nothing was committed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// An object that was to be created exists.
    #[error("commit {0}: it exists")]
    Exists(ObjectRef),
    /// An object is gone that was to be changed.
    #[error("commit {0}: it is gone")]
    Gone(ObjectRef),
    /// An object was changed by somebody else.
    #[error("commit {0}: it changed in the meantime")]
    Changed(ObjectRef),
    /// The store itself failed.
    #[error("commit {0}: the storage failed")]
    Failed(ObjectRef),
}
