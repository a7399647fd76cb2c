//! The phases of an operator.

/// The progress of an operator. Phases only move forward, except between `Standby` and `Leading`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OperatorPhase {
    /// Declarations are collected, and the admin server is opened.
    Starting,
    /// The cluster is checked: version, kinds, permissions.
    Preflight,
    /// The configuration is read from ConfigMaps.
    ConfigLoaded,
    /// Watches are started and get their first lists.
    CachesSynced,
    /// The operator is ready to work and waits to lead.
    Standby,
    /// The operator works.
    Leading,
    /// The operator shuts down.
    Draining,
    /// All parts have ended.
    Stopped,
}

impl OperatorPhase {
    /// Returns the name in logs and probes.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "Starting",
            Self::Preflight => "Preflight",
            Self::ConfigLoaded => "ConfigLoaded",
            Self::CachesSynced => "CachesSynced",
            Self::Standby => "Standby",
            Self::Leading => "Leading",
            Self::Draining => "Draining",
            Self::Stopped => "Stopped",
        }
    }

    /// Returns true if the operator has started and is not shutting down.
    pub const fn is_serving(self) -> bool {
        matches!(self, Self::Standby | Self::Leading)
    }
}
