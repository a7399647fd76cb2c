//! The generation of the template of DaemonSets.

use serde_json::Value;

use crate::types::edit::{Edit as _, Members};

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Counts the versions of the template of a DaemonSet in an annotation (BDF-8).
pub(super) fn template_generation(object: &mut Members, stored: Option<&Value>) {
    let template = |value: &Value| value.pointer("/spec/template").cloned().unwrap_or_default();
    let generation = match stored {
        None => 1,
        Some(stored) => {
            let before =
                stored.pointer("/metadata/annotations").and_then(|annotations| annotations[TEMPLATE_GENERATION].as_str());
            let before = before.and_then(|text| text.parse::<i64>().ok()).unwrap_or(1);
            let changed = object.get("spec").and_then(|spec| spec.get("template")) != Some(&template(stored));
            before + i64::from(changed)
        }
    };
    object.ensure("metadata").ensure("annotations").insert(TEMPLATE_GENERATION.into(), generation.to_string().into());
}
