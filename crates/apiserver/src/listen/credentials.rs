//! Who is behind a token or a certificate (AUTH-1 to AUTH-4).

use std::collections::HashMap;

use http::{HeaderMap, header::AUTHORIZATION};
use kubewright_machinery::object::sha256_hex;
use parking_lot::RwLock;

use crate::{access::Identity, status::Status};

/// The users that this server has given credentials to.
#[derive(Debug, Default)]
pub(super) struct Credentials {
    tokens: RwLock<HashMap<String, Identity>>,
    /// By the hash of the certificate. All are signed by the server's own authority, so all that are valid are here.
    certificates: RwLock<HashMap<String, Identity>>,
}

impl Credentials {
    pub(super) fn add_token(&self, token: &str, identity: Identity) {
        self.tokens.write().insert(token.to_owned(), identity);
    }

    pub(super) fn add_certificate(&self, certificate: &[u8], identity: &Identity) {
        let fingerprint = sha256_hex(certificate);
        let id = format!("X509SHA256={fingerprint}");
        let identity = identity.clone().with_extra("authentication.kubernetes.io/credential-id", vec![id]);
        self.certificates.write().insert(fingerprint, identity);
    }

    /// The user of a connection by its certificate.
    pub(super) fn by_certificate(&self, certificate: &[u8]) -> Option<Identity> {
        self.certificates.read().get(&sha256_hex(certificate)).cloned()
    }

    /// The user of a request: by the certificate of its connection, else by its token, else nobody.
    pub(super) fn authenticate(&self, certified: Option<&Identity>, headers: &HeaderMap) -> Result<Identity, Status> {
        if let Some(identity) = certified {
            return Ok(identity.clone());
        }
        let Some(authorization) = headers.get(AUTHORIZATION) else { return Ok(Identity::anonymous()) };
        let token = authorization
            .to_str()
            .ok()
            .and_then(|text| text.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        // Other schemes are not for this server, which then knows nobody.
        let Some((_, token)) = token else { return Ok(Identity::anonymous()) };
        let found = self.tokens.read().get(token.trim()).cloned();
        found.ok_or_else(|| Status::new(401, "Unauthorized", "Unauthorized"))
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn credentials() -> Credentials {
        let credentials = Credentials::default();
        credentials.add_token("t1", Identity::user("alice"));
        credentials.add_certificate(b"certificate", &Identity::user("bob").with_group("dev"));
        credentials
    }

    fn with_header(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))])
    }

    // AUTH-1, AUTH-2, AUTH-4
    #[test]
    fn tokens_name_users_and_wrong_ones_are_refused() {
        let credentials = credentials();
        assert_eq!(credentials.authenticate(None, &with_header("Bearer t1")).unwrap().name(), "alice");
        assert_eq!(credentials.authenticate(None, &with_header("Bearer t2")).unwrap_err().code, 401);
        assert_eq!(credentials.authenticate(None, &HeaderMap::new()).unwrap(), Identity::anonymous());
    }

    // AUTH-3
    #[test]
    fn a_certificate_comes_before_a_token() {
        let credentials = credentials();
        let certified = credentials.by_certificate(b"certificate");
        let identity = credentials.authenticate(certified.as_ref(), &with_header("Bearer t1")).unwrap();
        assert_eq!(
            (identity.name(), identity.groups()),
            ("bob", ["dev".to_owned(), "system:authenticated".to_owned()].as_slice())
        );
        assert!(identity.extra().contains_key("authentication.kubernetes.io/credential-id"));
        assert_eq!(credentials.by_certificate(b"another"), None);
    }
}
