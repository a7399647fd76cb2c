//! Evaluating the rules of a schema on an object.

use std::sync::{Arc, LazyLock};

use kube_cel::KubeCelExt as _;
use kube_cel::cel::objects::OptionalValue;
use kube_cel::cel::{Context, ExecutionError, Program, Value as Cel};
use serde_json::Value;

use crate::schema::node::{ListType, Node};
use crate::schema::path::Path;
use crate::schema::rules::Rule;
use crate::status::{FieldError, FieldReason};

use super::convert::convert;

/// The violations of all rules. Rules with `oldSelf` are evaluated where a value has a stored counterpart; the others are not evaluated
/// where nothing changed.
pub(in crate::schema) fn evaluate(root: &Node, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut evaluation = Evaluation { functions: &FUNCTIONS, errors: Vec::new() };
    evaluation.walk(root, object, old, &Path::Root);
    evaluation.errors
}

/// All functions of Kubernetes, registered once.
static FUNCTIONS: LazyLock<Context<'static>> = LazyLock::new(|| Context::default().with_all());

struct Evaluation {
    functions: &'static Context<'static>,
    errors: Vec<FieldError>,
}

impl Evaluation {
    fn walk(&mut self, node: &Node, value: &Value, old: Option<&Value>, path: &Path<'_>) {
        if value.is_null() || !node.has_rules {
            return;
        }
        if !node.rules.is_empty() {
            self.rules(node, value, old, path);
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
                            old.and_then(|old| old.as_array()?.iter().find(same))
                        }
                        ListType::Atomic | ListType::Set => None,
                    };
                    self.walk(item_node, item, old, &path.index(index));
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    if let Some(member) = node.member(name) {
                        self.walk(member, value, old.and_then(|old| old.get(name)), &path.field(name));
                    }
                }
            }
            _ => {}
        }
    }

    fn rules(&mut self, node: &Node, value: &Value, old: Option<&Value>, path: &Path<'_>) {
        let mut scope = self.functions.new_inner_scope();
        scope.add_variable_from_value("self", convert(value, Some(node), self.functions));
        let old_self = old.map(|old| convert(old, Some(node), self.functions));
        let mut errors = Vec::new();
        for rule in &node.rules {
            let optional = rule.optional_old_self;
            if rule.programs.is_transition {
                match &old_self {
                    Some(old) if optional => {
                        scope.add_variable_from_value("oldSelf", Cel::Opaque(Arc::new(OptionalValue::of(old.clone()))))
                    }
                    Some(old) => scope.add_variable_from_value("oldSelf", old.clone()),
                    None if optional => scope.add_variable_from_value("oldSelf", Cel::Opaque(Arc::new(OptionalValue::none()))),
                    None => continue,
                }
            } else if old == Some(value) {
                continue;
            }
            errors.extend(verdict(rule, &scope, node, path));
        }
        self.errors.extend(errors);
    }
}

fn verdict(rule: &Rule, scope: &Context<'_>, node: &Node, path: &Path<'_>) -> Option<FieldError> {
    let text = if rule.message.is_empty() { rule.expression.trim() } else { rule.message.trim() };
    let place = match path {
        Path::Root => "<nil>".to_owned(),
        path => path.to_string(),
    };
    let broken = |problem: String| {
        let type_name = node.type_.map_or("", crate::schema::node::Type::as_str);
        Some(FieldError::invalid(place.clone(), &type_name.into(), format!("{problem} evaluating rule: {text}")))
    };
    let Some(program) = &rule.programs.rule else {
        return broken("rule compile error: the rule is not valid CEL".to_owned());
    };
    match program.execute(scope) {
        Ok(Cel::Bool(true)) => None,
        Ok(Cel::Bool(false)) => {
            let message = rule.programs.message.as_ref().and_then(|message| expressed(message, scope));
            let message =
                message.unwrap_or_else(|| if rule.message.is_empty() { format!("failed rule: {text}") } else { text.to_owned() });
            let place = if rule.field_path.is_empty() { place } else { joined(path, &rule.field_path) };
            // The value itself is not printed.
            let message = match rule.reason {
                FieldReason::Forbidden => format!("Forbidden: {message}"),
                FieldReason::Required => format!("Required value: {message}"),
                FieldReason::Duplicate => "Duplicate value".to_owned(),
                _ => format!("Invalid value: {message}"),
            };
            Some(FieldError::new(place, rule.reason, message))
        }
        Ok(_) => broken("no such overload: the rule does not yield a boolean".to_owned()),
        Err(error) => broken(explained(&error)),
    }
}

/// The text of a message expression, unless it fails or is no line of text.
fn expressed(message: &Program, scope: &Context<'_>) -> Option<String> {
    match message.execute(scope) {
        Ok(Cel::String(text)) if !text.trim().is_empty() && !text.contains('\n') => Some(text.trim().to_owned()),
        _ => None,
    }
}

fn explained(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::NoSuchOverload => "no such overload".to_owned(),
        ExecutionError::UndeclaredReference(name) => {
            format!("undeclared reference to '{name}' (in container '')")
        }
        ExecutionError::DivisionByZero(_) => "division by zero".to_owned(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_owned(),
        other => {
            let text = other.to_string();
            let mut characters = text.chars();
            characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
        }
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
