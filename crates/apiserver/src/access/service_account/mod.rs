//! Tokens of service accounts: the key that signs them, what they say, and whether they still hold (AUTH-8).

mod claims;
mod key;

pub(crate) use claims::{Bound, Claims, ObjectId};
pub(crate) use key::Key;

/// Who issues tokens, and for whom unless the client says otherwise.
pub(crate) const ISSUER: &str = "https://kubernetes.default.svc";
