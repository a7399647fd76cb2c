//! The domain of the cluster in which the process runs.

use kubewright_core::defaults::CLUSTER_DOMAIN;
use kubewright_core::names::cluster_domain_of;

/// The environment variable that sets the domain.
const VARIABLE: &str = "CLUSTER_DOMAIN";
/// The file that lists the search domains of a pod.
const RESOLVER: &str = "/etc/resolv.conf";

/// Returns the domain of the cluster in which the process runs, for [`service_host`](kubewright_core::names::service_host): the variable `CLUSTER_DOMAIN`,
/// else the first `svc.<domain>` that `/etc/resolv.conf` searches, else `cluster.local`.
pub fn cluster_domain() -> String {
    let searched = std::fs::read_to_string(RESOLVER).unwrap_or_default();
    domain_of(std::env::var(VARIABLE).ok().as_deref(), &searched)
}

/// Returns the domain from these two sources. An empty variable counts as unset, as everywhere.
fn domain_of(variable: Option<&str>, searched: &str) -> String {
    let named = variable.map(str::trim).filter(|domain| !domain.is_empty());
    named.or_else(|| cluster_domain_of(searched)).unwrap_or(CLUSTER_DOMAIN).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    // HLP-4
    #[test]
    fn the_cluster_domain_comes_from_the_variable_then_the_search_list_then_the_default() {
        let searched = "nameserver 10.0.0.10\nsearch demo.svc.example.org svc.example.org example.org\n";
        for (variable, searched, expected) in [
            (Some("cluster.example"), searched, "cluster.example"),
            (Some(""), searched, "example.org"),
            (None, searched, "example.org"),
            (None, "search example.org", "cluster.local"),
            (None, "", "cluster.local"),
        ] {
            assert_eq!(domain_of(variable, searched), expected, "{variable:?} {searched:?}");
        }
        assert!(!cluster_domain().is_empty());
    }
}
