//! Defaults of the core group, a file per kind.

pub(super) mod endpoints;
pub(super) mod limit_range;
pub(super) mod node;
pub(super) mod persistent_volume;
pub(super) mod pod;
pub(super) mod replication_controller;
pub(super) mod secret;
pub(super) mod service;
