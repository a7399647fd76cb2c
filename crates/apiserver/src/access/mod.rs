//! Who asks: identities and, later, tokens and access rules.

mod authorize;
mod identity;

pub(crate) use authorize::authorize;
pub use identity::Identity;
