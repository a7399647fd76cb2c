//! The formats in generated schemas, adapted to those of API servers.

use serde_json::{Map, Value, json};

/// The string formats that API servers check, without dashes. API servers warn about any other format.
const OF_STRINGS: [&str; 26] = [
    "bsonobjectid",
    "byte",
    "cidr",
    "creditcard",
    "date",
    "datetime",
    "duration",
    "email",
    "hexcolor",
    "hostname",
    "ipv4",
    "ipv6",
    "isbn",
    "isbn10",
    "isbn13",
    "k8slongname",
    "k8sshortname",
    "mac",
    "password",
    "rgbcolor",
    "ssn",
    "uri",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
];

/// Replaces the formats of Rust's numbers by those of Kubernetes, with the bounds of the type, and removes formats that no API server knows. An API server
/// would check nothing for them, and would warn the client that applies the definition.
pub(super) fn adapt(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    adapt_format(members);
    for (name, below) in members.iter_mut() {
        match (name.as_str(), below) {
            ("items" | "not" | "additionalProperties", below) => adapt(below),
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => schemas.iter_mut().for_each(adapt),
            ("properties", Value::Object(properties)) => properties.values_mut().for_each(adapt),
            _ => {}
        }
    }
}

fn adapt_format(schema: &mut Map<String, Value>) {
    let Some(format) = schema.get("format").and_then(Value::as_str).map(str::to_owned) else { return };
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (format, least, most) = match (kind.as_str(), format.as_str()) {
        ("integer", "int32" | "int64") | ("number", "float" | "double") => return,
        ("integer", "int8") => (Some("int32"), Some(json!(i8::MIN)), Some(json!(i8::MAX))),
        ("integer", "int16") => (Some("int32"), Some(json!(i16::MIN)), Some(json!(i16::MAX))),
        ("integer", "uint8") => (Some("int32"), Some(json!(0)), Some(json!(u8::MAX))),
        ("integer", "uint16") => (Some("int32"), Some(json!(0)), Some(json!(u16::MAX))),
        ("integer", "uint32") => (Some("int64"), Some(json!(0)), Some(json!(u32::MAX))),
        ("integer", "int") => (Some("int64"), None, None),
        // API servers store no integers beyond signed 64 bits.
        ("integer", "uint" | "uint64" | "uint128") => (Some("int64"), Some(json!(0)), None),
        ("string" | "", other) if OF_STRINGS.contains(&other.replace('-', "").as_str()) => return,
        _ => (None, None, None),
    };
    match format {
        Some(format) => schema.insert("format".to_owned(), format.into()),
        None => schema.remove("format"),
    };
    // Bounds that the author of the type declared are narrower, so they stay.
    for (name, bound) in [("minimum", least), ("maximum", most)] {
        if let Some(bound) = bound {
            schema.entry(name).or_insert(bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapted(mut schema: Value) -> Value {
        adapt(&mut schema);
        schema
    }

    #[test]
    fn formats_of_rust_numbers_become_those_of_kubernetes_with_their_bounds() {
        let of = |format: &str| adapted(json!({ "type": "integer", "format": format }));
        assert_eq!(of("int16"), json!({ "type": "integer", "format": "int32", "minimum": -32768, "maximum": 32767 }));
        assert_eq!(of("uint32"), json!({ "type": "integer", "format": "int64", "minimum": 0, "maximum": 4_294_967_295_u32 }));
        assert_eq!(of("uint64"), json!({ "type": "integer", "format": "int64", "minimum": 0 }));
        assert_eq!(of("int64"), json!({ "type": "integer", "format": "int64" }));
        let narrow = adapted(json!({ "type": "integer", "format": "uint8", "minimum": 1, "maximum": 9 }));
        assert_eq!(narrow, json!({ "type": "integer", "format": "int32", "minimum": 1, "maximum": 9 }));
    }

    #[test]
    fn formats_that_no_server_checks_are_removed_at_any_depth() {
        let leaf = json!({ "type": "string", "format": "partial-date-time" });
        let schema = json!({
            "properties": { "format": leaf, "known": { "type": "string", "format": "date-time" } },
            "additionalProperties": leaf, "items": leaf, "anyOf": [leaf], "default": { "format": "kept" },
        });
        let bare = json!({ "type": "string" });
        let expected = json!({
            "properties": { "format": bare, "known": { "type": "string", "format": "date-time" } },
            "additionalProperties": bare, "items": bare, "anyOf": [bare], "default": { "format": "kept" },
        });
        assert_eq!(adapted(schema), expected);
    }
}
