//! The specification of pods, in pods and templates.

use std::collections::HashSet;

use kubewright_machinery::{object::names, quantity::Quantity};
use serde_json::{Map, Value, json};

use super::checks::{Checks, is_blank, is_empty, items};
use crate::status::{FieldError, FieldReason};

const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];
const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];
const RESTART_POLICIES: [&str; 3] = ["Always", "Never", "OnFailure"];
const DNS_POLICIES: [&str; 4] = ["ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"];

pub(super) fn pod_template(checks: &mut Checks, object: &Value, _: Option<&Value>) {
    template(checks, "template", &object["template"]);
}

/// A template: the labels and the specification of pods.
pub(super) fn template(checks: &mut Checks, path: &str, template: &Value) {
    checks.labels(&format!("{path}.labels"), &template["metadata"]["labels"]);
    spec(checks, &format!("{path}.spec"), &template["spec"]);
}

/// The specification of a pod (BVA-2).
pub(super) fn spec(checks: &mut Checks, path: &str, spec: &Value) {
    let volumes = volumes(checks, &format!("{path}.volumes"), &spec["volumes"]);
    let mut seen = HashSet::new();
    for (field, required) in [("containers", true), ("initContainers", false)] {
        let path = format!("{path}.{field}");
        if required && is_empty(&spec[field]) {
            checks.add(FieldError::required(&path, ""));
        }
        for (path, container) in items(&path, &spec[field]) {
            self::container(checks, &path, container, &volumes);
            checks.unique(&format!("{path}.name"), &container["name"], &mut seen);
        }
    }
    checks.required_one_of(&format!("{path}.restartPolicy"), &spec["restartPolicy"], &RESTART_POLICIES);
    checks.required_one_of(&format!("{path}.dnsPolicy"), &spec["dnsPolicy"], &DNS_POLICIES);
    checks.not_negative(&format!("{path}.terminationGracePeriodSeconds"), &spec["terminationGracePeriodSeconds"]);
    checks.within(&format!("{path}.activeDeadlineSeconds"), &spec["activeDeadlineSeconds"], 1, i64::from(i32::MAX));
    checks.labels(&format!("{path}.nodeSelector"), &spec["nodeSelector"]);
    checks.name(&format!("{path}.serviceAccountName"), &spec["serviceAccountName"], names::dns_1123_subdomain);
    checks.name(&format!("{path}.nodeName"), &spec["nodeName"], names::dns_1123_subdomain);
    for (path, secret) in items(&format!("{path}.imagePullSecrets"), &spec["imagePullSecrets"]) {
        checks.required(&format!("{path}.name"), &secret["name"]);
    }
}

fn container(checks: &mut Checks, path: &str, container: &Value, volumes: &HashSet<String>) {
    if checks.required(&format!("{path}.name"), &container["name"]) {
        checks.name(&format!("{path}.name"), &container["name"], names::dns_1123_label);
    }
    let image = &container["image"];
    if checks.required(&format!("{path}.image"), image) && image.as_str().is_some_and(|image| image.trim() != image) {
        checks.add(FieldError::invalid(format!("{path}.image"), image, "must not have leading or trailing whitespace"));
    }
    checks.one_of(&format!("{path}.imagePullPolicy"), &container["imagePullPolicy"], &PULL_POLICIES);
    ports(checks, &format!("{path}.ports"), &container["ports"]);
    for (path, variable) in items(&format!("{path}.env"), &container["env"]) {
        environment(checks, &path, variable);
    }
    let mut paths = HashSet::new();
    for (path, mount) in items(&format!("{path}.volumeMounts"), &container["volumeMounts"]) {
        if checks.required(&format!("{path}.name"), &mount["name"])
            && !volumes.contains(mount["name"].as_str().unwrap_or_default())
        {
            let text = format!("Not found: {}", mount["name"]);
            checks.add(FieldError::new(format!("{path}.name"), FieldReason::NotFound, text));
        }
        if checks.required(&format!("{path}.mountPath"), &mount["mountPath"]) && !paths.insert(mount["mountPath"].to_string()) {
            checks.add(FieldError::invalid(format!("{path}.mountPath"), &mount["mountPath"], "must be unique"));
        }
    }
    for probe in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if !container[probe].is_null() {
            self::probe(checks, &format!("{path}.{probe}"), &container[probe], probe != "readinessProbe");
        }
    }
    resources(checks, &format!("{path}.resources"), &container["resources"]);
}

fn ports(checks: &mut Checks, path: &str, ports: &Value) {
    let mut seen = HashSet::new();
    for (path, port) in items(path, ports) {
        checks.unique(&format!("{path}.name"), &port["name"], &mut seen);
        if port["containerPort"] == json!(0) {
            checks.add(FieldError::required(format!("{path}.containerPort"), ""));
        } else {
            checks.within(&format!("{path}.containerPort"), &port["containerPort"], 1, 65_535);
        }
        checks.within(&format!("{path}.hostPort"), &port["hostPort"], 1, 65_535);
        checks.required_one_of(&format!("{path}.protocol"), &port["protocol"], &PROTOCOLS);
    }
}

fn environment(checks: &mut Checks, path: &str, variable: &Value) {
    checks.required(&format!("{path}.name"), &variable["name"]);
    let source = &variable["valueFrom"];
    if source.is_null() {
        return;
    }
    let from = format!("{path}.valueFrom");
    match source.as_object().map_or(0, Map::len) {
        0 => checks.add(FieldError::invalid(
            &from,
            &json!(""),
            "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
        )),
        1 if !is_blank(&variable["value"]) => {
            checks.add(FieldError::invalid(&from, &json!(""), "may not be specified when `value` is not empty"));
        }
        1 => {}
        _ => checks.add(FieldError::invalid(&from, &json!(""), "may not have more than one field specified at a time")),
    }
    for reference in ["configMapKeyRef", "secretKeyRef"] {
        if !source[reference].is_null() {
            checks.required(&format!("{from}.{reference}.name"), &source[reference]["name"]);
            checks.required(&format!("{from}.{reference}.key"), &source[reference]["key"]);
        }
    }
    if !source["fieldRef"].is_null() {
        checks.required(&format!("{from}.fieldRef.fieldPath"), &source["fieldRef"]["fieldPath"]);
    }
}

fn probe(checks: &mut Checks, path: &str, probe: &Value, succeeds_once: bool) {
    let handlers = ["exec", "httpGet", "tcpSocket", "grpc"].iter().filter(|handler| !probe[**handler].is_null()).count();
    if handlers == 0 {
        checks.add(FieldError::required(path, "must specify a handler type"));
    } else if handlers > 1 {
        checks.add(FieldError::forbidden(path, "may not specify more than 1 handler type"));
    }
    for field in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] {
        checks.not_negative(&format!("{path}.{field}"), &probe[field]);
    }
    let successes = &probe["successThreshold"];
    if succeeds_once && successes.as_i64().is_some_and(|count| count != 1) {
        checks.add(FieldError::invalid(format!("{path}.successThreshold"), successes, "must be 1"));
    }
}

fn resources(checks: &mut Checks, path: &str, resources: &Value) {
    for kind in ["limits", "requests"] {
        for (name, amount) in resources[kind].as_object().into_iter().flatten() {
            if Quantity::from_value(amount).is_ok_and(|amount| amount.is_negative()) {
                checks.add(FieldError::invalid(format!("{path}.{kind}[{name}]"), amount, "must be greater than or equal to 0"));
            }
        }
    }
    for (name, request) in resources["requests"].as_object().into_iter().flatten() {
        let limit = &resources["limits"][name.as_str()];
        if let (Ok(amount), Ok(most)) = (Quantity::from_value(request), Quantity::from_value(limit))
            && amount > most
        {
            let detail = format!("must be less than or equal to {name} limit of {most}");
            checks.add(FieldError::invalid(format!("{path}.requests"), request, detail));
        }
    }
}

/// Checks volumes; returns their names.
fn volumes(checks: &mut Checks, path: &str, volumes: &Value) -> HashSet<String> {
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
