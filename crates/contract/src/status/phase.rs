use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::StatusForm;

/// The phase in the status of an owner, under the name of a form: the text of an [`OwnerPhase`](kubewright_core::contract::OwnerPhase), if there is one.
pub struct StatusPhase<F> {
    /// The text.
    pub phase: Option<String>,
    form: PhantomData<fn() -> F>,
}

impl<F> From<Option<String>> for StatusPhase<F> {
    fn from(phase: Option<String>) -> Self {
        Self { phase, form: PhantomData }
    }
}

impl<F> Clone for StatusPhase<F> {
    fn clone(&self) -> Self {
        Self::from(self.phase.clone())
    }
}

impl<F> Default for StatusPhase<F> {
    fn default() -> Self {
        Self::from(None)
    }
}

impl<F> fmt::Debug for StatusPhase<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phase.fmt(f)
    }
}

impl<F: StatusForm> Serialize for StatusPhase<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.phase.iter().map(|phase| (F::PHASE, phase)))
    }
}

impl<'de, F: StatusForm> Deserialize<'de> for StatusPhase<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = Map::deserialize(deserializer)?;
        Ok(fields.get(F::PHASE).and_then(Value::as_str).map(str::to_owned).into())
    }
}
