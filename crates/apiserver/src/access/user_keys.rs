//! The credentials and keys by which users are authenticated (AUTH-1 to AUTH-4).

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::Value;

use super::credentials::Credentials;
use super::service_account::TokenKey;

/// The number of tokens that are remembered as signed by this server; when it is reached, all are forgotten.
const REMEMBERED: usize = 1_024;

/// The credentials and keys by which a server knows its users.
#[derive(Debug)]
pub(crate) struct UserAuthentication {
    pub(crate) credentials: Credentials,
    pub(crate) key: TokenKey,
    /// The claims of tokens whose signature has been checked.
    signed: Mutex<HashMap<String, Value>>,
}

/// The reason for which a token is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadToken {
    /// No user is known by the token, or no longer.
    #[error("invalid bearer token")]
    Unknown,
    /// The token is valid, but for other audiences.
    #[error("[invalid bearer token, token audiences {audiences:?} is invalid for the target audiences {wanted:?}]")]
    ForOthers {
        /// The audiences of the token.
        audiences: Vec<String>,
        /// The audiences that were asked for.
        wanted: Vec<String>,
    },
}

impl UserAuthentication {
    /// Creates the credentials of a server; the key of service accounts is derived from `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self { credentials: Credentials::default(), key: TokenKey::new(seed), signed: Mutex::default() }
    }

    /// Returns a copy of the credentials and keys for another server.
    pub(crate) fn fork(&self) -> Self {
        Self { credentials: self.credentials.fork(), key: self.key.fork(), signed: Mutex::default() }
    }

    /// Returns the claims of a token that was signed with the key.
    pub(crate) fn verify(&self, token: &str) -> Option<Value> {
        if let Some(claims) = self.signed.lock().get(token) {
            return Some(claims.clone());
        }
        let claims = self.key.verify(token)?;
        let mut signed = self.signed.lock();
        if signed.len() >= REMEMBERED {
            signed.clear();
        }
        signed.insert(token.to_owned(), claims.clone());
        Some(claims)
    }
}
