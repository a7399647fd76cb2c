//! Validation of the group networking.k8s.io.

use kubewright_machinery::object::names;
use kubewright_schema::{FieldError, FieldReason};
use serde_json::{Value, json};

use super::addresses::{AddressRange, range_problems};
use super::checks::{FieldChecks, PROTOCOLS, is_blank, is_empty, items};

const ONE_PER_FAMILY: &str = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64";
const IMMUTABLE: &str = "field is immutable";

pub(super) fn ingress(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    if is_empty(&spec["rules"]) && spec["defaultBackend"].is_null() {
        checks.add(FieldError::invalid("spec", spec, "either `defaultBackend` or `rules` must be specified"));
    }
    if !spec["defaultBackend"].is_null() {
        backend(checks, "spec.defaultBackend", &spec["defaultBackend"]);
    }
    for (rule_path, rule) in items("spec.rules", &spec["rules"]) {
        let host = rule["host"].as_str().unwrap_or_default();
        let host = host.strip_prefix("*.").unwrap_or(host);
        checks.name(&format!("{rule_path}.host"), &host.into(), names::dns_1123_subdomain);
        if rule["http"].is_null() {
            continue;
        }
        let paths = format!("{rule_path}.http.paths");
        if is_empty(&rule["http"]["paths"]) {
            checks.add(FieldError::required(&paths, ""));
        }
        for (path, entry) in items(&paths, &rule["http"]["paths"]) {
            let kind = &entry["pathType"];
            if kind.is_null() {
                checks.add(FieldError::required(format!("{path}.pathType"), "pathType must be specified"));
            } else {
                checks.one_of(&format!("{path}.pathType"), kind, &["Exact", "ImplementationSpecific", "Prefix"]);
            }
            let is_strict = matches!(kind.as_str(), Some("Exact" | "Prefix"));
            let is_absolute = entry["path"].as_str().unwrap_or_default().starts_with('/');
            if !is_absolute && (is_strict || !is_blank(&entry["path"])) {
                let found = if entry["path"].is_null() { "".into() } else { entry["path"].clone() };
                checks.add(FieldError::invalid(format!("{path}.path"), &found, "must be an absolute path"));
            }
            backend(checks, &format!("{path}.backend"), &entry["backend"]);
        }
    }
}

fn backend(checks: &mut FieldChecks, path: &str, backend: &Value) {
    let (service, resource) = (&backend["service"], &backend["resource"]);
    match (service.is_null(), resource.is_null()) {
        (true, true) => checks.add(FieldError::required(path, "either service or resource must be specified")),
        (false, false) => checks.add(FieldError::invalid(path, &"".into(), "cannot set both resource and service backends")),
        (true, false) => {}
        (false, true) => {
            checks.required(&format!("{path}.service.name"), &service["name"]);
            let port = &service["port"];
            if is_blank(&port["name"]) && port["number"].as_i64().unwrap_or_default() == 0 {
                checks.add(FieldError::required(format!("{path}.service.port"), "port name or number is required"));
            }
            checks.within(&format!("{path}.service.port.number"), &port["number"], 1, 65_535);
        }
    }
}

pub(super) fn policy(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    checks.selector("spec.podSelector", &spec["podSelector"]);
    for (path, kind) in items("spec.policyTypes", &spec["policyTypes"]) {
        checks.one_of(&path, kind, &["Egress", "Ingress"]);
    }
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        for (rule_path, rule) in items(&format!("spec.{direction}"), &spec[direction]) {
            for (path, port) in items(&format!("{rule_path}.ports"), &rule["ports"]) {
                checks.one_of(&format!("{path}.protocol"), &port["protocol"], &PROTOCOLS);
                checks.within(&format!("{path}.port"), &port["port"], 1, 65_535);
            }
            for (path, peer) in items(&format!("{rule_path}.{peers}"), &rule[peers]) {
                for selector in ["podSelector", "namespaceSelector"] {
                    checks.selector(&format!("{path}.{selector}"), &peer[selector]);
                }
                if is_empty(peer) {
                    checks.add(FieldError::required(&path, "must specify a peer"));
                }
            }
        }
    }
}

/// Checks the parent of an address, which never changes.
pub(super) fn ip_address(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let parent = &object["spec"]["parentRef"];
    if let Some(stored) = stored {
        if *parent != stored["spec"]["parentRef"] {
            let text = |field: &str| parent[field].as_str().unwrap_or_default();
            // The fields stand in the order of the Go type, which sorted JSON does not have.
            let [group, resource, namespace, name] = ["group", "resource", "namespace", "name"].map(text);
            let shown =
                format!("{{\"Group\":{group:?},\"Resource\":{resource:?},\"Namespace\":{namespace:?},\"Name\":{name:?}}}");
            checks.add(FieldError::new("spec.parentRef", FieldReason::Invalid, format!("Invalid value: {shown}: {IMMUTABLE}")));
        }
        return;
    }
    if parent.is_null() {
        checks.add(FieldError::required("spec.parentRef", ""));
        return;
    }
    checks.name("spec.parentRef.group", &parent["group"], names::dns_1123_subdomain);
    for field in ["resource", "name"] {
        let path = format!("spec.parentRef.{field}");
        if is_blank(&parent[field]) {
            checks.add(FieldError::required(path, ""));
        } else {
            checks.name(&path, &parent[field], names::path_segment);
        }
    }
    checks.name("spec.parentRef.namespace", &parent["namespace"], names::path_segment);
}

/// Checks the ranges of a ServiceCIDR: one of each family at most. Ranges do not change; a second one may be added later.
pub(super) fn service_range(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    const PATH: &str = "spec.cidrs";
    let list = |object: &Value| object["spec"]["cidrs"].as_array().cloned().unwrap_or_default();
    let ranges = list(object);
    let Some(former) = stored.map(list) else {
        new_ranges(checks, PATH, &ranges);
        return;
    };
    if former.len() == ranges.len() {
        for (index, range) in ranges.iter().enumerate().filter(|(index, range)| **range != former[*index]) {
            checks.add(FieldError::invalid(format!("{PATH}[{index}]"), range, IMMUTABLE));
        }
    } else if former.len() == 1 && ranges.len() == 2 {
        if ranges[0] != former[0] {
            checks.add(FieldError::invalid(format!("{PATH}[0]"), &ranges[0], IMMUTABLE));
        }
        new_ranges(checks, PATH, &ranges);
    } else {
        checks.add(FieldError::invalid(PATH, &ranges.into(), IMMUTABLE));
    }
}

fn new_ranges(checks: &mut FieldChecks, path: &str, ranges: &[Value]) {
    if ranges.is_empty() {
        checks.add(FieldError::required(path, "at least one CIDR required"));
        return;
    }
    let all = Value::from(ranges);
    if ranges.len() > 2 {
        checks.add(FieldError::invalid(path, &json!({"CIDRs": all}), "may only hold up to 2 values"));
        return;
    }
    for (path, range) in items(path, &all) {
        for problem in range_problems(range.as_str().unwrap_or_default()) {
            checks.add(FieldError::invalid(&path, range, problem));
        }
    }
    let families: Vec<bool> = ranges.iter().filter_map(|range| Some(AddressRange::parse(range.as_str()?)?.is_ipv6())).collect();
    if families.len() == 2 && families[0] == families[1] {
        checks.add(FieldError::invalid(path, &all, ONE_PER_FAMILY));
    }
}
