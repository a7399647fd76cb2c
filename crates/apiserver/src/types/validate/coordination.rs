//! Validation of the group coordination.k8s.io.

use serde_json::Value;

use super::checks::FieldChecks;

/// Checks the duration and the number of transitions of a Lease (BVA-3).
pub(super) fn lease(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    checks.positive("spec.leaseDurationSeconds", &object["spec"]["leaseDurationSeconds"]);
    checks.not_negative("spec.leaseTransitions", &object["spec"]["leaseTransitions"]);
}
