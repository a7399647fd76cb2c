//! JSON values as values of templates.

use serde_json::{Number, Value};

use super::{ElementType, GoList, GoMap, GoValue, MapType};

impl From<&Value> for GoValue {
    /// Returns the value as Go's `encoding/json` decodes it into an `interface {}`: every number is a `float64`.
    fn from(value: &Value) -> Self {
        decoded(value, MapType::Any)
    }
}

impl GoValue {
    /// Returns the JSON of a struct: the value as from any JSON, whose maps have fields of Go's names, too.
    pub fn of_struct(value: &Value) -> Self {
        decoded(value, MapType::Struct)
    }

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

/// Returns a number as Go's `encoding/json` decodes it.
pub(super) fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::NAN)
}

fn decoded(value: &Value, type_: MapType) -> GoValue {
    match value {
        Value::Null => GoValue::Nil,
        Value::Bool(value) => GoValue::Bool(*value),
        Value::Number(number) => GoValue::Float(float(number)),
        Value::String(text) => GoValue::string(text.as_str()),
        Value::Array(items) => {
            GoValue::List(GoList::new(items.iter().map(|item| decoded(item, type_)).collect(), ElementType::Any))
        }
        Value::Object(entries) => {
            let entries = entries.iter().map(|(key, value)| (key.as_str().into(), decoded(value, type_)));
            GoValue::Map(GoMap::new(entries.collect(), type_))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_a_struct_have_the_names_of_json_and_of_go() {
        let value = json!({ "status": { "state": "Ready" }, "apiVersion": "v1", "items": [{ "name": "a" }] });
        let GoValue::Map(component) = GoValue::of_struct(&value) else { panic!("no map") };
        for name in ["status", "Status"] {
            let GoValue::Map(status) = component.field(name) else { panic!("{name} is no map") };
            assert!(matches!(status.field("State"), GoValue::String(state) if state.as_bytes() == b"Ready"));
            assert!(matches!(status.field("STATE"), GoValue::String(_)));
            assert!(matches!(status.field("sTATE"), GoValue::Nil), "no name of Go begins with a small letter");
        }
        assert!(matches!(component.field("APIVersion"), GoValue::String(_)));
        assert!(matches!(component.field("Absent"), GoValue::Nil));
        let GoValue::List(items) = component.field("Items") else { panic!("no list") };
        assert!(matches!(&items[0], GoValue::Map(item) if matches!(item.field("Name"), GoValue::String(_))));
        assert_eq!(component.type_name(), "map[string]interface {}");
    }

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
