//! Paths of replacements: names, `[key=value]`, indexes, and `*`.

use kubewright_machinery::object::json_type;
use serde_json::{Map, Value};

use crate::error::BuildProblem;
use crate::fields::split_path;
use crate::resource::scalar_text;
use crate::text_pattern::TextPattern;

/// The type of the last field of a path, if the path is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CreatedLeaf {
    Nothing,
    Scalar,
    Map,
    List,
}

/// Splits a path at its dots; those in brackets and those behind a backslash do not split.
pub(super) fn split(path: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let mut parts = split_path(path, '.').into_iter();
    while let Some(mut step) = parts.next() {
        if step.starts_with('[') && !step.ends_with(']') {
            for part in parts.by_ref() {
                let ends = part.ends_with(']');
                step = format!("{step}.{part}");
                if ends {
                    break;
                }
            }
            if !step.contains('=') {
                step.retain(|character| character != '[' && character != ']');
            }
        }
        steps.push(step);
    }
    steps
}

/// Returns the field and the value of a step `[key=value]`; the field is empty for `[=value]`.
fn item_step(step: &str) -> Option<(&str, &str)> {
    step.strip_prefix('[')?.strip_suffix(']')?.split_once('=')
}

/// Returns the value at a path, which must be unique.
pub(super) fn look_up<'a>(root: &'a Value, steps: &[String]) -> Result<Option<&'a Value>, BuildProblem> {
    let mut at = root;
    for step in steps.iter().map(|step| step.trim()).filter(|step| !step.is_empty()) {
        if step == "*" {
            return Err(BuildProblem::new("wildcard is not supported in the path of a source"));
        }
        let index = step.parse::<i64>();
        let next = match at {
            Value::Null => None,
            Value::Array(items) if step == "-" => items.last(),
            Value::Array(items) => match (index, item_step(step)) {
                (Ok(index), _) => items
                    .get(usize::try_from(index).map_err(|_| BuildProblem(format!("array index {index} cannot be negative")))?),
                (Err(_), Some((field, wanted))) => {
                    items.iter().find(|item| field_text(item, field).is_some_and(|text| text == wanted))
                }
                (Err(_), None) => {
                    return Err(BuildProblem(format!("the step {step:?} leads into a list; use an index or [key=value]")));
                }
            },
            Value::Object(members) if item_step(step).is_none() => members.get(step),
            other => return Err(BuildProblem(format!("the step {step:?} leads into {}", json_type(other)))),
        };
        let Some(next) = next else { return Ok(None) };
        at = next;
    }
    Ok(Some(at))
}

/// Returns the text of a field of an item, or of the item itself for the empty field.
fn field_text(item: &Value, field: &str) -> Option<String> {
    let value = if field.is_empty() { Some(item) } else { item.get(field) };
    value.map(scalar_text)
}

/// Calls `set` with every value that a path leads to, and returns their number. Absent fields are created if `leaf` says so.
pub(super) fn visit(
    at: &mut Value,
    steps: &[String],
    leaf: CreatedLeaf,
    set: &mut dyn FnMut(&mut Value) -> Result<(), BuildProblem>,
) -> Result<usize, BuildProblem> {
    let Some((step, rest)) = steps.split_first() else { return set(at).map(|()| 1) };
    if step.parse::<usize>().is_ok() || item_step(step).is_some() || step == "*" {
        let items = match at {
            Value::Array(items) => items,
            Value::Null => return Ok(0),
            other => return Err(BuildProblem(format!("the step {step:?} needs a list, but there is {}", json_type(other)))),
        };
        return visit_items(items, step, rest, leaf, set);
    }
    let members = match at {
        Value::Object(members) => members,
        Value::Null => return Ok(0),
        other => return Err(BuildProblem(format!("the step {step:?} needs a map, but there is {}", json_type(other)))),
    };
    if leaf != CreatedLeaf::Nothing && members.get(step.as_str()).is_none_or(|member| member.is_null() && !rest.is_empty()) {
        members.insert(step.clone(), created(rest.first(), leaf));
    }
    members.get_mut(step.as_str()).map_or(Ok(0), |member| visit(member, rest, leaf, set))
}

fn visit_items(
    items: &mut Vec<Value>,
    step: &str,
    rest: &[String],
    leaf: CreatedLeaf,
    set: &mut dyn FnMut(&mut Value) -> Result<(), BuildProblem>,
) -> Result<usize, BuildProblem> {
    if let Ok(index) = step.parse::<usize>() {
        if index == items.len() && leaf != CreatedLeaf::Nothing {
            items.push(created(rest.first(), leaf));
        }
        let found = items.len();
        let item = items
            .get_mut(index)
            .ok_or_else(|| BuildProblem(format!("index {index} specified but only {found} elements found")))?;
        return visit(item, rest, leaf, set);
    }
    let Some((field, wanted)) = item_step(step) else {
        return items.iter_mut().try_fold(0, |count, item| Ok(count + visit(item, rest, leaf, set)?));
    };
    let pattern =
        TextPattern::part(wanted).map_err(|error| BuildProblem(format!("{wanted:?} is not a regular expression: {error}")))?;
    // The path of a scalar item ends with it.
    let rest = if field.is_empty() { &[] } else { rest };
    let count = visit_matching(items, field, &pattern, rest, leaf, set)?;
    if count > 0 || leaf == CreatedLeaf::Nothing {
        return Ok(count);
    }
    items.push(match field {
        "" => wanted.into(),
        field => Value::Object(Map::from_iter([(field.to_owned(), wanted.into())])),
    });
    visit_matching(items, field, &pattern, rest, leaf, set)
}

fn visit_matching(
    items: &mut [Value],
    field: &str,
    pattern: &TextPattern,
    rest: &[String],
    leaf: CreatedLeaf,
    set: &mut dyn FnMut(&mut Value) -> Result<(), BuildProblem>,
) -> Result<usize, BuildProblem> {
    let mut matching = items.iter_mut().filter(|item| field_text(item, field).is_some_and(|text| pattern.is_match(text.trim())));
    matching.try_fold(0, |count, item| Ok(count + visit(item, rest, leaf, set)?))
}

/// Returns the value of a field that is created: of the last one the leaf, of others what the next step needs.
fn created(next: Option<&String>, leaf: CreatedLeaf) -> Value {
    match (next, leaf) {
        (None, CreatedLeaf::List) => Value::Array(Vec::new()),
        (None, CreatedLeaf::Map) => Value::Object(Map::new()),
        (None, CreatedLeaf::Scalar | CreatedLeaf::Nothing) => Value::Null,
        (Some(next), _) if item_step(next).is_some() || next.parse::<usize>().is_ok() => Value::Array(Vec::new()),
        (Some(_), _) => Value::Object(Map::new()),
    }
}
