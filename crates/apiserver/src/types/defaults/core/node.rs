//! Defaults of Nodes.

use crate::types::edit::{Edit as _, Members, part};

/// Fills in the allocatable resources of a Node, which default to its capacity (BDF-19).
pub(in crate::types::defaults) fn node(object: &mut Members) {
    let Some(status) = part(object, "status") else {
        return;
    };
    if let Some(capacity) = status.get("capacity").cloned() {
        status.fill("allocatable", capacity);
    }
}
