//! The form in which statuses are written.

/// The request that writes the status of an object. Whatever the form, fields of other writers survive (STW-3).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StatusWrite {
    /// A merge patch of the changed fields, with the version of the object (SW-2).
    #[default]
    Patch,
    /// The whole object with its new status, with the version that was read (STW-4).
    Put,
    /// Server-side apply of the whole status, forced (STW-4).
    Apply {
        /// The field manager, which owns the fields of the status. No other apply to the status may have it.
        manager: String,
    },
}
