//! The capabilities of a cluster: the version of Kubernetes and the API versions that it serves.

use crate::compat::HelmCompat;
use crate::error::ChartError;

/// The API versions that `helm template` knows without a cluster.
const KNOWN: [&str; 57] = [
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "lifecycle.k8s.io/v1alpha1",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1",
    "storagemigration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

/// The version of a Kubernetes server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubernetesVersion {
    /// The whole version, with `v` and the suffix of a vendor.
    pub git_version: String,
    /// The version without a suffix.
    pub normalized: String,
    /// The major version.
    pub major: u64,
    /// The minor version.
    pub minor: u64,
}

impl KubernetesVersion {
    /// Reads a version, with or without `v` and a suffix.
    pub fn parse(version: &str) -> Result<Self, ChartError> {
        let malformed = || ChartError::MalformedKubeVersion {
            version: version.to_owned(),
            message: format!("could not parse {version:?} as version"),
        };
        let trimmed = version.trim();
        let plain = trimmed.strip_prefix('v').unwrap_or(trimmed);
        let end = plain.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(plain.len());
        let numbers = plain[..end].trim_end_matches('.').split('.').map(|number| {
            let has_leading_zero = number.len() > 1 && number.starts_with('0');
            number.parse::<u64>().ok().filter(|_| !has_leading_zero)
        });
        let numbers: Vec<u64> = numbers.collect::<Option<_>>().ok_or_else(malformed)?;
        let [major, minor, ..] = numbers[..] else { return Err(malformed()) };
        let shown: Vec<String> = numbers.iter().map(u64::to_string).collect();
        Ok(Self { git_version: format!("v{plain}"), normalized: format!("v{}", shown.join(".")), major, minor })
    }

    /// Returns the version that `.Capabilities.KubeVersion.Version` gives.
    pub(crate) fn shown(&self, compat: HelmCompat) -> &str {
        match compat {
            HelmCompat::Helm4 => &self.git_version,
            HelmCompat::Helm3 => &self.normalized,
        }
    }
}

/// The capabilities of a cluster: its version and the API versions that it serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartCapabilities {
    /// The version of Kubernetes.
    pub kubernetes: KubernetesVersion,
    /// The API versions: `group/version` and `group/version/Kind`.
    pub api_versions: Vec<String>,
}

impl ChartCapabilities {
    /// Returns the capabilities that `helm template` takes without a cluster: those of Kubernetes of a version, with all API versions that Helm knows.
    pub fn offline(version: &str) -> Result<Self, ChartError> {
        KubernetesVersion::parse(version).map(Self::of)
    }

    fn of(kubernetes: KubernetesVersion) -> Self {
        Self { kubernetes, api_versions: KNOWN.map(str::to_owned).to_vec() }
    }

    /// Adds API versions.
    pub fn with_api_versions(mut self, versions: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.api_versions.extend(versions.into_iter().map(Into::into));
        self
    }
}

impl Default for ChartCapabilities {
    /// Returns the capabilities of Kubernetes 1.36 without a cluster.
    fn default() -> Self {
        let kubernetes =
            KubernetesVersion { git_version: "v1.36.0".to_owned(), normalized: "v1.36.0".to_owned(), major: 1, minor: 36 };
        Self::of(kubernetes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_vendors_are_read() {
        let version = KubernetesVersion::parse("v1.29.4-gke.100").unwrap();
        assert_eq!((version.git_version.as_str(), version.normalized.as_str()), ("v1.29.4-gke.100", "v1.29.4"));
        assert_eq!((version.major, version.minor), (1, 29));
        assert_eq!(version.shown(HelmCompat::Helm3), "v1.29.4");
        assert_eq!(KubernetesVersion::parse("1.30").unwrap().git_version, "v1.30");
    }

    #[test]
    fn malformed_versions_are_refused() {
        for version in ["", "1", "v", "x.y", "1.01.0"] {
            assert!(KubernetesVersion::parse(version).is_err(), "{version}");
        }
    }
}
