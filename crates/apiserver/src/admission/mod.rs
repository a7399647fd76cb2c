//! Built-in admission plugins: what may be created where, and what pods get without asking.

mod lifecycle;
mod pods;

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use crate::{
    kinds::{Endpoint, KindSpec},
    status::Status,
    store::Snapshot,
};

pub(crate) use lifecycle::immortal;

/// Plugins that may change a new object.
pub(crate) fn on_create(kind: &KindSpec, object: &mut Value, snapshot: &Snapshot) -> Result<(), Status> {
    lifecycle::namespace_exists(kind, object.namespace(), snapshot)?;
    pods::complete(kind, object, snapshot)
}

/// Plugins that may change the successor of an object.
pub(crate) fn on_update(kind: &KindSpec, endpoint: Endpoint<'_>, object: &mut Value) {
    if endpoint == Endpoint::Main {
        pods::complete_update(kind, object);
    }
}

/// Plugins that look at the final object.
pub(crate) fn after_validation(kind: &KindSpec, object: &Value, snapshot: &Snapshot) -> Result<(), Status> {
    lifecycle::namespace_is_open(kind, object, snapshot)
}
