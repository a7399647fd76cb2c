//! Reading of TOML, as BurntSushi's decoder does it: integers are `int64`, times are `time.Time`.

use std::collections::BTreeMap;

use toml::Value;
use toml::value::Datetime;

use super::budget::MOST_VALUES;
use crate::value::{ElementType, GoList, GoMap, GoObject, GoString, GoValue, MapType};

/// Reads a document.
pub(super) fn read(text: &GoString) -> Result<GoMap, String> {
    let text = std::str::from_utf8(text.as_bytes()).map_err(|_| "toml: invalid UTF-8".to_owned())?;
    // One of these stands before each value.
    let values = text.bytes().filter(|byte| matches!(byte, b'=' | b',' | b'[')).count();
    if values > MOST_VALUES {
        return Err(format!("toml: the text has more than {MOST_VALUES} values"));
    }
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| message(text, &error))?;
    Ok(map(table))
}

fn map(table: toml::Table) -> GoMap {
    let entries: BTreeMap<GoString, GoValue> = table.into_iter().map(|(key, item)| (key.into(), value(item))).collect();
    GoMap::new(entries, MapType::Any)
}

fn value(item: Value) -> GoValue {
    match item {
        Value::String(text) => GoValue::string(text),
        Value::Integer(number) => GoValue::int64(number),
        Value::Float(number) => GoValue::Float(number),
        Value::Boolean(value) => GoValue::Bool(value),
        Value::Datetime(time) => GoValue::object(TomlTime(time)),
        Value::Array(items) => {
            let are_tables = !items.is_empty() && items.iter().all(Value::is_table);
            let element = if are_tables { ElementType::Map } else { ElementType::Any };
            GoValue::List(GoList::new(items.into_iter().map(value).collect(), element))
        }
        Value::Table(table) => GoValue::Map(map(table)),
    }
}

/// Returns the error of a text, worded as Go's where the reason is the same.
fn message(text: &str, error: &toml::de::Error) -> String {
    const NO_VALUE: &str = "key with no value, expected `=`";
    let start = error.span().map_or(0, |span| span.start).min(text.len());
    let (before, after) = text.split_at_checked(start).unwrap_or((text, ""));
    let line = before.matches('\n').count() + 1;
    let reason = match error.message() {
        NO_VALUE if after.contains('\n') => "expected key separator '=', but got '\\n' instead",
        NO_VALUE => "unexpected EOF; expected key separator '='",
        other => other,
    };
    format!("toml: line {line}: {reason}")
}

/// A date, a time, or both.
#[derive(Debug)]
struct TomlTime(Datetime);

impl GoObject for TomlTime {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "time.Time"
    }

    fn encoded(&self) -> Option<GoValue> {
        Some(GoValue::string(self.0.to_string()))
    }

    fn text(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}
