//! Defaults of the group flowcontrol.apiserver.k8s.io.

use serde_json::Value;

use crate::types::edit::{Members, part};

/// Fills in the default precedence 1000 of a FlowSchema (BDF-19).
pub(super) fn flow_schema(object: &mut Members) {
    let Some(spec) = part(object, "spec") else {
        return;
    };
    if spec.get("matchingPrecedence").and_then(Value::as_i64).unwrap_or_default() == 0 {
        spec.insert("matchingPrecedence".into(), 1000.into());
    }
}
