use std::collections::BTreeSet;
use std::fmt;

use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A part of a component's status, all of whose fields are optional. The trait is implemented for every suitable type.
pub trait StatusPart: Clone + fmt::Debug + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

impl<P> StatusPart for P where P: Clone + fmt::Debug + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

/// A part without fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct NoPart {}

/// Returns the properties in the schema of a part.
pub(super) fn properties<T: JsonSchema>() -> BTreeSet<String> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    let properties = schema.get("properties").and_then(Value::as_object).map(|properties| properties.keys().cloned().collect());
    properties.unwrap_or_default()
}
