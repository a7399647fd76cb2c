//! Objects as YAML, as kustomize prints them.

use kubewright_template::library::data::format_yaml;
use kubewright_template::value::{ElementType, IntegerType, MapType};
use kubewright_template::{GoList, GoMap, GoValue};
use serde_json::{Number, Value};

/// Returns the text of objects, separated by lines of dashes.
pub(crate) fn documents(objects: &[Value]) -> Result<String, String> {
    let texts: Result<Vec<String>, String> = objects.iter().map(|object| format_yaml(&go_value(object))).collect();
    Ok(texts?.join("---\n"))
}

/// Returns a value whose integers stay integers of any size. Those of templates are floating-point numbers.
fn go_value(value: &Value) -> GoValue {
    match value {
        Value::Number(number) => go_number(number),
        Value::Array(items) => GoList::new(items.iter().map(go_value).collect(), ElementType::Any).into(),
        Value::Object(fields) => {
            GoMap::new(fields.iter().map(|(key, value)| (key.as_str().into(), go_value(value))).collect(), MapType::Any).into()
        }
        other => GoValue::from(other),
    }
}

fn go_number(number: &Number) -> GoValue {
    match (number.as_i64(), number.as_u64()) {
        (Some(number), _) => GoValue::int64(number),
        (None, Some(number)) => GoValue::Integer(number.into(), IntegerType::Uint64),
        (None, None) => GoValue::Float(number.as_f64().unwrap_or(f64::NAN)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_have_sorted_keys_and_whole_integers() {
        let objects = [json!({"b": [1, 9_007_199_254_740_993_i64], "a": "1"}), json!({"c": u64::MAX, "d": 1.5})];
        assert_eq!(documents(&objects).unwrap(), "a: \"1\"\nb:\n- 1\n- 9007199254740993\n---\nc: 18446744073709551615\nd: 1.5\n");
    }

    #[test]
    fn no_objects_are_no_text() {
        assert_eq!(documents(&[]).unwrap(), "");
    }
}
