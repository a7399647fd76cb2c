//! Conversion of conditions to and from lists of any type, such as those of k8s-openapi: both sides are JSON.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use super::{Condition, ConditionStatus, Severity};

/// The fields of a condition except its type. Other fields that a type of conditions has are not touched.
const FIELDS: [&str; 6] = ["status", "observedGeneration", "lastTransitionTime", "reason", "message", "severity"];

/// The error of a list whose type cannot hold the conditions.
#[derive(Debug, Error)]
#[error("conditions do not fit into {type_name}: {source}")]
#[non_exhaustive]
pub struct ConditionsError {
    type_name: &'static str,
    source: serde_json::Error,
}

impl ConditionsError {
    pub(super) fn of<T>(source: serde_json::Error) -> Self {
        Self { type_name: std::any::type_name::<T>(), source }
    }
}

/// Returns the conditions in a list of any type, or in an option of one. Entries without a type are skipped; a missing time is the start of Unix
/// time.
pub fn read_list<T: Serialize + ?Sized>(list: &T) -> Vec<Condition> {
    match serde_json::to_value(list) {
        Ok(Value::Array(entries)) => entries.iter().filter_map(condition_of).collect(),
        _ => Vec::new(),
    }
}

/// Replaces the conditions in a list of any type. Of a condition that the list has, only the fields that differ are written, so that its other fields
/// are kept. The list is unchanged if its type cannot hold a condition.
pub fn write_list<T: Serialize + DeserializeOwned>(list: &mut T, conditions: Vec<Condition>) -> Result<(), ConditionsError> {
    let entries = match serde_json::to_value(&*list).map_err(ConditionsError::of::<T>)? {
        Value::Array(entries) => entries,
        _ if conditions.is_empty() => return Ok(()),
        _ => Vec::new(),
    };
    let mut before: BTreeMap<String, Value> =
        entries.into_iter().filter_map(|entry| Some((condition_of(&entry)?.type_, entry))).collect();
    let merged = conditions.into_iter().map(|condition| merged(before.remove(&condition.type_), &condition));
    let merged = merged.collect::<Result<_, _>>().map_err(ConditionsError::of::<T>)?;
    *list = serde_json::from_value(Value::Array(merged)).map_err(ConditionsError::of::<T>)?;
    Ok(())
}

/// Returns the condition in an entry of a list. Malformed fields count as absent.
pub(super) fn condition_of(entry: &Value) -> Option<Condition> {
    let text = |field: &str| entry.get(field).and_then(Value::as_str);
    let type_ = text("type").filter(|type_| !type_.is_empty())?;
    let status = match text("status") {
        Some("True") => ConditionStatus::True,
        Some("False") => ConditionStatus::False,
        _ => ConditionStatus::Unknown,
    };
    let time = text("lastTransitionTime").and_then(|time| time.parse().ok());
    Some(Condition {
        observed_generation: entry.get("observedGeneration").and_then(Value::as_i64),
        last_transition_time: time.unwrap_or(Timestamp::UNIX_EPOCH),
        severity: text("severity").and_then(Severity::named),
        ..Condition::new(type_, status, text("reason").unwrap_or_default(), text("message").unwrap_or_default())
    })
}

fn merged(before: Option<Value>, condition: &Condition) -> serde_json::Result<Value> {
    let after = serde_json::to_value(condition)?;
    let Some(Value::Object(mut entry)) = before else { return Ok(after) };
    let known = match condition_of(&Value::Object(entry.clone())) {
        Some(known) => serde_json::to_value(known)?,
        None => Value::Object(Map::new()),
    };
    for field in FIELDS.into_iter().filter(|field| known.get(field) != after.get(field)) {
        match after.get(field) {
            Some(value) => entry.insert(field.to_owned(), value.clone()),
            None => entry.remove(field),
        };
    }
    Ok(Value::Object(entry))
}
