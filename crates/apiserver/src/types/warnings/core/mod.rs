//! Warnings about the core group, a file per kind.

pub(super) mod persistent_volume;
pub(super) mod pod;
pub(super) mod service;
pub(super) mod service_account;
