//! Credentials that the server has issued to users: tokens and certificates (AUTH-3, AUTH-4).

use std::collections::HashMap;

#[cfg(feature = "listen")]
use kubewright_machinery::object::sha256_hex;
use kubewright_middleware::Identity;
use parking_lot::RwLock;

/// The users behind tokens and certificates.
#[derive(Debug, Default)]
pub(crate) struct Credentials {
    tokens: RwLock<HashMap<String, Identity>>,
    /// Users by the hash of their certificate. The server's own authority signs every certificate, so all valid ones are listed here.
    #[cfg(feature = "listen")]
    certificates: RwLock<HashMap<String, Identity>>,
}

impl Credentials {
    /// Returns a copy of the credentials for another server.
    pub(super) fn fork(&self) -> Self {
        Self {
            tokens: RwLock::new(self.tokens.read().clone()),
            #[cfg(feature = "listen")]
            certificates: RwLock::new(self.certificates.read().clone()),
        }
    }

    pub(crate) fn add_token(&self, token: &str, identity: Identity) {
        self.tokens.write().insert(token.to_owned(), identity);
    }

    /// Returns the user of a token.
    pub(crate) fn by_token(&self, token: &str) -> Option<Identity> {
        self.tokens.read().get(token).cloned()
    }

    #[cfg(feature = "listen")]
    pub(crate) fn add_certificate(&self, certificate: &[u8], identity: &Identity) {
        let fingerprint = sha256_hex(certificate);
        let id = format!("X509SHA256={fingerprint}");
        let identity = identity.clone().with_extra("authentication.kubernetes.io/credential-id", vec![id]);
        self.certificates.write().insert(fingerprint, identity);
    }

    /// Returns the user of a connection by its client certificate.
    #[cfg(feature = "listen")]
    pub(crate) fn by_certificate(&self, certificate: &[u8]) -> Option<Identity> {
        self.certificates.read().get(&sha256_hex(certificate)).cloned()
    }
}
