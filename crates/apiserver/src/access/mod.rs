//! Authentication and authorization: identities, tokens and access rules.

mod action;
mod authenticate;
mod authorize;
mod credentials;
mod identity;
mod impersonate;
mod rbac;
pub(crate) mod service_account;

pub(crate) use action::{Action, Attributes};
pub(crate) use authenticate::Access;
pub use identity::Identity;
pub use impersonate::Impersonating;
pub(crate) use impersonate::Refused;
pub(crate) use rbac::{bootstrap as rbac_bootstrap, rules_of};
