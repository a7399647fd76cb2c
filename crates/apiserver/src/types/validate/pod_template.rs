//! Validation of pod specs, in pods and in templates.

use std::collections::HashSet;

use kubewright_machinery::object::names;
use kubewright_schema::FieldError;
use serde_json::Value;

use super::checks::{FieldChecks, is_blank, is_empty, items};
use super::{container, placement};

const RESTART_POLICIES: [&str; 3] = ["Always", "OnFailure", "Never"];
const DNS_POLICIES: [&str; 4] = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const I32_MAX: i64 = i32::MAX as i64;

/// Checks a template: the labels and the spec of its pods. Containers can also mount volumes that the pods get from claims.
pub(super) fn template(checks: &mut FieldChecks, path: &str, template: &Value, claims: &Value) {
    checks.labels(&format!("{path}.labels"), &template["metadata"]["labels"]);
    spec_with_claims(checks, &format!("{path}.spec"), &template["spec"], claims);
}

/// Checks the spec of a pod (BVA-2).
pub(super) fn spec(checks: &mut FieldChecks, path: &str, spec: &Value) {
    spec_with_claims(checks, path, spec, &Value::Null);
}

fn spec_with_claims(checks: &mut FieldChecks, path: &str, spec: &Value, claims: &Value) {
    let mut volumes = volumes(checks, &format!("{path}.volumes"), &spec["volumes"]);
    let claims = claims.as_array().into_iter().flatten();
    volumes.extend(claims.filter_map(|claim| claim["metadata"]["name"].as_str()).map(str::to_owned));
    let mut seen = HashSet::new();
    for (field, required) in [("containers", true), ("initContainers", false)] {
        let path = format!("{path}.{field}");
        if required && is_empty(&spec[field]) {
            checks.add(FieldError::required(&path, ""));
        }
        for (path, container) in items(&path, &spec[field]) {
            container::container(checks, &path, container, &volumes);
            if field == "initContainers" && container["restartPolicy"] != "Always" {
                for unfit in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
                    if !container[unfit].is_null() {
                        let detail = "may not be set for init containers without restartPolicy=Always";
                        checks.add(FieldError::forbidden(format!("{path}.{unfit}"), detail));
                    }
                }
            }
            checks.unique(&format!("{path}.name"), &container["name"], &mut seen);
        }
    }
    checks.required_one_of(&format!("{path}.restartPolicy"), &spec["restartPolicy"], &RESTART_POLICIES);
    checks.required_one_of(&format!("{path}.dnsPolicy"), &spec["dnsPolicy"], &DNS_POLICIES);
    checks.within(&format!("{path}.activeDeadlineSeconds"), &spec["activeDeadlineSeconds"], 1, I32_MAX);
    checks.labels(&format!("{path}.nodeSelector"), &spec["nodeSelector"]);
    checks.name(&format!("{path}.serviceAccountName"), &spec["serviceAccountName"], names::dns_1123_subdomain);
    checks.name(&format!("{path}.nodeName"), &spec["nodeName"], names::dns_1123_subdomain);
    checks.name(&format!("{path}.hostname"), &spec["hostname"], names::dns_1123_label);
    checks.name(&format!("{path}.subdomain"), &spec["subdomain"], names::dns_1123_label);
    placement::placement(checks, path, spec);
    network(checks, path, spec);
    security(checks, &format!("{path}.securityContext"), spec);
    if !spec["os"].is_null() && !matches!(spec["os"]["name"].as_str(), Some("linux" | "windows")) {
        checks.add(FieldError::not_supported(format!("{path}.os"), &spec["os"]["name"], &["linux", "windows"]));
    }
    for (path, gate) in items(&format!("{path}.readinessGates"), &spec["readinessGates"]) {
        checks.name(&format!("{path}.conditionType"), &gate["conditionType"], names::qualified_name);
    }
}

/// Checks the network settings of a pod.
fn network(checks: &mut FieldChecks, path: &str, spec: &Value) {
    if spec["dnsPolicy"] == "None" && is_empty(&spec["dnsConfig"]) {
        checks.add(FieldError::required(format!("{path}.dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None"));
    }
    for (path, server) in items(&format!("{path}.dnsConfig.nameservers"), &spec["dnsConfig"]["nameservers"]) {
        checks.address(&path, server);
    }
    for (path, search) in items(&format!("{path}.dnsConfig.searches"), &spec["dnsConfig"]["searches"]) {
        let domain = search.as_str().unwrap_or_default().trim_end_matches('.').replace('_', "-");
        for problem in names::dns_1123_subdomain(&domain) {
            checks.add(FieldError::invalid(&path, search, problem));
        }
    }
    for (path, option) in items(&format!("{path}.dnsConfig.options"), &spec["dnsConfig"]["options"]) {
        if is_blank(&option["name"]) {
            checks.add(FieldError::required(path, "must not be empty"));
        }
    }
    for (path, alias) in items(&format!("{path}.hostAliases"), &spec["hostAliases"]) {
        checks.address(&format!("{path}.ip"), &alias["ip"]);
        for (path, name) in items(&format!("{path}.hostnames"), &alias["hostnames"]) {
            checks.name(&path, name, names::dns_1123_subdomain);
        }
    }
    if spec["hostNetwork"] != true {
        return;
    }
    for (path, container) in items(&format!("{path}.containers"), &spec["containers"]) {
        for (path, port) in items(&format!("{path}.ports"), &container["ports"]) {
            if !port["hostPort"].is_null() && port["hostPort"] != port["containerPort"] {
                let detail = "must match `containerPort` when `hostNetwork` is true";
                checks.add(FieldError::invalid(format!("{path}.hostPort"), &port["hostPort"], detail));
            }
        }
    }
}

/// Checks the security settings of a pod, such as its users and groups.
fn security(checks: &mut FieldChecks, path: &str, spec: &Value) {
    if spec["shareProcessNamespace"] == true && spec["hostPID"] == true {
        let detail = "ShareProcessNamespace and HostPID cannot both be enabled";
        checks.add(FieldError::invalid(format!("{path}.shareProcessNamespace"), &Value::Bool(true), detail));
    }
    let context = &spec["securityContext"];
    for field in ["runAsUser", "runAsGroup", "fsGroup"] {
        checks.within(&format!("{path}.{field}"), &context[field], 0, I32_MAX);
    }
    for (path, group) in items(&format!("{path}.supplementalGroups"), &context["supplementalGroups"]) {
        checks.within(&path, group, 0, I32_MAX);
    }
    for (path, sysctl) in items(&format!("{path}.sysctls"), &context["sysctls"]) {
        checks.required(&format!("{path}.name"), &sysctl["name"]);
    }
}

/// Checks volumes and returns their names.
fn volumes(checks: &mut FieldChecks, path: &str, volumes: &Value) -> HashSet<String> {
    let mut seen = HashSet::new();
    for (path, volume) in items(path, volumes) {
        let name = format!("{path}.name");
        if checks.required(&name, &volume["name"]) {
            checks.name(&name, &volume["name"], names::dns_1123_label);
            checks.unique(&name, &volume["name"], &mut seen);
        }
        let sources: Vec<&String> =
            volume.as_object().into_iter().flat_map(|members| members.keys()).filter(|field| *field != "name").collect();
        for source in sources.iter().skip(1) {
            checks.add(FieldError::forbidden(format!("{path}.{source}"), "may not specify more than 1 volume type"));
        }
        for (source, field) in
            [("configMap", "name"), ("secret", "secretName"), ("persistentVolumeClaim", "claimName"), ("hostPath", "path")]
        {
            if !volume[source].is_null() {
                checks.required(&format!("{path}.{source}.{field}"), &volume[source][field]);
            }
        }
    }
    volumes.as_array().into_iter().flatten().filter_map(|volume| volume["name"].as_str()).map(str::to_owned).collect()
}
