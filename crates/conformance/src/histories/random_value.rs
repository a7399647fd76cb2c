//! Random values for a schema, the same for the same seed.

use kubewright_middleware::Seed;
use serde_json::{Map, Value, json};

use super::random_schema::{below, once_in, one_of};

const WORDS: [&str; 5] = ["x", "y", "abc", "zz9", ""];

/// Returns a random value for a schema. If `wild` is set, some values violate the schema.
pub(super) fn value_of(dice: &Seed, schema: &Value, wild: bool) -> Value {
    if wild && once_in(dice, 25) {
        return junk(dice);
    }
    if schema["nullable"] == true && once_in(dice, 5) {
        return Value::Null;
    }
    if let Some(choices) = schema["enum"].as_array()
        && !(wild && once_in(dice, 8))
    {
        return choices[below(dice, choices.len())].clone();
    }
    match schema["type"].as_str() {
        Some("string") => text(dice, schema, wild),
        Some("integer") => number(dice, schema, wild).into(),
        Some("number") if wild && once_in(dice, 2) => json!(1.5),
        Some("number") => number(dice, schema, wild).into(),
        Some("boolean") => (below(dice, 2) == 0).into(),
        Some("array") => list(dice, schema, wild),
        Some("object") => object(dice, schema, wild),
        _ if schema["x-kubernetes-int-or-string"] == true => {
            if once_in(dice, 2) {
                "x".into()
            } else {
                below(dice, 4).into()
            }
        }
        _ => anything(dice),
    }
}

fn text(dice: &Seed, schema: &Value, wild: bool) -> Value {
    if let Some(format) = schema["format"].as_str()
        && !(wild && once_in(dice, 4))
    {
        return match format {
            "date-time" => "2026-01-02T03:04:05Z",
            "date" => "2026-01-02",
            "duration" => "5m",
            "byte" => "aGk=",
            "ipv4" => "10.0.0.1",
            "uuid" => "12345678-1234-4234-8234-123456789abc",
            "email" => "a@b.co",
            _ => "a.b",
        }
        .into();
    }
    if wild { one_of(dice, &WORDS).into() } else { "x".into() }
}

fn number(dice: &Seed, schema: &Value, wild: bool) -> u64 {
    if wild { below(dice, 9) as u64 } else { schema["minimum"].as_u64().map_or(4, |least| (least + 1).next_multiple_of(2)) }
}

fn list(dice: &Seed, schema: &Value, wild: bool) -> Value {
    let is_set = matches!(schema["x-kubernetes-list-type"].as_str(), Some("set" | "map"));
    let count = if wild { below(dice, 4) } else { 1 };
    let mut items: Vec<Value> = Vec::new();
    for _ in 0..count {
        let item = value_of(dice, &schema["items"], wild);
        let keys = |item: &Value| match schema["x-kubernetes-list-map-keys"].as_array() {
            Some(keys) => keys.iter().filter_map(|key| item.get(key.as_str()?)).cloned().collect::<Vec<_>>(),
            None => vec![item.clone()],
        };
        if is_set && items.iter().any(|other| keys(other) == keys(&item)) && !(wild && once_in(dice, 6)) {
            continue;
        }
        items.push(item);
    }
    items.into()
}

fn object(dice: &Seed, schema: &Value, wild: bool) -> Value {
    if schema["x-kubernetes-embedded-resource"] == true {
        return json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": one_of(dice, &["a", "b"])}, "extra": below(dice, 2)});
    }
    let mut members = Map::new();
    if schema["additionalProperties"].is_object() {
        for _ in 0..below(dice, 3) {
            members.insert(one_of(dice, &["a", "b", "c"]).to_owned(), value_of(dice, &schema["additionalProperties"], wild));
        }
        return members.into();
    }
    let required = |name: &str| schema["required"].as_array().is_some_and(|required| required.iter().any(|field| field == name));
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let wanted = if required(name) { !(wild && once_in(dice, 12)) } else { once_in(dice, 2) };
        if wanted {
            members.insert(name.clone(), value_of(dice, property, wild));
        }
    }
    if schema["x-kubernetes-preserve-unknown-fields"] == true && once_in(dice, 2) || wild && once_in(dice, 12) {
        members.insert("unknown".to_owned(), anything(dice));
    }
    members.into()
}

fn anything(dice: &Seed) -> Value {
    let values = [json!({}), json!({"a": 1, "b": {"c": [1, 2]}}), json!("x"), json!([1]), json!(3)];
    values[below(dice, values.len())].clone()
}

fn junk(dice: &Seed) -> Value {
    let values = [
        Value::Null,
        json!("junk"),
        json!(-7),
        json!(1.25),
        json!(true),
        json!([]),
        json!({}),
        json!(["x", "x"]),
        json!({"q": 1}),
    ];
    values[below(dice, values.len())].clone()
}
