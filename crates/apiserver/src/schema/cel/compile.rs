//! From the text of a rule to a program, and the errors of a rule that is none.

use kube_cel::cel::Program;
use serde_json::Value;

use crate::schema::node::Node;
use crate::status::{FieldError, FieldReason};

use super::fields;

/// The compiled expressions of a rule.
#[derive(Debug)]
pub(in crate::schema) struct Programs {
    /// Absent when the rule does not compile; such a definition was refused, or is older than the check.
    pub(super) rule: Option<Program>,
    pub(super) message: Option<Program>,
    /// Whether the rule compares with the stored value.
    pub(super) is_transition: bool,
}

impl Programs {
    pub(in crate::schema) fn compile(rule: &str, message: &str) -> Self {
        let rule = Program::compile(rule).ok();
        let message = if message.is_empty() { None } else { Program::compile(message).ok() };
        let is_transition = rule.as_ref().is_some_and(|rule| rule.references().has_variable("oldSelf"));
        Self { rule, message, is_transition }
    }
}

/// What keeps a rule from being accepted; `node` is the schema that it stands at, `field` the path of the rule.
pub(in crate::schema) fn check(rule: &Value, node: &Node, field: &str) -> Vec<FieldError> {
    let text = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut errors = Vec::new();
    let mut compile = |name: &str, shown: String| {
        let problem = match Program::compile(text(name)) {
            // The library frames its excerpt without the leading space.
            Err(error) => Some(error.to_string().replace("\n| ", "\n | ")),
            Ok(program) => fields::check(text(name), program.expression(), node),
        };
        if let Some(problem) = problem {
            let message = format!("Invalid value: {shown}: compilation failed: {problem}");
            errors.push(FieldError::new(format!("{field}.{name}"), FieldReason::Invalid, message));
        }
    };
    if !text("rule").trim().is_empty() {
        compile("rule", shown(rule));
    }
    if !text("messageExpression").is_empty() {
        compile("messageExpression", shown(rule));
    }
    errors
}

/// A rule as the real server prints it: its own struct, with the escapes of its encoder.
fn shown(rule: &Value) -> String {
    let text = |name: &str| quoted(rule.get(name).and_then(Value::as_str).unwrap_or_default());
    let or_null = |name: &str| match rule.get(name) {
        Some(Value::String(text)) => quoted(text),
        Some(other) => other.to_string(),
        None => "null".to_owned(),
    };
    format!(
        "{{\"Rule\":{},\"Message\":{},\"MessageExpression\":{},\"Reason\":{},\"FieldPath\":{},\"OptionalOldSelf\":{}}}",
        text("rule"),
        text("message"),
        text("messageExpression"),
        or_null("reason"),
        text("fieldPath"),
        or_null("optionalOldSelf"),
    )
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
