//! Authentication and authorization: credentials, tokens of service accounts, and access rules.

mod action;
mod credentials;
mod rbac;
pub(crate) mod service_account;
mod user_keys;

pub(crate) use action::{Attributes, UserAction};
pub(crate) use rbac::{allows, bootstrap as rbac_bootstrap, check_escalation, rules_of};
pub(crate) use user_keys::{BadToken, UserAuthentication};
