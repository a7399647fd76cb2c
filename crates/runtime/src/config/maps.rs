//! The ConfigMaps in the form that the watch keeps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kubewright_core::config::data_of;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _, ObjectReference};
use serde_json::Value;

use crate::watch::{Project, Unprojectable, WatchSpec};

/// A ConfigMap that a part of the operator reads.
#[derive(Debug)]
pub(super) struct FoundMap {
    pub(super) data: BTreeMap<String, String>,
    pub(super) reference: ObjectReference,
}

/// The projector that keeps only the ConfigMaps with these names. Each other one costs a null pointer.
pub(super) struct ConfigMapProjector(pub(super) Arc<BTreeSet<String>>);

impl Project for ConfigMapProjector {
    type Output = Option<Box<FoundMap>>;

    fn project(&self, object: &Value) -> Result<Self::Output, Unprojectable> {
        let found = || Box::new(FoundMap { data: data_of(object), reference: ObjectReference::of(object) });
        Ok(self.0.contains(object.name()).then(found))
    }
}

/// Returns the watch of the ConfigMaps of a namespace; with a label, only of those that have it.
pub(super) fn watch_of(namespace: &str, label: Option<&str>) -> WatchSpec {
    let spec = WatchSpec::of_version(&GroupVersionKind::new("", "v1", "ConfigMap")).in_namespace(namespace);
    match label {
        Some(label) => spec.labels(label),
        None => spec,
    }
}
