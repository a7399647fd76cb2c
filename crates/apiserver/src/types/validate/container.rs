//! Validation of containers: image, environment, mounts and probes (BVA-2).

use std::collections::HashSet;

use kubewright_machinery::object::names;
use kubewright_machinery::quantity::Quantity;
use kubewright_schema::{FieldError, FieldReason};
use serde_json::{Map, Value, json};

use super::checks::{FieldChecks, PROTOCOLS, is_blank, is_empty, items, port_name};

const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];
const MESSAGE_POLICIES: [&str; 2] = ["File", "FallbackToLogsOnError"];
/// The fields of a pod that an environment variable can take its value from.
const FIELDS: [&str; 10] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "spec.restartPolicy",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Checks a container of a pod. `volumes` holds the names of the volumes that it can mount.
pub(super) fn container(checks: &mut FieldChecks, path: &str, container: &Value, volumes: &HashSet<String>) {
    if checks.required(&format!("{path}.name"), &container["name"]) {
        checks.name(&format!("{path}.name"), &container["name"], names::dns_1123_label);
    }
    let image = &container["image"];
    if checks.required(&format!("{path}.image"), image) && image.as_str().is_some_and(|image| image.trim() != image) {
        checks.add(FieldError::invalid(format!("{path}.image"), image, "must not have leading or trailing whitespace"));
    }
    checks.one_of(&format!("{path}.imagePullPolicy"), &container["imagePullPolicy"], &PULL_POLICIES);
    checks.one_of(&format!("{path}.terminationMessagePolicy"), &container["terminationMessagePolicy"], &MESSAGE_POLICIES);
    let context = &container["securityContext"];
    if context["privileged"] == true && context["allowPrivilegeEscalation"] == false {
        let detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
        checks.add(FieldError::invalid(format!("{path}.securityContext"), context, detail));
    }
    for (_, policy) in items(path, &container["resizePolicy"]) {
        checks.one_of(&format!("{path}.resizePolicy"), &policy["restartPolicy"], &["NotRequired", "RestartContainer"]);
    }
    for hook in ["postStart", "preStop"] {
        let hook_path = format!("{path}.lifecycle.{hook}");
        if !container["lifecycle"][hook].is_null() {
            handler(checks, &hook_path, &container["lifecycle"][hook], &["exec", "httpGet", "tcpSocket", "sleep"]);
        }
    }
    for field in ["runAsUser", "runAsGroup"] {
        let context = &container["securityContext"];
        checks.within(&format!("{path}.securityContext.{field}"), &context[field], 0, i64::from(i32::MAX));
    }
    ports(checks, &format!("{path}.ports"), &container["ports"]);
    for (path, variable) in items(&format!("{path}.env"), &container["env"]) {
        environment(checks, &path, variable);
    }
    environment_sources(checks, &format!("{path}.envFrom"), &container["envFrom"]);
    let mut paths = HashSet::new();
    for (path, mount) in items(&format!("{path}.volumeMounts"), &container["volumeMounts"]) {
        checks.required(&format!("{path}.name"), &mount["name"]);
        if !volumes.contains(mount["name"].as_str().unwrap_or_default()) {
            let text = format!("Not found: {:?}", mount["name"].as_str().unwrap_or_default());
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

fn ports(checks: &mut FieldChecks, path: &str, ports: &Value) {
    let mut seen = HashSet::new();
    for (path, port) in items(path, ports) {
        checks.name(&format!("{path}.name"), &port["name"], port_name);
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

fn environment(checks: &mut FieldChecks, path: &str, variable: &Value) {
    if checks.required(&format!("{path}.name"), &variable["name"]) {
        checks.name(&format!("{path}.name"), &variable["name"], variable_name);
    }
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
            let name = source[reference]["name"].as_str().unwrap_or_default();
            for problem in names::dns_1123_subdomain(name) {
                checks.add(FieldError::invalid(format!("{from}.{reference}.name"), &json!(name), problem));
            }
            let key = format!("{from}.{reference}.key");
            if checks.required(&key, &source[reference]["key"]) {
                checks.name(&key, &source[reference]["key"], names::config_key);
            }
        }
    }
    let field = &source["fieldRef"]["fieldPath"];
    if !source["fieldRef"].is_null() && checks.required(&format!("{from}.fieldRef.fieldPath"), field) {
        field_path(checks, &format!("{from}.fieldRef.fieldPath"), field);
    }
}

/// Checks the path of a pod field that a container refers to.
fn field_path(checks: &mut FieldChecks, path: &str, field: &Value) {
    let text = field.as_str().unwrap_or_default();
    let is_entry =
        ["metadata.labels['", "metadata.annotations['"].iter().any(|start| text.starts_with(start)) && text.ends_with("']");
    let is_known = FIELDS.contains(&text) || matches!(text, "metadata.labels" | "metadata.annotations" | "spec.schedulerName");
    if !is_known && !is_entry {
        let detail = format!("error converting fieldPath: field label not supported: {text}");
        checks.add(FieldError::invalid(path, field, detail));
    }
}

fn environment_sources(checks: &mut FieldChecks, path: &str, sources: &Value) {
    for (item, source) in items(path, sources) {
        checks.name(&format!("{item}.prefix"), &source["prefix"], variable_name);
        let references = ["configMapRef", "secretRef"].into_iter().filter(|reference| !source[*reference].is_null());
        let mut count = 0;
        for reference in references {
            count += 1;
            let name = format!("{item}.{reference}.name");
            if checks.required(&name, &source[reference]["name"]) {
                checks.name(&name, &source[reference]["name"], names::dns_1123_subdomain);
            }
        }
        if count == 0 {
            // The real server names the list in the error, not the item.
            checks.add(FieldError::invalid(path, &json!(""), "must specify one of: `configMapRef` or `secretRef`"));
        } else if count > 1 {
            checks.add(FieldError::invalid(path, &json!(""), "may not have more than one field specified at a time"));
        }
    }
}

fn probe(checks: &mut FieldChecks, path: &str, probe: &Value, succeeds_once: bool) {
    handler(checks, path, probe, &["exec", "httpGet", "tcpSocket", "grpc"]);
    for field in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] {
        checks.not_negative(&format!("{path}.{field}"), &probe[field]);
    }
    let successes = &probe["successThreshold"];
    if succeeds_once && successes.as_i64().is_some_and(|count| count != 1) {
        checks.add(FieldError::invalid(format!("{path}.successThreshold"), successes, "must be 1"));
    }
}

/// Checks the action of a probe or a hook, which must be exactly one of those allowed.
fn handler(checks: &mut FieldChecks, path: &str, handler: &Value, allowed: &[&str]) {
    let mut count = 0;
    for kind in allowed.iter().filter(|kind| !handler[**kind].is_null()) {
        count += 1;
        let action = &handler[*kind];
        let field = format!("{path}.{kind}");
        if count > 1 {
            checks.add(FieldError::forbidden(&field, "may not specify more than 1 handler type"));
            continue;
        }
        match *kind {
            "exec" if is_empty(&action["command"]) => checks.add(FieldError::required(format!("{field}.command"), "")),
            "httpGet" => {
                checks.required(&format!("{field}.path"), &action["path"]);
                checks.port(&format!("{field}.port"), &action["port"]);
                checks.one_of(&format!("{field}.scheme"), &action["scheme"], &["HTTP", "HTTPS"]);
                for (_, header) in items(&field, &action["httpHeaders"]) {
                    // The real server names the list in the error, not the item.
                    checks.name(&format!("{field}.httpHeaders"), &header["name"], header_name);
                }
            }
            "tcpSocket" | "grpc" => checks.port(&format!("{field}.port"), &action["port"]),
            _ => {}
        }
    }
    if count == 0 {
        checks.add(FieldError::required(path, "must specify a handler type"));
    }
}

fn resources(checks: &mut FieldChecks, path: &str, resources: &Value) {
    for kind in ["limits", "requests"] {
        for (name, amount) in resources[kind].as_object().into_iter().flatten() {
            let field = format!("{path}.{kind}[{name}]");
            resource_name(checks, &field, name);
            let Ok(quantity) = Quantity::from_value(amount) else { continue };
            if quantity.is_negative() {
                checks.add(FieldError::invalid(&field, amount, "must be greater than or equal to 0"));
            }
            if name.contains('/') && amount.as_str().is_some_and(|text| text.ends_with('m')) {
                checks.add(FieldError::invalid(&field, amount, "must be an integer"));
            }
        }
    }
    for (name, request) in resources["requests"].as_object().into_iter().flatten() {
        let limit = &resources["limits"][name.as_str()];
        if limit.is_null() {
            if name.contains('/') {
                let detail = "Limit must be set for non overcommitable resources";
                checks.add(FieldError::required(format!("{path}.limits"), detail));
            }
            continue;
        }
        if let (Ok(amount), Ok(most)) = (Quantity::from_value(request), Quantity::from_value(limit))
            && amount > most
        {
            let detail = format!("must be less than or equal to {name} limit of {most}");
            checks.add(FieldError::invalid(format!("{path}.requests"), request, detail));
        }
    }
}

fn resource_name(checks: &mut FieldChecks, path: &str, name: &str) {
    for problem in names::qualified_name(name) {
        checks.add(FieldError::invalid(path, &json!(name), problem));
    }
    if !name.contains('/') && !matches!(name, "cpu" | "memory" | "ephemeral-storage") && !name.starts_with("hugepages-") {
        checks.add(FieldError::invalid(path, &json!(name), "must be a standard resource type or fully qualified"));
        checks.add(FieldError::invalid(path, &json!(name), "must be a standard resource for containers"));
    }
}

fn header_name(name: &str) -> Vec<String> {
    let is_fine = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let problem = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is \
                   '[-A-Za-z0-9]+')";
    if is_fine { Vec::new() } else { vec![problem.to_owned()] }
}

fn variable_name(name: &str) -> Vec<String> {
    let is_fine = name.bytes().all(|byte| (b' '..=b'~').contains(&byte) && byte != b'=');
    let problem = "a valid environment variable name must consist only of printable ASCII characters other than '='";
    if is_fine { Vec::new() } else { vec![problem.to_owned()] }
}
