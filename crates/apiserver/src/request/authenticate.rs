//! Authentication of requests that arrive at a port: by certificate, by token, or as anonymous (AUTH-1 to AUTH-4).

use http::HeaderMap;
use http::header::AUTHORIZATION;
use kubewright_middleware::{Identity, Status};

use crate::access::service_account::ISSUER;
use crate::api::ObjectApi;

/// Returns the user of a request: by the certificate of its connection, else by its token, else the anonymous user.
pub(crate) fn authenticate(api: &ObjectApi, certified: Option<&Identity>, headers: &HeaderMap) -> Result<Identity, Status> {
    if let Some(identity) = certified {
        return Ok(identity.clone());
    }
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

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;
    use crate::ApiServer;

    fn server() -> ApiServer {
        let server = ApiServer::builder().seed(7).build().unwrap();
        server.add_token("t1", Identity::user("alice"));
        server
    }

    fn with_header(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))])
    }

    // AUTH-1, AUTH-2, AUTH-4
    #[test]
    fn tokens_name_users_and_wrong_ones_are_refused() {
        let server = server();
        let user_of = |headers: &HeaderMap| authenticate(&server.state().api, None, headers);
        assert_eq!(user_of(&with_header("Bearer t1")).unwrap().name(), "alice");
        assert_eq!(user_of(&with_header("Bearer t2")).unwrap_err().code, 401);
        assert_eq!(user_of(&with_header("Basic t1")).unwrap(), Identity::anonymous());
        assert_eq!(user_of(&HeaderMap::new()).unwrap(), Identity::anonymous());
    }

    // AUTH-3
    #[test]
    fn a_certificate_comes_before_a_token() {
        let server = server();
        let access = &server.state().api.access;
        access.credentials.add_certificate(b"certificate", &Identity::user("bob").with_group("dev"));
        let certified = access.credentials.by_certificate(b"certificate");
        let identity = authenticate(&server.state().api, certified.as_ref(), &with_header("Bearer t1")).unwrap();
        assert_eq!(
            (identity.name(), identity.groups()),
            ("bob", ["dev".to_owned(), "system:authenticated".to_owned()].as_slice())
        );
        assert!(identity.extra().contains_key("authentication.kubernetes.io/credential-id"));
        assert_eq!(access.credentials.by_certificate(b"another"), None);
    }
}
