//! The propagation policy of a deletion.

/// The effect of a deletion on the dependents of the object (`propagationPolicy`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Propagation {
    /// The garbage collector deletes the dependents after the object.
    Background,
    /// The dependents are deleted before the object.
    Foreground,
    /// The dependents stay.
    Orphan,
}

impl Propagation {
    /// Returns the name in the Kubernetes API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Background => "Background",
            Self::Foreground => "Foreground",
            Self::Orphan => "Orphan",
        }
    }
}
