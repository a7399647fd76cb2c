//! Defaults of the group authentication.k8s.io.

use crate::types::edit::{Edit as _, Members, part};

/// Fills in the default lifetime of a token that a TokenRequest asks for: an hour.
pub(super) fn token_request(object: &mut Members) {
    if let Some(spec) = part(object, "spec") {
        spec.fill("expirationSeconds", 3600);
    }
}
