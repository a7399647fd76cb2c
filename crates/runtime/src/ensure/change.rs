use std::sync::Arc;

/// A child after [`Ensure`](super::Ensure).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ensured<K> {
    /// The child as the server has it; as it was wanted if it was skipped.
    pub object: Arc<K>,
    /// What was done to it.
    pub change: ChildChange,
}

/// What was done to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChildChange {
    /// It was absent and has been created.
    Created,
    /// It differed and has been changed.
    Updated,
    /// It is as it was wanted; nothing was changed.
    Unchanged,
    /// It differs and stays so, because the update gate is closed (KID-7).
    Held,
    /// It is absent and stays so, because its owner is being deleted (KID-6).
    Skipped,
}

/// What became of a child that is to be deleted (KID-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChildDeletion {
    /// Nothing of ours is there: the child is absent, belongs to somebody else, or was provided by a user.
    Gone,
    /// It has been told to go. A later pass finds it gone.
    Deleting,
}
