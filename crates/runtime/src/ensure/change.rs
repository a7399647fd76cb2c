use std::sync::Arc;

/// The result of [`Ensure`](super::Ensure).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ensured<K> {
    /// The child as the server has it, or as it was desired if it was skipped.
    pub object: Arc<K>,
    /// The change of the child.
    pub change: ChildChange,
}

/// The change that [`Ensure`](super::Ensure) made to a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChildChange {
    /// The child was absent and has been created.
    Created,
    /// The child differed and has been changed.
    Updated,
    /// The child is as desired; nothing was changed.
    Unchanged,
    /// The child differs and was not changed, because the update gate is closed (KID-7).
    Held,
    /// The child is absent and was not created, because its owner is being deleted (KID-6).
    Skipped,
}

/// The state of a child that is to be deleted (KID-16).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChildDeletion {
    /// No child of this owner is left: the object is absent, belongs to another owner, or was provided by a user.
    Gone,
    /// The deletion of the child has begun. A later pass finds it gone.
    Deleting,
}
