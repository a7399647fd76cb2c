//! JSON values as the data of templates.

use kubewright_template::{GoMap, GoValue};
use serde_json::{Map, Value};

/// Returns JSON values as a map of Go. Unlike values of charts, integers stay integers, so that they print without an exponent.
pub(crate) fn template_values(values: &Map<String, Value>) -> GoMap {
    GoMap::from_pairs(values.iter().map(|(name, value)| (name.as_str(), template_value(value))))
}

/// Returns a JSON value as one of Go.
pub(crate) fn template_value(value: &Value) -> GoValue {
    match value {
        Value::Number(number) => number.as_i64().map_or_else(|| GoValue::from(value), GoValue::int64),
        Value::Array(items) => GoValue::list(items.iter().map(template_value)),
        Value::Object(fields) => template_values(fields).into(),
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use kubewright_template::value::IntegerType;
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_stay_integers_at_any_depth() {
        let Value::Object(parameters) = json!({"a": [{"b": 10_000_000}], "c": 1.5, "d": null}) else { return };
        let values = template_values(&parameters);
        let GoValue::List(list) = values.get(&"a".into()).unwrap() else { panic!("no list") };
        let GoValue::Map(inner) = list.iter().next().unwrap() else { panic!("no map") };
        assert!(matches!(inner.get(&"b".into()), Some(GoValue::Integer(10_000_000, IntegerType::Int64))));
        assert!(matches!(values.get(&"c".into()), Some(GoValue::Float(_))));
        assert!(matches!(values.get(&"d".into()), Some(GoValue::Nil)));
    }
}
