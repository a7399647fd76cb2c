//! Validation of the placement of pods: tolerations, affinity and spreading.

use std::collections::{HashMap, HashSet};

use kubewright_machinery::object::names;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::checks::{FieldChecks, is_blank, is_empty, items};

const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const OPERATORS: [&str; 6] = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"];

pub(super) fn placement(checks: &mut FieldChecks, path: &str, spec: &Value) {
    for (path, toleration) in items(&format!("{path}.tolerations"), &spec["tolerations"]) {
        self::toleration(checks, &path, toleration);
    }
    node_affinity(checks, &format!("{path}.affinity.nodeAffinity"), &spec["affinity"]["nodeAffinity"]);
    for kind in ["podAffinity", "podAntiAffinity"] {
        pod_affinity(checks, &format!("{path}.affinity.{kind}"), &spec["affinity"][kind]);
    }
    spread(checks, &format!("{path}.topologySpreadConstraints"), &spec["topologySpreadConstraints"]);
    let mut gates = HashSet::new();
    for (path, gate) in items(&format!("{path}.schedulingGates"), &spec["schedulingGates"]) {
        checks.unique(&path, &gate["name"], &mut gates);
    }
}

fn toleration(checks: &mut FieldChecks, path: &str, toleration: &Value) {
    checks.name(&format!("{path}.key"), &toleration["key"], names::qualified_name);
    let operator = toleration["operator"].as_str().unwrap_or_default();
    if is_blank(&toleration["key"]) && operator != "Exists" {
        let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
        checks.add(FieldError::invalid(format!("{path}.operator"), &json!(operator), detail));
    }
    if !toleration["tolerationSeconds"].is_null() && toleration["effect"] != "NoExecute" {
        let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        checks.add(FieldError::invalid(
            format!("{path}.effect"),
            &json!(toleration["effect"].as_str().unwrap_or_default()),
            detail,
        ));
    }
    match operator {
        "" | "Equal" => checks.name(&format!("{path}.operator"), &toleration["value"], names::label_value),
        "Exists" if !is_blank(&toleration["value"]) => {
            let detail = "value must be empty when `operator` is 'Exists'";
            checks.add(FieldError::invalid(format!("{path}.operator"), &toleration["value"], detail));
        }
        "Exists" => {}
        _ => checks.one_of(&format!("{path}.operator"), &toleration["operator"], &["Equal", "Exists"]),
    }
    checks.one_of(&format!("{path}.effect"), &toleration["effect"], &["NoSchedule", "PreferNoSchedule", "NoExecute"]);
}

fn node_affinity(checks: &mut FieldChecks, path: &str, affinity: &Value) {
    let required = format!("{path}.{REQUIRED}.nodeSelectorTerms");
    if !affinity[REQUIRED].is_null() && is_empty(&affinity[REQUIRED]["nodeSelectorTerms"]) {
        checks.add(FieldError::required(&required, "must have at least one node selector term"));
    }
    for (path, term) in items(&required, &affinity[REQUIRED]["nodeSelectorTerms"]) {
        node_term(checks, &path, term);
    }
    for (path, preferred) in items(&format!("{path}.{PREFERRED}"), &affinity[PREFERRED]) {
        weight(checks, &path, preferred);
        node_term(checks, &format!("{path}.preference"), &preferred["preference"]);
    }
}

fn node_term(checks: &mut FieldChecks, path: &str, term: &Value) {
    for (path, expression) in items(&format!("{path}.matchExpressions"), &term["matchExpressions"]) {
        if !OPERATORS.contains(&expression["operator"].as_str().unwrap_or_default()) {
            let detail = "not a valid selector operator";
            checks.add(FieldError::invalid(format!("{path}.operator"), &expression["operator"], detail));
        }
        checks.name(&format!("{path}.key"), &expression["key"], names::qualified_name);
    }
}

fn pod_affinity(checks: &mut FieldChecks, path: &str, affinity: &Value) {
    for (path, term) in items(&format!("{path}.{REQUIRED}"), &affinity[REQUIRED]) {
        pod_term(checks, &path, term);
    }
    for (path, preferred) in items(&format!("{path}.{PREFERRED}"), &affinity[PREFERRED]) {
        weight(checks, &path, preferred);
        pod_term(checks, &format!("{path}.podAffinityTerm"), &preferred["podAffinityTerm"]);
    }
}

fn pod_term(checks: &mut FieldChecks, path: &str, term: &Value) {
    for selector in ["labelSelector", "namespaceSelector"] {
        checks.selector(&format!("{path}.{selector}"), &term[selector]);
    }
    if is_blank(&term["topologyKey"]) {
        checks.add(FieldError::required(format!("{path}.topologyKey"), "can not be empty"));
    }
    let key = term["topologyKey"].as_str().unwrap_or_default();
    for problem in names::qualified_name(key) {
        checks.add(FieldError::invalid(format!("{path}.topologyKey"), &json!(key), problem));
    }
}

fn weight(checks: &mut FieldChecks, path: &str, preferred: &Value) {
    if !preferred["weight"].as_i64().is_some_and(|weight| (1..=100).contains(&weight)) {
        checks.add(FieldError::invalid(format!("{path}.weight"), &preferred["weight"], "must be in the range 1-100"));
    }
}

fn spread(checks: &mut FieldChecks, path: &str, constraints: &Value) {
    let mut seen = HashMap::new();
    for (path, constraint) in items(path, constraints) {
        if constraint["maxSkew"].as_i64().unwrap_or_default() <= 0 {
            checks.add(FieldError::invalid(format!("{path}.maxSkew"), &constraint["maxSkew"], "must be greater than zero"));
        }
        let (key, action) = (&constraint["topologyKey"], &constraint["whenUnsatisfiable"]);
        if is_blank(key) {
            checks.add(FieldError::required(format!("{path}.topologyKey"), "can not be empty"));
        }
        if !matches!(action.as_str(), Some("DoNotSchedule" | "ScheduleAnyway")) {
            let supported = ["DoNotSchedule", "ScheduleAnyway"];
            checks.add(FieldError::not_supported(format!("{path}.whenUnsatisfiable"), action, &supported));
        }
        let first = seen.entry((key.to_string(), action.to_string())).or_insert_with(|| path.clone());
        if *first != path {
            let path = &*first;
            let pair = format!("{{{}, {}}}", key.as_str().unwrap_or_default(), action.as_str().unwrap_or_default());
            checks.add(FieldError::duplicate(format!("{path}.{{topologyKey, whenUnsatisfiable}}"), &json!(pair)));
        }
        checks.selector(&format!("{path}.labelSelector"), &constraint["labelSelector"]);
    }
}
