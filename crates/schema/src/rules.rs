//! The rules of `x-kubernetes-validations`, as written.

use serde_json::Value;

use crate::field_error::FieldReason;

/// One rule of `x-kubernetes-validations`.
#[derive(Debug)]
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "only counted where rules are not evaluated"))]
pub(crate) struct ValidationRule {
    /// The CEL expression; `self` is the value, `oldSelf` the stored one.
    pub(crate) expression: String,
    /// The message of a violation; if it is empty, the rule itself is quoted.
    pub(crate) message: String,
    /// The expression that computes the message of a violation; empty if there is none.
    pub(crate) message_expression: String,
    /// The reason of the cause of a violation.
    pub(crate) reason: FieldReason,
    /// The path at which a violation is reported, relative to the value; empty for the value itself.
    pub(crate) field_path: String,
    /// True if a rule with `oldSelf` is evaluated on create too, with an optional `oldSelf`.
    pub(crate) optional_old_self: bool,
    /// The compiled expressions.
    #[cfg(feature = "cel")]
    pub(crate) programs: crate::cel::Programs,
}

impl ValidationRule {
    pub(crate) fn parse(rule: &Value) -> Self {
        let text = |field: &str| rule.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let reason = match rule.get("reason").and_then(Value::as_str) {
            Some("FieldValueForbidden") => FieldReason::Forbidden,
            Some("FieldValueRequired") => FieldReason::Required,
            Some("FieldValueDuplicate") => FieldReason::Duplicate,
            _ => FieldReason::Invalid,
        };
        Self {
            expression: text("rule"),
            message: text("message"),
            message_expression: text("messageExpression"),
            reason,
            field_path: text("fieldPath"),
            optional_old_self: rule.get("optionalOldSelf") == Some(&Value::Bool(true)),
            #[cfg(feature = "cel")]
            programs: crate::cel::Programs::compile(&text("rule"), &text("messageExpression")),
        }
    }
}
