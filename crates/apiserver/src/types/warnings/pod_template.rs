//! Warnings about pod templates, and about what pods have in common with them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::addresses::address;
use super::core::persistent_volume;
use super::{fraction, paths};
use crate::types::validate::items;

pub(super) fn template(warnings: &mut Vec<String>, path: &str, template: &Value) {
    content(warnings, &format!("{path}."), template);
}

/// Warns about the metadata and the spec below a prefix.
pub(super) fn content(warnings: &mut Vec<String>, prefix: &str, pod: &Value) {
    let spec = &pod["spec"];
    let path = format!("{prefix}spec");
    nodes(warnings, &path, spec);
    annotations(warnings, &format!("{prefix}metadata.annotations"), pod);
    volumes(warnings, &format!("{path}.volumes"), &spec["volumes"]);
    repeated(warnings, &format!("{path}.hostAliases"), &spec["hostAliases"], "ip");
    repeated(warnings, &format!("{path}.imagePullSecrets"), &spec["imagePullSecrets"], "name");
    for (path, secret) in items(&format!("{path}.imagePullSecrets"), &spec["imagePullSecrets"]) {
        if secret["name"].as_str().unwrap_or_default().is_empty() {
            warnings.push(format!("{path}.name: invalid empty name \"\""));
        }
    }
    for resource in ["memory", "ephemeral-storage"] {
        fraction(warnings, &format!("{path}.overhead"), resource, &spec["overhead"]);
    }
    let containers = containers(&path, spec);
    for (path, container) in &containers {
        for resource in ["memory", "ephemeral-storage"] {
            for amounts in ["limits", "requests"] {
                fraction(warnings, &format!("{path}.resources.{amounts}"), resource, &container["resources"][amounts]);
            }
        }
        variables(warnings, &format!("{path}.env"), &container["env"]);
    }
    ports(warnings, &containers);
    port_names(warnings, &containers);
    if spec["terminationGracePeriodSeconds"].as_i64().is_some_and(|seconds| seconds < 0) {
        let field = format!("{path}.terminationGracePeriodSeconds");
        warnings.push(format!("{field}: must be >= 0; negative values are invalid and will be treated as 1"));
    }
    affinity(warnings, &format!("{path}.affinity"), &spec["affinity"]);
    for (path, server) in items(&format!("{path}.dnsConfig.nameservers"), &spec["dnsConfig"]["nameservers"]) {
        address(warnings, &path, server);
    }
    for (path, alias) in items(&format!("{path}.hostAliases"), &spec["hostAliases"]) {
        address(warnings, &format!("{path}.ip"), &alias["ip"]);
    }
}

/// Returns all containers with their paths: init containers first, ephemeral containers last.
fn containers<'a>(path: &str, spec: &'a Value) -> Vec<(String, &'a Value)> {
    let kinds = ["initContainers", "containers", "ephemeralContainers"];
    kinds.iter().flat_map(|kind| items(&format!("{path}.{kind}"), &spec[*kind])).collect()
}

/// Returns the warning for a node label that has been renamed.
fn deprecated_label(label: &str) -> Option<String> {
    let (version, instead) = match label {
        "beta.kubernetes.io/arch" => ("1.14", "kubernetes.io/arch"),
        "beta.kubernetes.io/os" => ("1.14", "kubernetes.io/os"),
        "failure-domain.beta.kubernetes.io/region" => ("1.17", "topology.kubernetes.io/region"),
        "failure-domain.beta.kubernetes.io/zone" => ("1.17", "topology.kubernetes.io/zone"),
        "beta.kubernetes.io/instance-type" => ("1.17", "node.kubernetes.io/instance-type"),
        _ => return None,
    };
    Some(format!("deprecated since v{version}; use {instead:?} instead"))
}

fn nodes(warnings: &mut Vec<String>, path: &str, spec: &Value) {
    let told = |prefix: String, label: &str| deprecated_label(label).map(|what| format!("{prefix}{what}"));
    for label in spec["nodeSelector"].as_object().into_iter().flat_map(serde_json::Map::keys) {
        warnings.extend(told(format!("{path}.nodeSelector[{label}]: "), label));
    }
    let affinity = &spec["affinity"]["nodeAffinity"];
    let affinity_path = format!("{path}.affinity.nodeAffinity");
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
    let mut terms: Vec<(String, &Value)> =
        items(&format!("{affinity_path}.{required}.nodeSelectorTerms"), &affinity[required]["nodeSelectorTerms"]).collect();
    let preferences = items(&format!("{affinity_path}.{preferred}"), &affinity[preferred]);
    terms.extend(preferences.map(|(path, preference)| (format!("{path}.preference"), &preference["preference"])));
    for (path, term) in terms {
        for (path, expression) in items(&format!("{path}.matchExpressions"), &term["matchExpressions"]) {
            let label = expression["key"].as_str().unwrap_or_default();
            warnings.extend(told(format!("{path}.key: {label} is "), label));
        }
    }
    for (path, constraint) in items(&format!("{path}.topologySpreadConstraints"), &spec["topologySpreadConstraints"]) {
        let label = constraint["topologyKey"].as_str().unwrap_or_default();
        warnings.extend(told(format!("{path}.topologyKey: {label} is "), label));
        unselected(warnings, &path, constraint);
    }
}

/// Warns about a null selector, which matches no pod.
fn unselected(warnings: &mut Vec<String>, path: &str, term: &Value) {
    if term["labelSelector"].is_null() {
        warnings.push(format!("{path}.labelSelector: a null labelSelector results in matching no pod"));
    }
}

fn affinity(warnings: &mut Vec<String>, path: &str, affinity: &Value) {
    for kind in ["podAffinity", "podAntiAffinity"] {
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        for (path, term) in items(&format!("{path}.{kind}.{required}"), &affinity[kind][required]) {
            unselected(warnings, &path, term);
        }
        let preferred = "preferredDuringSchedulingIgnoredDuringExecution";
        for (path, term) in items(&format!("{path}.{kind}.{preferred}"), &affinity[kind][preferred]) {
            unselected(warnings, &format!("{path}.podAffinityTerm"), &term["podAffinityTerm"]);
        }
    }
}

fn annotations(warnings: &mut Vec<String>, path: &str, pod: &Value) {
    const DEPRECATED: [(&str, &str, &str); 3] = [
        ("scheduler.alpha.kubernetes.io/critical-pod", "1.16", "priorityClassName"),
        ("security.alpha.kubernetes.io/sysctls", "1.11", "sysctls"),
        ("security.alpha.kubernetes.io/unsafe-sysctls", "1.11", "sysctls"),
    ];
    for (annotation, version, field) in DEPRECATED {
        if super::is_annotated(pod, annotation) {
            warnings.push(format!("{path}[{annotation}]: non-functional in v{version}+; use the {field:?} field instead"));
        }
    }
}

fn volumes(warnings: &mut Vec<String>, path: &str, volumes: &Value) {
    for (path, volume) in items(path, volumes) {
        if !volume["gitRepo"].is_null() {
            warnings.push(format!("{path}.gitRepo: deprecated in v1.11, and disabled by default in v1.33+"));
        }
        persistent_volume::sources(warnings, &path, volume);

        persistent_volume::claim_spec(
            warnings,
            &format!("{path}.ephemeral.volumeClaimTemplate.spec"),
            &volume["ephemeral"]["volumeClaimTemplate"]["spec"],
        );
    }
    paths::overlapping(warnings, volumes);
}

/// Warns about entries of a list that have the same value in a field.
fn repeated(warnings: &mut Vec<String>, path: &str, list: &Value, field: &str) {
    let mut seen = BTreeSet::new();
    for (path, item) in items(path, list) {
        let value = item[field].as_str().unwrap_or_default();
        if !seen.insert(value) {
            warnings.push(format!("{path}.{field}: duplicate {field} {value:?}"));
        }
    }
}

/// Warns about a variable that is set again, unless its new value extends the former one.
fn variables(warnings: &mut Vec<String>, path: &str, variables: &Value) {
    let mut seen = BTreeSet::new();
    for (path, variable) in items(path, variables) {
        let name = variable["name"].as_str().unwrap_or_default();
        let former = format!("$({name})");
        let value = variable["value"].as_str().unwrap_or_default();
        let extends = variable["valueFrom"].is_null() && value != former && value.contains(&former);
        if !seen.insert(name) && !extends {
            warnings.push(format!("{path}: hides previous definition of {name:?}, which may be dropped when using apply"));
        }
    }
}

/// The path of a port, and its address and port on the host.
type Seen = (String, (String, u64));

/// The maximal number of reported pairs of ports, so that they fit into a response.
const MOST_PAIRS: usize = 100;

fn ports(warnings: &mut Vec<String>, containers: &[(String, &Value)]) {
    let mut seen: BTreeMap<(u64, &str), Vec<Seen>> = BTreeMap::new();
    let mut pairs = 0;
    for (path, container) in containers {
        for (path, port) in items(&format!("{path}.ports"), &container["ports"]) {
            let number = |port: &Value, field: &str| port[field].as_u64().unwrap_or_default();
            let (address, on_host) = (port["hostIP"].as_str().unwrap_or_default().to_owned(), number(port, "hostPort"));
            if !address.is_empty() && on_host == 0 {
                let text = |field: &str| port[field].as_str().unwrap_or_default();
                warnings.push(format!(
                    "{path}: hostIP set without hostPort: {{Name:{} HostPort:0 ContainerPort:{} Protocol:{} HostIP:{address}}}",
                    text("name"),
                    number(port, "containerPort"),
                    text("protocol"),
                ));
            }
            let others = seen.entry((number(port, "containerPort"), port["protocol"].as_str().unwrap_or_default())).or_default();
            for (other_path, (other_address, other_on_host)) in others.iter() {
                let what = if (&address, on_host) == (other_address, *other_on_host) {
                    "duplicate"
                } else if on_host == 0 || *other_on_host == 0 {
                    "overlapping"
                } else if on_host == *other_on_host && address.is_empty() != other_address.is_empty() {
                    "dangerously ambiguous"
                } else {
                    continue;
                };
                pairs += 1;
                if pairs > MOST_PAIRS {
                    return;
                }
                warnings.push(format!("{path}: {what} port definition with {other_path}"));
            }
            others.push((path, (address, on_host)));
        }
    }
}

fn port_names(warnings: &mut Vec<String>, containers: &[(String, &Value)]) {
    let mut seen: BTreeMap<&str, String> = BTreeMap::new();
    for (path, container) in containers {
        for (path, port) in items(&format!("{path}.ports"), &container["ports"]) {
            let Some(name) = port["name"].as_str().filter(|name| !name.is_empty()) else { continue };
            match seen.get(name) {
                Some(other) => warnings.push(format!(
                    "{path}: duplicate port name {name:?} with {other}, services and probes that select ports by name will use {other}"
                )),
                None => {
                    seen.insert(name, path);
                }
            }
        }
    }
}
