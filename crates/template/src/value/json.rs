//! JSON values as values of templates.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{ElementType, GoList, GoMap, GoString, GoValue, MapType};

impl From<&Value> for GoValue {
    /// Returns the value as Go's `encoding/json` decodes it into an `interface {}`: every number is a `float64`.
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Nil,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            Value::String(text) => Self::string(text.as_str()),
            Value::Array(items) => Self::List(GoList::new(items.iter().map(Self::from).collect(), ElementType::Any)),
            Value::Object(entries) => {
                let entries: BTreeMap<GoString, Self> =
                    entries.iter().map(|(key, value)| (key.as_str().into(), Self::from(value))).collect();
                Self::Map(GoMap::new(entries, MapType::Any))
            }
        }
    }
}
