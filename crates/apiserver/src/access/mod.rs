//! Authentication and authorization: identities, tokens and access rules.

mod action;
mod authenticate;
mod credentials;
mod rbac;
pub(crate) mod service_account;

pub(crate) use action::{Attributes, UserAction};
pub(crate) use authenticate::{BadToken, UserAuthentication};
pub(crate) use rbac::{allows, bootstrap as rbac_bootstrap, check_escalation, rules_of};
