//! Warnings about the group apps.

use serde_json::Value;

use super::core::persistent_volume;
use super::workload::templated;
use crate::types::validate::items;

pub(super) fn stateful_set(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    templated(warnings, object, stored);
    for (path, claim) in items("spec.volumeClaimTemplates", &object["spec"]["volumeClaimTemplates"]) {
        let path = if stored.is_none() { path } else { format!("{path}.Spec") };
        persistent_volume::claim_spec(warnings, &path, &claim["spec"]);
    }
    if object["spec"]["revisionHistoryLimit"].as_i64().is_some_and(|limit| limit < 0) {
        warnings.push(
            "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"
                .to_owned(),
        );
    }
}
