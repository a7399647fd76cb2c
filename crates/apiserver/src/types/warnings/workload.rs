//! Warnings that kinds with a pod template have in common.

use kubewright_machinery::object::{ObjectExt as _, names};
use serde_json::Value;

use super::pod_template;

/// Warns about a kind whose name becomes a part of the names of its pods.
pub(super) fn named(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    name(warnings, object, stored);
    templated(warnings, object, stored);
}

pub(super) fn templated(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    template(warnings, "spec.template", object, stored, "/spec", "/spec/template");
}

pub(super) fn name(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    let problems = names::dns_1123_label(object.name());
    if stored.is_none() && !problems.is_empty() {
        warnings.push(format!(
            "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: \
             [{}]",
            problems.join(" ")
        ));
    }
}

/// Warns about the template of an object if the part around it has changed.
pub(super) fn template(
    warnings: &mut Vec<String>,
    path: &str,
    object: &Value,
    stored: Option<&Value>,
    outer: &str,
    pointer: &str,
) {
    if stored.is_none_or(|stored| stored.pointer(outer) != object.pointer(outer)) {
        pod_template::template(warnings, path, object.pointer(pointer).unwrap_or(&Value::Null));
    }
}
