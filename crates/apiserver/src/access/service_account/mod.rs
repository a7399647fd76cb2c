//! Tokens of service accounts: their signing key, their claims and their validation (AUTH-8).

mod claims;
mod key;

pub(crate) use claims::{Bound, ObjectId, TokenClaims};
pub(crate) use key::TokenKey;

/// The issuer of tokens, which is also their default audience.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc";
