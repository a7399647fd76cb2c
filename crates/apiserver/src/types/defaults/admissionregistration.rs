//! Defaults of the group admissionregistration.k8s.io.

use serde_json::json;

use crate::types::edit::{Edit as _, Members, at, each, part};

/// Fills in the defaults of webhooks (BDF-15): failure policy Fail, equivalent matching, empty selectors, a timeout of 10 s, rules of any scope,
/// service port 443, and no reinvocation of mutating webhooks.
pub(super) fn webhooks(object: &mut Members, mutating: bool) {
    for webhook in each(object, "webhooks") {
        webhook.fill("failurePolicy", "Fail");
        webhook.fill("matchPolicy", "Equivalent");
        webhook.fill("namespaceSelector", json!({}));
        webhook.fill("objectSelector", json!({}));
        webhook.fill("timeoutSeconds", 10);
        if mutating {
            webhook.fill("reinvocationPolicy", "Never");
        }
        each(webhook, "rules").for_each(any_scope);
        if let Some(service) = at(webhook, &["clientConfig", "service"]) {
            service.fill("port", 443);
        }
    }
}

/// Fills in the defaults of an admission policy (BDF-16): failure policy Fail, equivalent matching, empty selectors.
pub(super) fn policy(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    spec.fill("failurePolicy", "Fail");
    part(spec, "matchConstraints").into_iter().for_each(match_resources);
}

/// Fills in the defaults of the binding of an admission policy (BDF-16): equivalent matching, empty selectors.
pub(super) fn policy_binding(object: &mut Members) {
    at(object, &["spec", "matchResources"]).into_iter().for_each(match_resources);
}

fn match_resources(resources: &mut Members) {
    resources.fill("matchPolicy", "Equivalent");
    resources.fill("namespaceSelector", json!({}));
    resources.fill("objectSelector", json!({}));
    for rules in ["resourceRules", "excludeResourceRules"] {
        each(resources, rules).for_each(any_scope);
    }
}

fn any_scope(rule: &mut Members) {
    rule.fill("scope", "*");
}
