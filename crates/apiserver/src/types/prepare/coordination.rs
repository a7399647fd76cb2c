//! Fields of leases that belong to coordinated leader election.

use serde_json::Value;

use crate::types::edit::{Members, part};

/// Removes the fields of coordinated leader election, which is switched off. A field that the stored lease has is kept.
pub(super) fn lease(object: &mut Members, stored: Option<&Value>) {
    for field in ["preferredHolder", "strategy"] {
        let known = stored.is_some_and(|stored| stored["spec"].get(field).is_some());
        if let Some(spec) = part(object, "spec").filter(|_| !known) {
            spec.remove(field);
        }
    }
}
