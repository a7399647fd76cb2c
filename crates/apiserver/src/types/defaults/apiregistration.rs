//! Defaults of the group apiregistration.k8s.io.

use crate::types::edit::{Edit as _, Members, at};

/// Fills in the default port 443 of the service behind an APIService (BDF-18).
pub(super) fn api_service(object: &mut Members) {
    if let Some(service) = at(object, &["spec", "service"]) {
        service.fill("port", 443);
    }
}
