use std::collections::BTreeSet;
use std::sync::Arc;

use kubewright_runtime::watch::{Project, Unprojectable};
use parking_lot::RwLock;
use serde_json::{Map, Value};

/// The kept content of a watched object.
#[derive(Clone, Debug)]
pub(super) enum KeptContent {
    /// The data of a referenced object.
    Kept(Arc<Value>),
    /// No data, because no component referred to the object when it arrived.
    Dropped,
}

impl KeptContent {
    fn of(object: &Value) -> Self {
        Self::Kept(data(object))
    }
}

/// Returns the field `data`, or an empty map for an object without it.
pub(super) fn data(object: &Value) -> Arc<Value> {
    let data = object.get("data").filter(|data| data.is_object()).cloned();
    Arc::new(data.unwrap_or_else(|| Value::Object(Map::new())))
}

/// The names of the objects that are kept. The projector shares them with the code that adds to them.
pub(super) type ReferencedNames = Arc<RwLock<BTreeSet<String>>>;

/// A projector that keeps the data of the named objects; of other objects it keeps only that they exist.
pub(super) struct KeepNamed(pub(super) ReferencedNames);

impl Project for KeepNamed {
    type Output = KeptContent;

    fn project(&self, object: &Value) -> Result<KeptContent, Unprojectable> {
        let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        Ok(if self.0.read().contains(name) { KeptContent::of(object) } else { KeptContent::Dropped })
    }
}
