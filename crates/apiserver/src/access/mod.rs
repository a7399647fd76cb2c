//! Who asks: identities and, later, tokens and access rules.

mod identity;

pub use identity::Identity;
