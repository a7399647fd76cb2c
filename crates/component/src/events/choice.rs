//! The choice of the events on dependents.

/// The kinds of events on dependents that are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DependentEvents {
    /// No events. The component itself still gets its events.
    None,
    /// Events about failed writes and deletions.
    #[default]
    Warnings,
    /// Events about every write and deletion. They double the requests of an installation.
    All,
}
