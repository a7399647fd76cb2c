//! The form in which finalizers are written.

/// The request that adds or removes the finalizer of a controller. Whatever the form, finalizers of other writers stay, in their order, and an object
/// that was changed meanwhile is read again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinalizerWrite {
    /// A JSON patch of the own entry alone, which tests the entries that it builds on (FZ-5).
    #[default]
    JsonPatch,
    /// A merge patch of the whole list, with the version of the object (FNL-8).
    MergePatch,
    /// Server-side apply of the own entry (FNL-9).
    Apply {
        /// The field manager, which owns the entry. No other apply may have it, for it would strip the finalizer.
        manager: String,
        /// Whether conflicts with other managers are decided in favour of this one.
        force: bool,
    },
}
