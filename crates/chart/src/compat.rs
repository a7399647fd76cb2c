//! The release line of Helm that a chart is rendered like.

/// The release line of Helm that a chart is loaded and rendered like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HelmCompat {
    /// Helm 4.3.
    #[default]
    Helm4,
    /// Helm 3.22.
    Helm3,
}

impl HelmCompat {
    /// Returns the version that `.Capabilities.HelmVersion.Version` gives.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Helm4 => "v4.3.1",
            Self::Helm3 => "v3.22.0",
        }
    }

    /// Returns the name of the type of `.Values` and `.Template`.
    pub(crate) const fn values_type(self) -> &'static str {
        match self {
            Self::Helm4 => "common.Values",
            Self::Helm3 => "chartutil.Values",
        }
    }
}
