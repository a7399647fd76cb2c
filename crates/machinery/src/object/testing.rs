//! Arbitrary JSON values for property tests.

use proptest::prelude::*;
use serde_json::{Map, Value};

/// Generates any value, up to a few levels deep.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Multiples of an eighth are exact in any decimal parser.
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Removes the nulls of maps, which patches treat as absent fields.
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            map.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name, without_nulls(value))).collect()
        }
        other => other,
    }
}
