//! Validation of the group rbac.authorization.k8s.io.

use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::checks::{FieldChecks, is_blank, is_empty, items};

const GROUP: &str = "rbac.authorization.k8s.io";

pub(super) fn role(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    rules(checks, &object["rules"], false);
}

pub(super) fn cluster_role(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    rules(checks, &object["rules"], true);
    let rule = &object["aggregationRule"];
    if rule.is_object() && is_empty(&rule["clusterRoleSelectors"]) {
        let detail = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        checks.add(FieldError::required("aggregationRule.clusterRoleSelectors", detail));
    }
    for (path, selector) in items("aggregationRule.clusterRoleSelectors", &object["aggregationRule"]["clusterRoleSelectors"]) {
        checks.selector(&path, selector);
    }
}

pub(super) fn role_binding(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    binding(checks, object, stored, &["ClusterRole", "Role"]);
}

pub(super) fn cluster_role_binding(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    binding(checks, object, stored, &["ClusterRole"]);
}

fn rules(checks: &mut FieldChecks, rules: &Value, is_cluster: bool) {
    for (path, rule) in items("rules", rules) {
        if is_empty(&rule["verbs"]) {
            checks.add(FieldError::required(format!("{path}.verbs"), "verbs must contain at least one value"));
        }
        if !is_empty(&rule["nonResourceURLs"]) {
            let urls = &rule["nonResourceURLs"];
            let field = format!("{path}.nonResourceURLs");
            if !is_cluster {
                checks.add(FieldError::invalid(&field, urls, "namespaced rules cannot apply to non-resource URLs"));
            }
            if ["apiGroups", "resources", "resourceNames"].iter().any(|field| !is_empty(&rule[*field])) {
                checks.add(FieldError::invalid(
                    &field,
                    urls,
                    "rules cannot apply to both regular resources and non-resource URLs",
                ));
            }
            continue;
        }
        if is_empty(&rule["apiGroups"]) {
            checks.add(FieldError::required(format!("{path}.apiGroups"), "resource rules must supply at least one api group"));
        }
        if is_empty(&rule["resources"]) {
            checks.add(FieldError::required(format!("{path}.resources"), "resource rules must supply at least one resource"));
        }
    }
}

fn binding(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>, kinds: &[&str]) {
    let role = &object["roleRef"];
    if role["apiGroup"] != GROUP {
        checks.add(FieldError::not_supported("roleRef.apiGroup", &role["apiGroup"], &[GROUP]));
    }
    if !role["kind"].as_str().is_some_and(|kind| kinds.contains(&kind)) {
        checks.add(FieldError::not_supported("roleRef.kind", &role["kind"], kinds));
    }
    checks.required("roleRef.name", &role["name"]);
    for (path, subject) in items("subjects", &object["subjects"]) {
        checks.required(&format!("{path}.name"), &subject["name"]);
        let group = subject["apiGroup"].as_str().unwrap_or_default();
        let (field, group_field) = (format!("{path}.namespace"), format!("{path}.apiGroup"));
        match subject["kind"].as_str().unwrap_or_default() {
            "ServiceAccount" => {
                if !group.is_empty() {
                    checks.add(FieldError::not_supported(group_field, &json!(group), &[""]));
                }
                // Without a namespace, a subject of a RoleBinding is in the namespace of the binding.
                if is_blank(&subject["namespace"]) && object["kind"] == "ClusterRoleBinding" {
                    checks.required(&field, &subject["namespace"]);
                }
            }
            "User" | "Group" => {
                if group != GROUP {
                    checks.add(FieldError::not_supported(group_field, &json!(group), &[GROUP]));
                }
            }
            _ => checks.add(FieldError::not_supported(
                format!("{path}.kind"),
                &subject["kind"],
                &["ServiceAccount", "User", "Group"],
            )),
        }
    }
    if stored.is_some_and(|stored| stored["roleRef"] != *role) {
        // The real server quotes its internal struct here.
        let printed = json!({"APIGroup": role["apiGroup"], "Kind": role["kind"], "Name": role["name"]});
        checks.add(FieldError::invalid("roleRef", &printed, "cannot change roleRef"));
    }
}
