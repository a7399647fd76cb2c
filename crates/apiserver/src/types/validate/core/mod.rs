//! Validation of the core group, a file per kind.

pub(super) mod config_map;
mod data;
pub(super) mod event;
pub(super) mod namespace;
pub(super) mod persistent_volume;
pub(super) mod pod;
pub(super) mod replication_controller;
pub(super) mod secret;
pub(super) mod service;
