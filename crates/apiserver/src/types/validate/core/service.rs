//! Validation of Services.

use std::collections::HashSet;
use std::net::IpAddr;

use kubewright_machinery::object::names;
use kubewright_schema::{FieldError, FieldReason};
use serde_json::Value;

use crate::types::validate::checks::{FieldChecks, PROTOCOLS, is_blank, is_empty, items};

pub(in crate::types::validate) fn service(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    let kind = spec["type"].as_str().unwrap_or_default();
    let is_headless = spec["clusterIP"] == "None";
    if is_empty(&spec["ports"]) && !is_headless && kind != "ExternalName" {
        checks.add(FieldError::required("spec.ports", ""));
    }
    checks.required_one_of("spec.sessionAffinity", &spec["sessionAffinity"], &["ClientIP", "None"]);
    checks.required_one_of("spec.type", &spec["type"], &["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
    checks.one_of("spec.externalTrafficPolicy", &spec["externalTrafficPolicy"], &["Cluster", "Local"]);
    outside(checks, spec, kind);
    checks.one_of("spec.internalTrafficPolicy", &spec["internalTrafficPolicy"], &["Cluster", "Local"]);
    families(checks, spec);
    balancer(checks, spec, kind);
    match kind {
        "ExternalName" => {
            if checks.required("spec.externalName", &spec["externalName"]) {
                checks.name("spec.externalName", &spec["externalName"], external_name);
            }
            if !is_blank(&spec["clusterIP"]) || !is_empty(&spec["clusterIPs"]) {
                checks.add(FieldError::forbidden("spec.clusterIPs", "may not be set for ExternalName services"));
            }
        }
        "LoadBalancer" if is_headless => {
            checks.add(FieldError::invalid(
                "spec.clusterIPs[0]",
                &spec["clusterIP"],
                "may not be set to 'None' for LoadBalancer services",
            ));
        }
        "NodePort" if is_headless => {
            checks.add(FieldError::invalid(
                "spec.clusterIPs[0]",
                &spec["clusterIP"],
                "may not be set to 'None' for NodePort services",
            ));
        }
        _ => {}
    }
    checks.labels("spec.selector", &spec["selector"]);
    service_ports(checks, &spec["ports"]);
    if kind == "ClusterIP" {
        for (path, _) in items("spec.ports", &spec["ports"]).filter(|(_, port)| port["nodePort"].as_u64().unwrap_or_default() > 0)
        {
            checks.add(FieldError::forbidden(format!("{path}.nodePort"), "may not be used when `type` is 'ClusterIP'"));
        }
    }
    repeated_ports(checks, &spec["ports"]);
    if let Some(stored) = stored.map(|stored| &stored["spec"])
        && stored["type"] != "ExternalName"
        && kind != "ExternalName"
        && !is_blank(&stored["clusterIP"])
        && spec["clusterIP"] != stored["clusterIP"]
    {
        checks.add(FieldError::invalid("spec.clusterIPs[0]", &spec["clusterIPs"], "may not change once set"));
    }
}

/// Checks an external name, which may end with a dot.
fn external_name(name: &str) -> Vec<String> {
    names::dns_1123_subdomain(name.strip_suffix('.').unwrap_or(name))
}

/// Checks the address families and the list of addresses, whose first item must be the single address.
fn families(checks: &mut FieldChecks, spec: &Value) {
    let mut seen = HashSet::new();
    for (path, family) in items("spec.ipFamilies", &spec["ipFamilies"]) {
        checks.one_of(&path, family, &["IPv4", "IPv6"]);
        checks.unique(&path, family, &mut seen);
    }
    checks.one_of("spec.ipFamilyPolicy", &spec["ipFamilyPolicy"], &["PreferDualStack", "RequireDualStack", "SingleStack"]);
    let addresses = &spec["clusterIPs"];
    let Some(list) = addresses.as_array().filter(|list| !list.is_empty()) else { return };
    let mut wrong = |detail: &str| checks.add(FieldError::invalid("spec.clusterIPs", addresses, detail));
    if is_blank(&spec["clusterIP"]) {
        wrong("must be empty when `clusterIP` is not specified");
    } else if list[0] != spec["clusterIP"] {
        wrong("first value must match `clusterIP`");
    }
    let of_six = list.iter().filter(|address| address.as_str().is_some_and(|address| address.contains(':'))).count();
    if list.len() > 1 && (of_six > 1 || list.len() - of_six > 1) {
        wrong("may specify no more than one IP for each IP family");
    }
}

/// Checks the fields that only load balancers may have.
fn balancer(checks: &mut FieldChecks, spec: &Value, kind: &str) {
    const ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
    let ranges = "spec.LoadBalancerSourceRanges";
    if kind == "LoadBalancer" {
        for (path, range) in items(ranges, &spec["loadBalancerSourceRanges"]) {
            if !range.as_str().is_some_and(is_range) {
                let detail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
                checks.add(FieldError::invalid(path, range, detail));
            }
        }
    } else {
        if !is_empty(&spec["loadBalancerSourceRanges"]) {
            checks.add(FieldError::forbidden(ranges, ONLY));
        }
        for field in ["allocateLoadBalancerNodePorts", "loadBalancerClass"] {
            if !spec[field].is_null() {
                checks.add(FieldError::forbidden(format!("spec.{field}"), ONLY));
            }
        }
    }
    let port = &spec["healthCheckNodePort"];
    if port.as_u64().unwrap_or_default() > 0 && (kind != "LoadBalancer" || spec["externalTrafficPolicy"] != "Local") {
        let detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
        checks.add(FieldError::invalid("spec.healthCheckNodePort", port, detail));
    }
    checks.one_of("spec.trafficDistribution", &spec["trafficDistribution"], &["PreferClose", "PreferSameZone", "PreferSameNode"]);
}

/// Returns true for an address followed by the number of its significant bits.
fn is_range(text: &str) -> bool {
    let Some((address, bits)) = text.trim().split_once('/') else { return false };
    let most = match address.parse::<IpAddr>() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    bits.parse::<u8>().is_ok_and(|bits| bits <= most)
}

/// Checks the access from outside of the cluster, and the addresses that the cluster must support.
fn outside(checks: &mut FieldChecks, spec: &Value, kind: &str) {
    let mut addresses = 0;
    for (path, address) in items("spec.externalIPs", &spec["externalIPs"]) {
        addresses += 1;
        checks.address(&path, address);
        let text = address.as_str().unwrap_or_default();
        match text.parse::<IpAddr>() {
            Ok(parsed) if parsed.is_loopback() => {
                let detail = "may not be in the loopback range (127.0.0.0/8, ::1/128)";
                checks.add(FieldError::invalid(path, address, detail));
            }
            Ok(parsed) if parsed.is_unspecified() => {
                checks.add(FieldError::invalid(path, address, format!("may not be unspecified ({parsed})")));
            }
            Ok(_) | Err(_) => {}
        }
    }
    let policy = &spec["externalTrafficPolicy"];
    if !is_blank(policy) && addresses == 0 && !matches!(kind, "LoadBalancer" | "NodePort") {
        let detail = "may only be set for externally-accessible services";
        checks.add(FieldError::invalid("spec.externalTrafficPolicy", policy, detail));
    }
    let timeout = &spec["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"];
    if timeout.as_i64().is_some_and(|seconds| !(1..=86_400).contains(&seconds)) {
        let field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
        checks.add(FieldError::invalid(field, timeout, "must be greater than 0 and less than 86400"));
    }
    let is_double = matches!(spec["ipFamilyPolicy"].as_str(), Some("RequireDualStack"));
    if is_double && spec["clusterIP"] != "None" {
        let detail = "this cluster is not configured for dual-stack services";
        checks.add(FieldError::invalid("spec.ipFamilyPolicy", &spec["ipFamilyPolicy"], detail));
    }
    for (path, address) in items("spec.clusterIPs", &spec["clusterIPs"]) {
        if address != "None" && !is_blank(address) {
            checks.address(&path, address);
        }
    }
}

fn service_ports(checks: &mut FieldChecks, ports: &Value) {
    let several = ports.as_array().is_some_and(|ports| ports.len() > 1);
    let mut names_seen = HashSet::new();
    for (path, port) in items("spec.ports", ports) {
        let name = format!("{path}.name");
        if several && is_blank(&port["name"]) {
            checks.add(FieldError::required(&name, ""));
        }
        checks.name(&name, &port["name"], names::dns_1123_label);
        checks.unique(&name, &port["name"], &mut names_seen);
        checks.within(&format!("{path}.port"), &port["port"], 1, 65_535);
        checks.required_one_of(&format!("{path}.protocol"), &port["protocol"], &PROTOCOLS);
        checks.port(&format!("{path}.targetPort"), &port["targetPort"]);
        checks.name(&format!("{path}.appProtocol"), &port["appProtocol"], names::qualified_name);
    }
}

/// Reports node ports, and then ports, that occur twice with the same protocol.
fn repeated_ports(checks: &mut FieldChecks, ports: &Value) {
    let mut seen = HashSet::new();
    for (path, port) in items("spec.ports", ports) {
        let node_port = port["nodePort"].as_u64().unwrap_or_default();
        if node_port > 0 && !seen.insert((node_port, port["protocol"].to_string())) {
            checks.add(FieldError::duplicate(format!("{path}.nodePort"), &port["nodePort"]));
        }
    }
    let mut seen = HashSet::new();
    for (path, port) in items("spec.ports", ports) {
        let (number, protocol) = (&port["port"], &port["protocol"]);
        if !seen.insert((number.to_string(), protocol.to_string())) {
            // The real server quotes its internal struct here.
            let pair = format!(
                "{{\"Name\":\"\",\"Protocol\":{protocol},\"AppProtocol\":null,\"Port\":{number},\"TargetPort\":0,\"NodePort\":0}}"
            );
            checks.add(FieldError::new(&path, FieldReason::Duplicate, format!("Duplicate value: {pair}")));
        }
    }
}
