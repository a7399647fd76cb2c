//! Finding a field by its path, through lists, and creating it.

use kubewright_machinery::object::json_type;
use serde_json::{Map, Value};

use super::spec::FieldSpec;
use crate::error::BuildProblem;

/// The largest number of steps of a path.
const MAX_STEPS: usize = 100;

/// The type of a field that is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Created {
    /// No field is created.
    Nothing,
    Scalar,
    Map,
}

/// Calls `set` with every value that the path of a field leads to. Lists on the way are passed item by item. The kind of the object is not looked at.
pub(crate) fn change(
    object: &mut Value,
    spec: &FieldSpec,
    created: Created,
    set: &mut dyn FnMut(&mut Value) -> Result<(), BuildProblem>,
) -> Result<(), BuildProblem> {
    let steps = split_path(&spec.path, '/');
    if steps.len() > MAX_STEPS {
        return Err(BuildProblem(format!("the path of a field has {} steps, more than the allowed {MAX_STEPS}", steps.len())));
    }
    let created = if spec.create { created } else { Created::Nothing };
    descend(object, &steps, created, set).map_err(|problem| problem.within(format_args!("considering field '{}'", spec.path)))
}

fn descend(
    at: &mut Value,
    steps: &[String],
    created: Created,
    set: &mut dyn FnMut(&mut Value) -> Result<(), BuildProblem>,
) -> Result<(), BuildProblem> {
    let Some((step, rest)) = steps.split_first() else { return set(at) };
    match at {
        Value::Null => Ok(()),
        Value::Array(items) => items.iter_mut().try_for_each(|item| descend(item, steps, created, set)),
        Value::Object(members) => {
            let (name, is_list) = step.strip_suffix("[]").map_or((step.as_str(), false), |name| (name, true));
            if name.is_empty() {
                return Err(BuildProblem::new("cannot set or create an empty field name"));
            }
            if let Some(empty) = empty_value(created, is_list, rest.is_empty()) {
                let member = members.entry(name).or_insert(Value::Null);
                if member.is_null() {
                    *member = empty;
                }
            }
            match members.get_mut(name) {
                Some(member) if is_list && member.is_null() => Ok(()),
                Some(member) => descend(member, rest, created, set),
                None => Ok(()),
            }
        }
        other => Err(BuildProblem(format!("expected sequence or mapping node, found {}", json_type(other)))),
    }
}

/// Refuses a value that is a list or a map.
pub(crate) fn expect_scalar(value: &Value) -> Result<(), BuildProblem> {
    match value {
        Value::Array(_) | Value::Object(_) => Err(BuildProblem(format!("expected a scalar, found {}", json_type(value)))),
        _ => Ok(()),
    }
}

/// Returns the value that a field gets before it is set.
fn empty_value(created: Created, is_list: bool, is_last: bool) -> Option<Value> {
    match created {
        _ if is_list => None,
        Created::Nothing => None,
        Created::Scalar if is_last => Some(Value::String(String::new())),
        Created::Scalar | Created::Map => Some(Value::Object(Map::new())),
    }
}

/// Splits a path; a backslash before the delimiter escapes it, and a delimiter at the start is left out.
pub(crate) fn split_path(path: &str, delimiter: char) -> Vec<String> {
    let mut parts = path.split(delimiter).peekable();
    if path.contains(delimiter) && parts.peek() == Some(&"") {
        parts.next();
    }
    let mut steps: Vec<String> = Vec::new();
    for part in parts {
        match steps.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => {
                last.pop();
                last.push(delimiter);
                last.push_str(part);
            }
            None => steps.push(part.to_owned()),
        }
    }
    steps
}
