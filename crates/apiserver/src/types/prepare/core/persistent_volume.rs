//! Phases of PersistentVolumes and of their claims.

use serde_json::{Value, json};

use crate::types::edit::{Edit as _, Members};

/// Sets the phase Pending of a new claim or volume (BDF-14).
pub(in crate::types::prepare) fn pending(object: &mut Members) {
    object.insert("status".into(), json!({"phase": "Pending"}));
}

/// Records the time of a phase change of a volume, unless the client sets that time.
pub(in crate::types::prepare) fn volume_phase(object: &mut Members, stored: Option<&Value>, now: &str) {
    const SINCE: &str = "lastPhaseTransitionTime";
    if stored.is_none() {
        pending(object);
    }
    let status = object.ensure("status");
    let before = stored.map_or(&Value::Null, |stored| &stored["status"]);
    let sent = status.get(SINCE).filter(|since| !since.is_null());
    if status.get("phase") != before.get("phase") {
        if sent.is_none_or(|sent| before.get(SINCE) == Some(sent)) {
            status.insert(SINCE.into(), now.into());
        }
    } else if let Some(since) = before.get(SINCE).filter(|_| sent.is_none()) {
        status.insert(SINCE.into(), since.clone());
    }
}
