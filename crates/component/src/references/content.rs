use std::collections::BTreeSet;
use std::sync::Arc;

use kubewright_core::reference::ReferencedData;
use kubewright_runtime::watch::{Project, Unprojectable};
use parking_lot::RwLock;
use serde_json::Value;

/// The kept content of a watched object.
#[derive(Clone, Debug)]
pub(super) enum KeptContent {
    /// The values of a referenced object.
    Kept(Arc<ReferencedData>),
    /// No values, because no component referred to the object when it arrived.
    Dropped,
}

impl KeptContent {
    fn of(object: &Value) -> Self {
        Self::Kept(Arc::new(ReferencedData::of(object)))
    }
}

/// The names of the objects that are kept. The projector shares them with the code that adds to them.
pub(super) type ReferencedNames = Arc<RwLock<BTreeSet<String>>>;

/// A projector that keeps the values of the named objects; of other objects it keeps only that they exist.
pub(super) struct KeepNamed(pub(super) ReferencedNames);

impl Project for KeepNamed {
    type Output = KeptContent;

    fn project(&self, object: &Value) -> Result<KeptContent, Unprojectable> {
        let name = object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        Ok(if self.0.read().contains(name) { KeptContent::of(object) } else { KeptContent::Dropped })
    }
}
