//! Built-in admission plugins: checks of new objects, and fields that the server adds to them.

mod lifecycle;
mod nodes;
mod pods;
mod storage;

use kubewright_machinery::object::ObjectExt as _;
pub(crate) use lifecycle::immortal;
pub(crate) use nodes::NOT_READY;
use serde_json::Value;
pub(crate) use storage::finalizer_of;

use kubewright_middleware::Status;

use crate::kinds::KindSpec;
use crate::model::Endpoint;
use crate::store::Snapshot;

/// Runs the plugins that check or change a new object.
pub(crate) fn on_create(kind: &KindSpec, object: &mut Value, snapshot: &Snapshot) -> Result<(), Status> {
    lifecycle::namespace_exists(kind, object.namespace(), snapshot)?;
    lifecycle::namespace_is_open(kind, object, snapshot)?;
    nodes::taint(kind, object);
    pods::complete(kind, object, snapshot)?;
    storage::protect(kind, object);
    Ok(())
}

/// Runs the plugins that change an updated object.
pub(crate) fn on_update(kind: &KindSpec, endpoint: Endpoint<'_>, object: &mut Value) {
    if endpoint == Endpoint::Main {
        pods::complete_update(kind, object);
    }
}
