//! The form in which finalizers are written.

/// The request with which a controller adds or removes its finalizer. In every form foreign finalizers are kept in their order, and an object that
/// was changed meanwhile is read again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FinalizerWrite {
    /// A JSON patch of the own entry alone, which tests the entries that it is based on (FZ-5).
    #[default]
    JsonPatch,
    /// A merge patch of the whole list, with the version of the object (FNL-8).
    MergePatch,
    /// Server-side apply of the own entry (FNL-9).
    Apply {
        /// The field manager that owns the entry. It must not be used for any other apply, which would remove the finalizer.
        manager: String,
        /// True if conflicts with other managers are decided in favour of this one.
        force: bool,
    },
}
