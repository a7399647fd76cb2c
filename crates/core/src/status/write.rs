//! The form in which statuses are written.

/// The request that writes the status of an object. In every form fields of other writers are kept (STW-3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatusWrite {
    /// A merge patch of the changed fields, with the version of the object (SW-2).
    #[default]
    Patch,
    /// A PUT of the whole object with its new status and the version that was read (STW-4).
    Put,
    /// Server-side apply of the whole status, forced (STW-4).
    Apply {
        /// The field manager that owns the fields of the status. It must not be used for any other apply to the status.
        manager: String,
    },
}
