//! Defaults of the group resource.k8s.io.

use crate::types::edit::{Edit as _, Members, at, each, part};

/// Fills in the allocation mode and count of the device requests of a ResourceClaim (BDF-19).
pub(super) fn resource_claim(object: &mut Members) {
    let Some(devices) = at(object, &["spec", "devices"]) else {
        return;
    };
    for request in each(devices, "requests") {
        part(request, "exactly").into_iter().for_each(device_count);
        each(request, "firstAvailable").for_each(device_count);
    }
}

/// Fills in the defaults of the claims that a ResourceClaimTemplate makes.
pub(super) fn resource_claim_template(object: &mut Members) {
    part(object, "spec").into_iter().for_each(resource_claim);
}

fn device_count(request: &mut Members) {
    request.fill("allocationMode", "ExactCount");
    if request.text("allocationMode") == "ExactCount" {
        request.fill("count", 1);
    }
}
