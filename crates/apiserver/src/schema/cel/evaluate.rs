//! Evaluating the rules of a schema on an object.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::OptionalValue;
use serde_json::Value;

use crate::schema::node::{Additional, ListType, Node, Type};
use crate::schema::path::Path;
use crate::schema::rules::Rule;
use crate::status::{FieldError, FieldReason};

use super::convert::convert;
use super::interpreter::{Failure, Program, Variables};

/// The violations of all rules.
#[derive(Debug, Default)]
pub(in crate::schema) struct Found {
    pub(in crate::schema) errors: Vec<FieldError>,
    /// Violations in places that did not change.
    pub(in crate::schema) let_through: Vec<FieldError>,
}

/// Evaluates all rules of an object that stands at `path`. Rules with `oldSelf` are evaluated where a value has a stored counterpart.
pub(in crate::schema) fn evaluate(root: &Node, object: &Value, old: Option<&Value>, path: &Path<'_>) -> Found {
    let mut evaluation = Evaluation { found: Found::default() };
    let stored = Stored { old, same: old.map(|old| old == object), same_above: false };
    evaluation.walk(root, object, stored, path);
    evaluation.found
}

/// What is known of the value that a value replaces.
#[derive(Clone, Copy)]
struct Stored<'v> {
    /// The stored counterpart, which `oldSelf` is.
    old: Option<&'v Value>,
    /// Whether the two are equal, where they can be compared.
    same: Option<bool>,
    /// Whether the closest place above that can be compared is unchanged.
    same_above: bool,
}

impl<'v> Stored<'v> {
    fn is_unchanged(self) -> bool {
        self.same.unwrap_or(self.same_above)
    }

    fn below(self, value: &Value, old: Option<&'v Value>) -> Self {
        let same = if self.same.is_some() { old.map(|old| old == value) } else { None };
        Self { old, same, same_above: self.is_unchanged() }
    }
}

struct Evaluation {
    found: Found,
}

impl Evaluation {
    fn walk(&mut self, node: &Node, value: &Value, stored: Stored<'_>, path: &Path<'_>) {
        if value.is_null() || !node.has_rules {
            return;
        }
        if !node.rules.is_empty() {
            self.rules(node, value, stored, path);
        }
        match value {
            Value::Array(items) => {
                let Some(item_node) = node.items.as_deref() else {
                    return;
                };
                for (index, item) in items.iter().enumerate() {
                    let old = match &node.list {
                        ListType::Map(keys) => {
                            let same = |old: &&Value| keys.iter().all(|key| old.get(key) == item.get(key));
                            stored.old.and_then(|old| old.as_array()?.iter().find(same))
                        }
                        ListType::Atomic | ListType::Set => None,
                    };
                    self.walk(item_node, item, stored.below(item, old), &path.index(index));
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let below = stored.below(value, stored.old.and_then(|old| old.get(name)));
                    match (node.properties.get(name), &node.additional) {
                        (Some(property), _) => self.walk(property, value, below, &path.field(name)),
                        (None, Some(Additional::Schema(member))) => self.walk(member, value, below, &path.key(name)),
                        (None, _) => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn rules(&mut self, node: &Node, value: &Value, stored: Stored<'_>, path: &Path<'_>) {
        let this = convert(value, Some(node));
        let old_self = stored.old.filter(|old| !old.is_null()).map(|old| convert(old, Some(node)));
        for rule in &node.rules {
            let mut variables = vec![("self", this.clone())];
            if rule.programs.is_transition {
                let old = match (&old_self, rule.optional_old_self) {
                    (Some(old), true) => Cel::Opaque(Arc::new(OptionalValue::of(old.clone()))),
                    (Some(old), false) => old.clone(),
                    (None, true) => Cel::Opaque(Arc::new(OptionalValue::none())),
                    (None, false) => continue,
                };
                variables.push(("oldSelf", old));
            }
            match verdict(rule, &variables, node, value, path) {
                None => {}
                Some((error, Cause::Broken)) if stored.is_unchanged() && !rule.programs.is_transition => {
                    self.found.let_through.push(error);
                }
                Some((error, _)) => self.found.errors.push(error),
            }
        }
    }
}

/// Why a rule makes an object invalid.
#[derive(Clone, Copy, PartialEq)]
enum Cause {
    /// The rule says no.
    Broken,
    /// The rule has no answer.
    Failed,
}

fn verdict(rule: &Rule, variables: Variables<'_>, node: &Node, value: &Value, path: &Path<'_>) -> Option<(FieldError, Cause)> {
    let text = if rule.message.is_empty() { rule.expression.trim() } else { rule.message.trim() };
    let place = match path {
        Path::Root => "<nil>".to_owned(),
        path => path.to_string(),
    };
    let failed = |problem: String| {
        let type_name = node.type_.map_or("", Type::as_str);
        Some((FieldError::invalid(place.clone(), &type_name.into(), problem), Cause::Failed))
    };
    let Some(program) = &rule.programs.rule else {
        return failed("rule compile error: the rule is not valid CEL".to_owned());
    };
    match program.evaluate(variables) {
        Ok(Cel::Bool(true)) => None,
        Ok(Cel::Bool(false)) => {
            let message = rule.programs.message.as_ref().and_then(|message| expressed(message, variables));
            let message =
                message.unwrap_or_else(|| if rule.message.is_empty() { format!("failed rule: {text}") } else { text.to_owned() });
            let place = if rule.field_path.is_empty() { place } else { joined(path, &rule.field_path) };
            // Objects and lists are not printed.
            let plain = !matches!(node.type_, Some(Type::Object | Type::Array));
            let error = match rule.reason {
                FieldReason::Forbidden => FieldError::forbidden(place, message),
                FieldReason::Required => FieldError::required(place, message),
                FieldReason::Duplicate if plain => FieldError::duplicate(place, value),
                FieldReason::Duplicate => FieldError::new(place, FieldReason::Duplicate, "Duplicate value"),
                _ if plain => FieldError::invalid(place, value, message),
                _ => FieldError::new(place, FieldReason::Invalid, format!("Invalid value: {message}")),
            };
            Some((error, Cause::Broken))
        }
        Ok(_) | Err(Failure::NoSuchOverload) => failed(format!(
            "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: {text}"
        )),
        Err(failure) => failed(format!("{failure} evaluating rule: {text}")),
    }
}

/// The text of a message expression, unless it fails or is no line of text.
fn expressed(message: &Program, variables: Variables<'_>) -> Option<String> {
    const LONGEST: usize = 5 * 1024;
    match message.evaluate(variables) {
        Ok(Cel::String(text))
            if !text.trim().is_empty() && !text.trim().contains(['\n', '\r']) && text.trim().len() <= LONGEST =>
        {
            Some(text.trim().to_owned())
        }
        _ => None,
    }
}

/// A path below a place: `.a.b` or `['a']`.
fn joined(path: &Path<'_>, below: &str) -> String {
    let below = below.replace("['", "[").replace("']", "]");
    match path {
        Path::Root => below.trim_start_matches('.').to_owned(),
        path => format!("{path}{below}"),
    }
}
