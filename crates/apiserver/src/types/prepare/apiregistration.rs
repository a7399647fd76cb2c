//! The availability of API services.

use serde_json::json;

use crate::types::edit::Members;

/// Marks an APIService as available if this server serves its group itself.
pub(super) fn local_service(object: &mut Members, now: &str) {
    let is_local = object.get("spec").is_none_or(|spec| spec["service"].is_null());
    if is_local {
        let condition = json!({
            "type": "Available", "status": "True", "lastTransitionTime": now, "reason": "Local",
            "message": "Local APIServices are always available",
        });
        object.insert("status".into(), json!({"conditions": [condition]}));
    }
}
