//! Host names of Services.

/// Returns the host name of a Service inside its cluster: `<name>.<namespace>.svc.<domain>`.
pub fn service_host(name: &str, namespace: &str, domain: &str) -> String {
    format!("{name}.{namespace}.svc.{domain}")
}

/// Returns the domain of the cluster in which a pod runs, from its `/etc/resolv.conf`: the first `svc.<domain>` in the search list.
pub fn cluster_domain_of(resolv_conf: &str) -> Option<&str> {
    resolv_conf
        .lines()
        .filter_map(|line| line.strip_prefix("search").filter(|rest| rest.starts_with([' ', '\t'])))
        .flat_map(str::split_whitespace)
        .filter_map(|searched| searched.strip_prefix("svc."))
        .map(|domain| domain.trim_end_matches('.'))
        .find(|domain| !domain.is_empty())
}
