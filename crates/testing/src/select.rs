//! The selection of the cluster that a test runs on.

use std::net::IpAddr;

/// The kind of cluster, chosen by `KUBEWRIGHT_TEST_CLUSTER`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tier {
    /// The embedded API server, in process, in virtual time. The default.
    Embedded,
    /// A real control plane, started for the test process.
    Real,
    /// The current context of the usual kubeconfig.
    Kubeconfig,
}

impl Tier {
    /// The environment variable that chooses the tier.
    pub const VARIABLE: &'static str = "KUBEWRIGHT_TEST_CLUSTER";

    /// Reads the environment variable.
    pub fn from_env() -> Result<Self, UnknownTier> {
        Self::parse(std::env::var(Self::VARIABLE).ok().as_deref())
    }

    fn parse(value: Option<&str>) -> Result<Self, UnknownTier> {
        match value {
            None | Some("" | "embedded") => Ok(Self::Embedded),
            Some("real") => Ok(Self::Real),
            Some("kubeconfig") => Ok(Self::Kubeconfig),
            Some(found) => Err(UnknownTier { found: found.to_owned() }),
        }
    }
}

/// An unknown value of the environment variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("KUBEWRIGHT_TEST_CLUSTER is {found:?}; allowed: embedded (default), real, kubeconfig")]
pub struct UnknownTier {
    found: String,
}

/// Accepts a kubeconfig only if its server is on this machine, or its context was named explicitly, so that tests never run on a remote cluster by accident.
pub(crate) fn may_use(server: &str, context: &str, named: Option<&str>) -> Result<(), String> {
    let host = server.split("://").last().unwrap_or_default();
    let host = host.split('/').next().unwrap_or_default();
    // An IPv6 address without port has colons of its own.
    let host = match host.rsplit_once(':') {
        Some((without_port, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => without_port,
        _ => host,
    };
    // A host name such as `127.example.com` only looks like a loopback address; it must parse as one.
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let loopback = host == "localhost" || address.is_ok_and(|address| address.is_loopback());
    if loopback || named == Some(context) {
        return Ok(());
    }
    Err(format!(
        "context {context:?} points at {server}, which is not this machine; tests create and delete objects there. \
         Set KUBEWRIGHT_TEST_CLUSTER_CONTEXT={context} to allow it"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    // RT-9
    #[test]
    fn the_variable_chooses_and_other_values_are_refused_with_the_list() {
        assert_eq!(Tier::parse(None), Ok(Tier::Embedded));
        assert_eq!(Tier::parse(Some("real")), Ok(Tier::Real));
        assert_eq!(Tier::parse(Some("kubeconfig")), Ok(Tier::Kubeconfig));
        assert_eq!(
            Tier::parse(Some("kind")).unwrap_err().to_string(),
            "KUBEWRIGHT_TEST_CLUSTER is \"kind\"; allowed: embedded (default), real, kubeconfig"
        );
    }

    // RT-9
    #[test]
    fn a_remote_cluster_is_refused_unless_its_context_is_named() {
        assert!(may_use("https://127.0.0.1:6443", "kind", None).is_ok());
        assert!(may_use("https://localhost", "kind", None).is_ok());
        assert!(may_use("https://[::1]:6443", "kind", None).is_ok());
        assert!(may_use("https://[::1]", "kind", None).is_ok());
        assert!(may_use("https://10.1.2.3:6443", "prod", Some("prod")).is_ok());
        assert!(may_use("https://127.prod.example.com", "prod", None).is_err());
        let refusal = may_use("https://10.1.2.3:6443", "prod", None).unwrap_err();
        assert!(refusal.contains("KUBEWRIGHT_TEST_CLUSTER_CONTEXT=prod"), "{refusal}");
    }
}
