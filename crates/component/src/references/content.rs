use std::collections::BTreeSet;
use std::sync::Arc;

use kubewright_runtime::watch::{Project, Unprojectable};
use parking_lot::RwLock;
use serde_json::{Map, Value};

/// What is kept of an object.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// The data of an object that somebody refers to.
    Kept(Arc<Value>),
    /// Nobody referred to it when it arrived.
    Dropped,
}

impl Content {
    fn of(object: &Value) -> Self {
        Self::Kept(data(object))
    }
}

/// The field `data`; an object without has no keys.
pub(super) fn data(object: &Value) -> Arc<Value> {
    let data = object.get("data").filter(|data| data.is_object()).cloned();
    Arc::new(data.unwrap_or_else(|| Value::Object(Map::new())))
}

/// The names whose objects are kept. Shared by a projector and those who add to it.
pub(super) type Names = Arc<RwLock<BTreeSet<String>>>;

/// Keeps the data of the named objects, and of the others only that they exist.
pub(super) struct KeepNamed(pub(super) Names);

impl Project for KeepNamed {
    type Output = Content;

    fn project(&self, object: &Value) -> Result<Content, Unprojectable> {
        let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        Ok(if self.0.read().contains(name) { Content::of(object) } else { Content::Dropped })
    }
}
