//! The rules of `x-kubernetes-validations`, as written.

use serde_json::Value;

use crate::status::FieldReason;

/// One rule of `x-kubernetes-validations`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The CEL expression; `self` is the value, `oldSelf` the stored one.
    pub rule: String,
    /// What a violation says; empty: the rule itself.
    pub message: String,
    /// An expression for the message; empty: none.
    pub message_expression: String,
    /// The reason of the cause of a violation.
    pub reason: FieldReason,
    /// The field that a violation is reported at, relative to the value; empty: the value itself.
    pub field_path: String,
    /// Whether a rule with `oldSelf` is evaluated on create too, with an optional `oldSelf`.
    pub optional_old_self: bool,
}

impl Rule {
    pub(super) fn parse(rule: &Value) -> Self {
        let text = |field: &str| {
            rule.get(field)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let reason = match rule.get("reason").and_then(Value::as_str) {
            Some("FieldValueForbidden") => FieldReason::Forbidden,
            Some("FieldValueRequired") => FieldReason::Required,
            Some("FieldValueDuplicate") => FieldReason::Duplicate,
            _ => FieldReason::Invalid,
        };
        Self {
            rule: text("rule"),
            message: text("message"),
            message_expression: text("messageExpression"),
            reason,
            field_path: text("fieldPath"),
            optional_old_self: rule.get("optionalOldSelf") == Some(&Value::Bool(true)),
        }
    }

    /// Whether the rule compares with the stored value.
    pub fn is_transition(&self) -> bool {
        // A name in a text literal counts too: the rule is then skipped on create, as the real server would not. Rules like that are unheard of.
        self.rule.contains("oldSelf")
    }
}
