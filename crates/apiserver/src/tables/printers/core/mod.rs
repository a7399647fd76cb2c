//! Columns of the core group, a file per kind.

pub(super) mod component_status;
pub(super) mod config_map;
pub(super) mod endpoints;
pub(super) mod event;
pub(super) mod namespace;
pub(super) mod node;
pub(super) mod persistent_volume;
pub(super) mod pod;
pub(super) mod resource_quota;
pub(super) mod secret;
pub(super) mod service;
