//! Problems of the options of an operator (OPR-4).

use kubewright_machinery::object::names::{c_identifier, dns_1123_subdomain, qualified_name};

use super::name_problems::namespace_problem;
use super::{Compat, OperatorOptions};

/// Returns the problems of options and formats that can be judged without a cluster.
pub(super) fn problems_of(options: &OperatorOptions, formats: &Compat) -> Vec<String> {
    let mut problems = Vec::new();
    for (what, namespace) in options
        .watch_namespaces
        .iter()
        .map(|namespace| ("namespace to watch", namespace))
        .chain(options.system_namespace.iter().map(|namespace| ("namespace that the operator runs in", namespace)))
    {
        if let Some(problem) = namespace_problem(namespace) {
            problems.push(format!("the {what}, {namespace:?}, cannot be one: {problem}"));
        }
    }
    let qps = options.kube_api_qps;
    if !qps.is_finite() || qps < 0.0 {
        problems.push(format!("the option kube_api_qps is {qps}; it must be a number that is not negative, 0 for no limit"));
    }
    let (metrics_prefix, domain) = (formats.metrics_prefix(), formats.label_domain());
    if let Some(problem) = dns_1123_subdomain(domain).first() {
        problems.push(format!("the domain of labels, {domain:?}, cannot be used: {problem}"));
    }
    if let Some(problem) = c_identifier(metrics_prefix).first() {
        problems.push(format!("the prefix of the metrics, {metrics_prefix:?}, cannot be used: {problem}"));
    }
    if let Some(label) = &options.system_resource_label
        && let Some(problem) = qualified_name(label).first()
    {
        problems.push(format!("the label key {label:?} of SYSTEM_RESOURCE_LABEL cannot be used: {problem}"));
    }
    problems
}
