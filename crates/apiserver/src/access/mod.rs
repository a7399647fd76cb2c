//! Authentication and authorization: identities, tokens and access rules.

mod action;
mod authenticate;
mod authorize;
mod credentials;
mod impersonate;
mod rbac;
pub(crate) mod service_account;

pub(crate) use action::{Attributes, UserAction};
pub(crate) use authenticate::UserAuthentication;
pub(crate) use impersonate::EarlyRefusal;
pub use impersonate::Impersonating;
pub(crate) use rbac::{bootstrap as rbac_bootstrap, rules_of};
