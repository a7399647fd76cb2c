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

impl GoValue {
    /// Returns the value as decoders give it that keep integers, such as those of clients for objects of a cluster: an integer is an `int64`.
    pub fn with_integers(value: &Value) -> Self {
        match value {
            Value::Number(number) => number.as_i64().map_or_else(|| Self::from(value), Self::int64),
            Value::Array(items) => Self::list(items.iter().map(Self::with_integers)),
            Value::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.as_str(), Self::with_integers(value)));
                GoMap::from_pairs(fields).into()
            }
            other => Self::from(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_of_objects_stay_integers() {
        assert!(matches!(GoValue::with_integers(&json!(3)), GoValue::Integer(3, _)));
        assert!(matches!(GoValue::with_integers(&json!(0.5)), GoValue::Float(_)));
        assert!(matches!(GoValue::from(&json!(3)), GoValue::Float(_)));
        let GoValue::Map(map) = GoValue::with_integers(&json!({ "items": [-1] })) else { panic!("no map") };
        let GoValue::List(items) = map.field("items") else { panic!("no list") };
        assert!(matches!(items.first(), Some(GoValue::Integer(-1, _))));
    }
}
