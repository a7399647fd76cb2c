//! Conditions: lists with one entry per type.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::read::{list, stamp, text};

/// A condition to be set by a rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConditionUpdate<'a> {
    pub(super) kind: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
}

impl<'a> ConditionUpdate<'a> {
    pub(super) fn new(kind: &'a str, status: bool, reason: &'a str, message: &'a str) -> Self {
        Self { kind, status: if status { "True" } else { "False" }, reason, message }
    }

    pub(super) fn unknown(kind: &'a str, reason: &'a str, message: &'a str) -> Self {
        Self { kind, status: "Unknown", reason, message }
    }
}

/// Returns the condition of a type in the status of an object.
pub(super) fn find<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    list(object, "/status/conditions").iter().find(|condition| text(condition, "/type") == kind)
}

/// Returns true if the condition of a type is True.
pub(super) fn is_true(object: &Value, kind: &str) -> bool {
    find(object, kind).is_some_and(|condition| text(condition, "/status") == "True")
}

/// Sets a condition in a list. The transition time changes only with the status; `extra` are further members.
pub(super) fn set(conditions: &mut Vec<Value>, condition: ConditionUpdate<'_>, now: Timestamp, extra: &Value) {
    let position = conditions.iter().position(|present| text(present, "/type") == condition.kind);
    let present = position.map(|index| &conditions[index]);
    let transition = present
        .filter(|present| text(present, "/status") == condition.status)
        .and_then(|present| present.get("lastTransitionTime"))
        .filter(|time| !time.is_null())
        .cloned()
        .unwrap_or_else(|| stamp(now));
    let mut wanted = json!({"type": condition.kind, "status": condition.status, "lastTransitionTime": transition});
    for (member, text) in [("reason", condition.reason), ("message", condition.message)] {
        if !text.is_empty() {
            wanted[member] = text.into();
        }
    }
    for (member, value) in extra.as_object().into_iter().flatten() {
        wanted[member.as_str()] = value.clone();
    }
    match position {
        Some(index) => conditions[index] = wanted,
        None => conditions.push(wanted),
    }
}

/// Returns a copy of the conditions of an object, for editing.
pub(super) fn of(object: &Value) -> Vec<Value> {
    list(object, "/status/conditions").to_vec()
}
