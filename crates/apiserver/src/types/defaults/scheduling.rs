//! Defaults of the group scheduling.k8s.io.

use crate::types::edit::{Edit as _, Members};

/// Fills in the default preemption policy of a PriorityClass (BDF-19).
pub(super) fn priority_class(object: &mut Members) {
    object.fill("preemptionPolicy", "PreemptLowerPriority");
}
