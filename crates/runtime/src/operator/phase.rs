//! The phases of an operator.

/// How far an operator has come. Phases only move forward, except between `Standby` and `Leading`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Declarations are collected, the admin server is opened.
    Starting,
    /// The cluster is checked: version, kinds, permissions.
    Preflight,
    /// The configuration is read from ConfigMaps.
    ConfigLoaded,
    /// Watches are started and get their first lists.
    CachesSynced,
    /// Ready to work, waiting to lead.
    Standby,
    /// Working.
    Leading,
    /// Shutting down.
    Draining,
    /// Everything has ended.
    Stopped,
}

impl Phase {
    /// The name in logs and probes.
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

    /// Whether the operator has started and is not shutting down.
    pub const fn is_serving(self) -> bool {
        matches!(self, Self::Standby | Self::Leading)
    }
}
