//! Authentication of requests whose user is not known from the connection or the caller: by token, or as anonymous (AUTH-1 to AUTH-4).

use http::HeaderMap;
use http::header::AUTHORIZATION;
use kubewright_middleware::{Identity, Status};

use crate::access::service_account::ISSUER;
use crate::api::ObjectApi;

/// Returns the user of the bearer token in the headers, or the anonymous user if there is no token.
pub(super) fn by_token(api: &ObjectApi, headers: &HeaderMap) -> Result<Identity, Status> {
    let Some(authorization) = headers.get(AUTHORIZATION) else { return Ok(Identity::anonymous()) };
    let token = authorization
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    // Credentials of other schemes are not for this server; the request then counts as anonymous.
    let Some((_, token)) = token else { return Ok(Identity::anonymous()) };
    let known = api.identify(token.trim(), &[ISSUER.to_owned()]);
    known.map(|(identity, _)| identity).map_err(|_| Status::new(401, "Unauthorized", "Unauthorized"))
}
