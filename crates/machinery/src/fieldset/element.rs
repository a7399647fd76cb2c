//! One step from a value to a part of it.

use std::cmp::Ordering;
use std::fmt;

use serde_json::{Number, Value};

/// One step of a [`Path`](super::Path). Elements sort fields first, then keys, values and indexes; then by content.
#[derive(Clone, Debug)]
pub enum PathElement {
    /// A field of a map.
    Field(Box<str>),
    /// The item of a list with these values in its key fields, which are sorted by name.
    Key(Vec<(String, Value)>),
    /// The member of a set.
    Value(Value),
    /// The item at a position.
    Index(i64),
}

impl PathElement {
    /// Creates the element of a field of a map.
    pub fn field(name: impl Into<Box<str>>) -> Self {
        Self::Field(name.into())
    }

    /// Creates the element of a list item with these key fields, in any order.
    pub fn key(fields: impl IntoIterator<Item = (impl Into<String>, Value)>) -> Self {
        let mut fields: Vec<_> = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
        fields.sort_by(|(a, _), (b, _)| a.cmp(b));
        Self::Key(fields)
    }

    /// Returns the rank among the kinds of elements.
    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl Ord for PathElement {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(a), Self::Field(b)) => a.cmp(b),
            (Self::Key(a), Self::Key(b)) => compare_keys(a, b),
            (Self::Value(a), Self::Value(b)) => compare_values(a, b),
            (Self::Index(a), Self::Index(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for PathElement {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement {}

/// Prints `.name`, `[key="value"]`, `[="value"]` or `[3]`.
impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Key(fields) => {
                f.write_str("[")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    let comma = if index > 0 { "," } else { "" };
                    write!(f, "{comma}{name}={value}")?;
                }
                f.write_str("]")
            }
            Self::Value(value) => write!(f, "[={value}]"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn compare_keys(a: &[(String, Value)], b: &[(String, Value)]) -> Ordering {
    a.iter()
        .zip(b)
        .map(|((name_a, value_a), (name_b, value_b))| name_a.cmp(name_b).then_with(|| compare_values(value_a, value_b)))
        .find(|order| order.is_ne())
        .unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// Compares values in the order in which servers print set members: numbers, strings, booleans, lists, maps, null.
fn compare_values(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => a
            .iter()
            .zip(b)
            .map(|(a, b)| compare_values(a, b))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| a.len().cmp(&b.len())),
        (Value::Object(a), Value::Object(b)) => a
            .iter()
            .zip(b)
            .map(|((name_a, a), (name_b, b))| name_a.cmp(name_b).then_with(|| compare_values(a, b)))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| a.len().cmp(&b.len())),
        _ => value_rank(a).cmp(&value_rank(b)),
    }
}

fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    match (a.as_i64(), b.as_i64(), a.as_u64(), b.as_u64()) {
        (Some(a), Some(b), _, _) => a.cmp(&b),
        (_, _, Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let (float_a, float_b) = (a.as_f64().unwrap_or_default(), b.as_f64().unwrap_or_default());
            // 1 and 1.0 are different texts, so they must not be equal elements.
            float_a.total_cmp(&float_b).then_with(|| a.to_string().cmp(&b.to_string()))
        }
    }
}

fn value_rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}
