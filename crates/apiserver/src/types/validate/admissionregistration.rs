//! Validation of the group admissionregistration.k8s.io.

use std::collections::HashSet;

use kubewright_machinery::object::names;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::checks::{FieldChecks, is_empty, items};

pub(super) fn validating_webhooks(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    webhooks(checks, object);
}

pub(super) fn mutating_webhooks(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    webhooks(checks, object);
    for (path, webhook) in items("webhooks", &object["webhooks"]) {
        checks.one_of(&format!("{path}.reinvocationPolicy"), &webhook["reinvocationPolicy"], &["IfNeeded", "Never"]);
    }
}

fn webhooks(checks: &mut FieldChecks, object: &Value) {
    let mut seen = HashSet::new();
    for (path, webhook) in items("webhooks", &object["webhooks"]) {
        qualified(checks, &format!("{path}.name"), &webhook["name"]);
        checks.unique(&format!("{path}.name"), &webhook["name"], &mut seen);
        review_versions(checks, &format!("{path}.admissionReviewVersions"), &webhook["admissionReviewVersions"]);
        for (path, rule) in items(&format!("{path}.rules"), &webhook["rules"]) {
            for field in ["operations", "apiGroups", "apiVersions", "resources"] {
                if is_empty(&rule[field]) {
                    checks.add(FieldError::required(format!("{path}.{field}"), ""));
                }
            }
        }
        checks.one_of(&format!("{path}.failurePolicy"), &webhook["failurePolicy"], &["Fail", "Ignore"]);
        checks.one_of(&format!("{path}.matchPolicy"), &webhook["matchPolicy"], &["Equivalent", "Exact"]);
        let effects = format!("{path}.sideEffects");
        if webhook["sideEffects"].is_null() {
            checks.add(FieldError::required(effects, "must specify one of None, NoneOnDryRun"));
        } else {
            checks.one_of(&effects, &webhook["sideEffects"], &["None", "NoneOnDryRun"]);
        }
        let timeout = &webhook["timeoutSeconds"];
        if timeout.as_i64().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
            let detail = "the timeout value must be between 1 and 30 seconds";
            checks.add(FieldError::invalid(format!("{path}.timeoutSeconds"), timeout, detail));
        }
        for selector in ["namespaceSelector", "objectSelector"] {
            checks.selector(&format!("{path}.{selector}"), &webhook[selector]);
        }
        client(checks, &format!("{path}.clientConfig"), &webhook["clientConfig"]);
    }
}

/// Checks that a name is a domain of at least three parts.
fn qualified(checks: &mut FieldChecks, path: &str, name: &Value) {
    if !checks.required(path, name) {
        return;
    }
    checks.name(path, name, names::dns_1123_subdomain);
    if name.as_str().is_some_and(|name| name.split('.').count() < 3) {
        checks.add(FieldError::invalid(path, name, "should be a domain with at least three segments separated by dots"));
    }
}

fn review_versions(checks: &mut FieldChecks, path: &str, versions: &Value) {
    let known = |version: &Value| matches!(version.as_str(), Some("v1" | "v1beta1"));
    if is_empty(versions) {
        checks.add(FieldError::required(path, "must specify one of v1, v1beta1"));
    } else if !versions.as_array().into_iter().flatten().any(known) {
        checks.add(FieldError::invalid(path, versions, "must include at least one of v1, v1beta1"));
    }
}

fn client(checks: &mut FieldChecks, path: &str, client: &Value) {
    let (url, service) = (&client["url"], &client["service"]);
    match (url.is_null(), service.is_null()) {
        (true, true) | (false, false) => checks.add(FieldError::required(path, "exactly one of url or service is required")),
        (false, true) => {
            if !url.as_str().is_some_and(|url| url.starts_with("https://")) {
                let scheme = url.as_str().and_then(|url| url.split_once("://")).map_or("", |(scheme, _)| scheme);
                let detail = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
                checks.add(FieldError::invalid(format!("{path}.url"), &json!(scheme), detail));
            }
        }
        (true, false) => {
            checks.required(&format!("{path}.service.name"), &service["name"]);
            checks.required(&format!("{path}.service.namespace"), &service["namespace"]);
            let port = &service["port"];
            if port.as_i64().is_some_and(|port| !(1..=65_535).contains(&port)) {
                let detail = "port is not valid: must be between 1 and 65535, inclusive";
                checks.add(FieldError::invalid(format!("{path}.service.port"), port, detail));
            }
        }
    }
}
