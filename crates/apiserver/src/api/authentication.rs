//! Authentication of users: by certificate, by static token, by the token of a service account, or as anonymous (AUTH-1 to AUTH-4).

#[cfg(feature = "listen")]
use http::{HeaderMap, header::AUTHORIZATION};
use kubewright_machinery::object::ObjectExt as _;

use super::ObjectApi;
use crate::access::BadToken;
use crate::access::service_account::{Bound, ISSUER, ObjectId, TokenClaims};
use crate::identity::Identity;
#[cfg(feature = "listen")]
use crate::status::Status;
use crate::store::{ObjectName, Resource};

/// Authentication of requests that arrive at a port.
#[cfg(feature = "listen")]
impl ObjectApi {
    /// Returns the user of a request: by the certificate of its connection, else by its token, else the anonymous user.
    pub(crate) fn authenticate(&self, certified: Option<&Identity>, headers: &HeaderMap) -> Result<Identity, Status> {
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
        let known = self.identify(token.trim(), &[ISSUER.to_owned()]);
        known.map(|(identity, _)| identity).map_err(|_| Status::new(401, "Unauthorized", "Unauthorized"))
    }
}

impl ObjectApi {
    /// Returns the user of a token that is valid for one of the audiences, and those of the audiences that it is valid for.
    pub(crate) fn identify(&self, token: &str, audiences: &[String]) -> Result<(Identity, Vec<String>), BadToken> {
        let shared = |known: &[String]| -> Vec<String> { audiences.iter().filter(|one| known.contains(one)).cloned().collect() };
        if let Some(identity) = self.access.credentials.by_token(token) {
            // A static token is valid for the server itself only.
            let shared = shared(&[ISSUER.to_owned()]);
            return if shared.is_empty() { Err(BadToken::Unknown) } else { Ok((identity, shared)) };
        }
        let signed = self.access.verify(token).ok_or(BadToken::Unknown)?;
        let claims = TokenClaims::read(signed, self.clock.now().as_second()).ok_or(BadToken::Unknown)?;
        let shared = shared(&claims.audiences);
        if shared.is_empty() {
            return Err(BadToken::ForOthers { audiences: claims.audiences, wanted: audiences.to_vec() });
        }
        if self.still_there(&claims.bound) { Ok((claims.identity(), shared)) } else { Err(BadToken::Unknown) }
    }

    /// Returns true if the objects that a token is bound to still exist.
    fn still_there(&self, bound: &Bound) -> bool {
        let snapshot = self.store.snapshot();
        let exists = |plural: &str, namespace: &str, object: &ObjectId| {
            let found = snapshot.get(&Resource::new("", plural), &ObjectName::new(namespace, &object.name));
            found.is_some_and(|stored| stored.value().uid() == object.uid)
        };
        let in_namespace = |plural: &str, object: &Option<ObjectId>| {
            object.as_ref().is_none_or(|object| exists(plural, &bound.namespace, object))
        };
        // A token of a pod also names the pod's node, but only the pod's existence counts.
        let node = bound.node.as_ref().is_none_or(|node| bound.pod.is_some() || exists("nodes", "", node));
        exists("serviceaccounts", &bound.namespace, &bound.account)
            && in_namespace("pods", &bound.pod)
            && in_namespace("secrets", &bound.secret)
            && node
    }
}

#[cfg(test)]
#[cfg(feature = "listen")]
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
        let authenticate = |headers: &HeaderMap| server.state().api.authenticate(None, headers);
        assert_eq!(authenticate(&with_header("Bearer t1")).unwrap().name(), "alice");
        assert_eq!(authenticate(&with_header("Bearer t2")).unwrap_err().code, 401);
        assert_eq!(authenticate(&with_header("Basic t1")).unwrap(), Identity::anonymous());
        assert_eq!(authenticate(&HeaderMap::new()).unwrap(), Identity::anonymous());
    }

    // AUTH-3
    #[test]
    fn a_certificate_comes_before_a_token() {
        let server = server();
        let access = &server.state().api.access;
        access.credentials.add_certificate(b"certificate", &Identity::user("bob").with_group("dev"));
        let certified = access.credentials.by_certificate(b"certificate");
        let identity = server.state().api.authenticate(certified.as_ref(), &with_header("Bearer t1")).unwrap();
        assert_eq!(
            (identity.name(), identity.groups()),
            ("bob", ["dev".to_owned(), "system:authenticated".to_owned()].as_slice())
        );
        assert!(identity.extra().contains_key("authentication.kubernetes.io/credential-id"));
        assert_eq!(access.credentials.by_certificate(b"another"), None);
    }
}
