//! Defaults of the group rbac.authorization.k8s.io.

use crate::types::edit::{Edit as _, Members, each};

const RBAC: &str = "rbac.authorization.k8s.io";

/// Fills in the API group of the role and of the subjects of a binding (BDF-17).
pub(super) fn binding(object: &mut Members) {
    object.ensure("roleRef").fill("apiGroup", RBAC);
    for subject in each(object, "subjects") {
        if matches!(subject.text("kind"), "User" | "Group") {
            subject.fill("apiGroup", RBAC);
        }
    }
}
