//! Defaults of the group discovery.k8s.io.

use crate::types::edit::{Edit as _, Members, each};

/// Fills in the defaults of an EndpointSlice (BDF-19): ports with an empty name and the protocol TCP.
pub(super) fn endpoint_slice(object: &mut Members) {
    for port in each(object, "ports") {
        port.entry("name").or_insert_with(|| "".into());
        port.fill("protocol", "TCP");
    }
}
