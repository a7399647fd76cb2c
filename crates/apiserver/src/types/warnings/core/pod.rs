//! Warnings about pods and PodTemplates.

use kubewright_machinery::object::{ObjectExt as _, names};
use serde_json::Value;

use crate::types::warnings::pod_template::content;
use crate::types::warnings::workload::template;

/// Warns about a new pod. Updates are not examined, because users seldom update pods.
pub(in crate::types::warnings) fn pod(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    if stored.is_some() {
        return;
    }
    let problems = names::dns_1123_label(object.name());
    if !problems.is_empty() {
        warnings.push(format!(
            "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [{}]",
            problems.join(" ")
        ));
    }
    content(warnings, "", object);
}

pub(in crate::types::warnings) fn pod_template(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    template(warnings, "template", object, stored, "/template", "/template");
}
