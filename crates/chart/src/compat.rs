//! The release line of Helm that a chart is rendered like.

use kubewright_template::value::NamedType;

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

    /// Returns the type of `.Values` and `.Template`.
    pub(crate) const fn values_type(self) -> &'static NamedType {
        match self {
            Self::Helm4 => &NamedType { name: "common.Values" },
            Self::Helm3 => &NamedType { name: "chartutil.Values" },
        }
    }
}
