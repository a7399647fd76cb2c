//! The operations of a JSON patch at a path of a document.

use std::io;

use serde_json::{Map, Value};

use super::json::OperationError;
use crate::object::{MAX_NESTING, dismantle, is_nested_deeper};

/// The largest total size of all copies of one patch, as JSON.
pub const MAX_COPIED_BYTES: usize = 3 * 1024 * 1024;

/// The target of a path: a member of an object or an item of a list, which may be absent.
enum PathTarget<'a> {
    Member(&'a mut Map<String, Value>, String),
    Item(&'a mut Vec<Value>, String),
}

fn resolve<'a>(document: &'a mut Value, path: &str) -> Result<PathTarget<'a>, OperationError> {
    let nowhere = || OperationError::NotFound(path.to_owned());
    let (parents, last) = split(path).ok_or_else(nowhere)?;
    let mut at = document;
    for step in parents {
        at = match at {
            Value::Object(members) => members.get_mut(&step),
            Value::Array(items) => counted(items.len(), &step).and_then(|index| items.get_mut(index)),
            _ => None,
        }
        .ok_or_else(nowhere)?;
    }
    match at {
        Value::Object(members) => Ok(PathTarget::Member(members, last)),
        Value::Array(items) => Ok(PathTarget::Item(items, last)),
        _ => Err(nowhere()),
    }
}

/// Returns the value at a path; `None` for a member that an object does not have.
pub(super) fn get<'a>(document: &'a Value, path: &str) -> Result<Option<&'a Value>, OperationError> {
    let nowhere = || OperationError::NotFound(path.to_owned());
    let (parents, last) = split(path).ok_or_else(nowhere)?;
    let step = |at: &'a Value, step: &str| match at {
        Value::Object(members) => members.get(step),
        Value::Array(items) => counted(items.len(), step).and_then(|index| items.get(index)),
        _ => None,
    };
    let parent = parents.iter().try_fold(document, |at, name| step(at, name)).ok_or_else(nowhere)?;
    match parent {
        Value::Object(members) => Ok(members.get(&last)),
        Value::Array(_) => step(parent, &last).map(Some).ok_or_else(nowhere),
        _ => Err(nowhere()),
    }
}

/// Copies a value, unless it is nested too deep or exceeds the total size of copies.
pub(super) fn copy(value: Option<&Value>, copied: &mut usize) -> Result<Value, OperationError> {
    let Some(value) = value else { return Ok(Value::Null) };
    if is_nested_deeper(value, MAX_NESTING) {
        return Err(OperationError::TooDeep);
    }
    let mut room = Room(MAX_COPIED_BYTES - *copied);
    serde_json::to_writer(&mut room, value).map_err(|_| OperationError::TooMuchCopied)?;
    *copied = MAX_COPIED_BYTES - room.0;
    Ok(value.clone())
}

/// A writer that counts the printed bytes, until its limit is reached.
struct Room(usize);

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Adds a value at a path.
pub(super) fn add(document: &mut Value, path: &str, value: Value) -> Result<(), OperationError> {
    match resolve(document, path)? {
        PathTarget::Member(members, name) => {
            if let Some(previous) = members.insert(name, value) {
                dismantle(previous);
            }
        }
        PathTarget::Item(items, step) if step == "-" => items.push(value),
        PathTarget::Item(items, step) => {
            let index = counted(items.len() + 1, &step).ok_or_else(|| OperationError::NotFound(path.to_owned()))?;
            items.insert(index, value);
        }
    }
    Ok(())
}

/// Removes and returns the value at a path.
pub(super) fn remove(document: &mut Value, path: &str) -> Result<Value, OperationError> {
    let removed = match resolve(document, path)? {
        PathTarget::Member(members, name) => members.remove(&name),
        PathTarget::Item(items, step) => counted(items.len(), &step).map(|index| items.remove(index)),
    };
    removed.ok_or_else(|| OperationError::NotFound(path.to_owned()))
}

/// Replaces the value at a path.
pub(super) fn replace(document: &mut Value, path: &str, value: Value) -> Result<(), OperationError> {
    if path.is_empty() {
        if !value.is_object() && !value.is_array() {
            return Err(OperationError::Root);
        }
        dismantle(std::mem::replace(document, value));
        return Ok(());
    }
    match resolve(document, path)? {
        PathTarget::Member(members, name) => {
            if let Some(previous) = members.insert(name, value) {
                dismantle(previous);
            }
        }
        PathTarget::Item(items, step) => {
            let item = counted(items.len(), &step).and_then(|index| items.get_mut(index));
            dismantle(std::mem::replace(item.ok_or_else(|| OperationError::NotFound(path.to_owned()))?, value));
        }
    }
    Ok(())
}

/// Fails if the value at a path is another one.
pub(super) fn test(document: &Value, path: &str, value: &Value) -> Result<(), OperationError> {
    let found = if path.is_empty() { Some(document) } else { get(document, path)? };
    if found.unwrap_or(&Value::Null) == value { Ok(()) } else { Err(OperationError::Differs(path.to_owned())) }
}

/// Splits a pointer into its steps and the last one.
fn split(path: &str) -> Option<(Vec<String>, String)> {
    let mut steps: Vec<String> = path.split('/').skip(1).map(unescape).collect();
    let last = steps.pop()?;
    Some((steps, last))
}

/// Unescapes a step: `~1` is a slash and `~0` a tilde.
fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Parses an index below a bound; negative ones count from the bound.
fn counted(bound: usize, step: &str) -> Option<usize> {
    let index: i64 = step.parse().ok()?;
    let index = if index < 0 { index.checked_add(i64::try_from(bound).ok()?)? } else { index };
    usize::try_from(index).ok().filter(|index| *index < bound)
}
