//! Validation of the group discovery.k8s.io.

use kubewright_schema::FieldError;
use serde_json::Value;

use super::checks::{FieldChecks, is_empty, items};

pub(super) fn endpoint_slice(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    checks.required_one_of("addressType", &object["addressType"], &["FQDN", "IPv4", "IPv6"]);
    for (path, endpoint) in items("endpoints", &object["endpoints"]) {
        if is_empty(&endpoint["addresses"]) {
            checks.add(FieldError::required(format!("{path}.addresses"), "must contain at least 1 address"));
        }
    }
    if let Some(stored) = stored {
        checks.immutable("addressType", &object["addressType"], &stored["addressType"]);
    }
}
