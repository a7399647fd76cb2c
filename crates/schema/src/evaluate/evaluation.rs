//! Evaluation of the rules of a schema on an object.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::OptionalValue;
use serde_json::Value;

use super::convert::convert;
use crate::cel::{EvaluationFailure, Variables};
use crate::field_error::{FieldError, FieldReason};
use crate::lists::Continued;
use crate::node::{Additional, JsonType, SchemaNode};
use crate::path::ValuePath;
use crate::rules::ValidationRule;

/// The cost limit of one evaluation of a rule, and of all evaluations for one object, as on the real server.
const CALL_LIMIT: u64 = 1_000_000;
const OBJECT_LIMIT: u64 = 10_000_000;

/// The violations of all rules.
#[derive(Debug, Default)]
pub(crate) struct RuleViolations {
    pub(crate) errors: Vec<FieldError>,
    /// Violations at paths whose value did not change.
    pub(crate) let_through: Vec<FieldError>,
}

/// Evaluates all rules of an object at `path`. Rules with `oldSelf` are evaluated for values with a stored counterpart.
pub(crate) fn evaluate(root: &SchemaNode, object: &Value, old: Option<&Value>, path: &ValuePath<'_>) -> RuleViolations {
    let mut evaluation = Evaluation { found: RuleViolations::default(), left: OBJECT_LIMIT };
    let stored = StoredCounterpart { old, same: old.map(|old| old == object), same_above: false };
    // An exhausted budget is reported among the errors.
    let _ = evaluation.walk(root, object, stored, path);
    evaluation.found
}

/// The budget for further rules is exhausted.
struct Spent;

/// The stored counterpart of a value.
#[derive(Clone, Copy)]
struct StoredCounterpart<'v> {
    /// The stored value, to which `oldSelf` refers.
    old: Option<&'v Value>,
    /// True if the two values are equal; `None` if the value has no counterpart to compare with.
    same: Option<bool>,
    /// True if the closest value above that can be compared is unchanged.
    same_above: bool,
}

impl<'v> StoredCounterpart<'v> {
    fn is_unchanged(self) -> bool {
        self.same.unwrap_or(self.same_above)
    }

    fn below(self, value: &Value, old: Option<&'v Value>) -> Self {
        let same = if self.same.is_some() { old.map(|old| old == value) } else { None };
        Self { old, same, same_above: self.is_unchanged() }
    }
}

struct Evaluation {
    found: RuleViolations,
    /// The remaining cost budget.
    left: u64,
}

impl Evaluation {
    fn walk(
        &mut self,
        node: &SchemaNode,
        value: &Value,
        stored: StoredCounterpart<'_>,
        path: &ValuePath<'_>,
    ) -> Result<(), Spent> {
        if value.is_null() || !node.has_rules {
            return Ok(());
        }
        if !node.rules.is_empty() {
            self.rules(node, value, stored, path)?;
        }
        match value {
            Value::Array(items) => {
                let Some(item_node) = node.items.as_deref() else {
                    return Ok(());
                };
                let continued = Continued::of(&node.list, stored.old);
                for (index, item) in items.iter().enumerate() {
                    self.walk(item_node, item, stored.below(item, continued.item(item)), &path.index(index))?;
                }
            }
            Value::Object(members) => {
                for (name, value) in members {
                    let below = stored.below(value, stored.old.and_then(|old| old.get(name)));
                    match (node.properties.get(name), &node.additional) {
                        (Some(property), _) => self.walk(property, value, below, &path.field(name))?,
                        (None, Some(Additional::Schema(member))) => self.walk(member, value, below, &path.key(name))?,
                        (None, _) => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn rules(
        &mut self,
        node: &SchemaNode,
        value: &Value,
        stored: StoredCounterpart<'_>,
        path: &ValuePath<'_>,
    ) -> Result<(), Spent> {
        let target = EvaluatedValue { node, value, path };
        if self.left == 0 {
            self.found.errors.push(target.failed(OUT_OF_BUDGET.to_owned()));
            return Err(Spent);
        }
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
            let is_let_through = stored.is_unchanged() && !rule.programs.is_transition;
            match self.verdict(rule, &variables, &target) {
                RuleVerdict::Kept => {}
                RuleVerdict::Broken(error) if is_let_through => self.found.let_through.push(error),
                RuleVerdict::Broken(error) | RuleVerdict::Failed(error) => self.found.errors.push(error),
                RuleVerdict::Spent { error, in_message } => {
                    let errors = if in_message && is_let_through { &mut self.found.let_through } else { &mut self.found.errors };
                    errors.push(error);
                    return Err(Spent);
                }
            }
        }
        Ok(())
    }

    fn verdict(&mut self, rule: &ValidationRule, variables: Variables<'_>, target: &EvaluatedValue<'_>) -> RuleVerdict {
        let text = if rule.message.is_empty() { rule.expression.trim() } else { rule.message.trim() };
        let Some(program) = &rule.programs.rule else {
            return RuleVerdict::Failed(target.failed("rule compile error: the rule is not valid CEL".to_owned()));
        };
        let spent = |text: String| RuleVerdict::Spent { error: target.failed(text), in_message: false };
        let evaluated = program.evaluate(variables, CALL_LIMIT);
        if evaluated.cost > self.left {
            return spent(OUT_OF_BUDGET.to_owned());
        }
        self.left -= evaluated.cost;
        match evaluated.outcome {
            Ok(Cel::Bool(true)) => RuleVerdict::Kept,
            Ok(Cel::Bool(false)) => match self.message(rule, text, variables) {
                Ok(message) => RuleVerdict::Broken(target.broken(rule, message)),
                Err(problem) => RuleVerdict::Spent { error: target.failed_below(rule, problem), in_message: true },
            },
            Err(failure @ EvaluationFailure::TooDear) => {
                spent(format!("'{failure}': no further validation rules will be run due to call cost exceeds limit for rule: {text}"))
            }
            Ok(_) | Err(EvaluationFailure::NoSuchOverload) => RuleVerdict::Failed(target.failed(format!(
                "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: {text}"
            ))),
            Err(failure) => RuleVerdict::Failed(target.failed(format!("{failure} evaluating rule: {text}"))),
        }
    }

    /// Returns the message of a violation: the result of the message expression, unless it fails or is not a single line of text. Returns an
    /// error if the message expression costs too much.
    fn message(&mut self, rule: &ValidationRule, text: &str, variables: Variables<'_>) -> Result<String, String> {
        const LONGEST: usize = 5 * 1024;
        let usual = || if rule.message.is_empty() { format!("failed rule: {text}") } else { text.to_owned() };
        let Some(program) = &rule.programs.message else {
            return Ok(usual());
        };
        let evaluated = program.evaluate(variables, CALL_LIMIT);
        if evaluated.cost > self.left {
            return Err(
                "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
                    .to_owned(),
            );
        }
        match evaluated.outcome {
            Err(EvaluationFailure::TooDear) => Err(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                Value::from(rule.message_expression.as_str())
            )),
            outcome => {
                self.left -= evaluated.cost;
                Ok(match outcome {
                    Ok(Cel::String(text))
                        if !text.trim().is_empty() && !text.trim().contains('\n') && text.trim().len() <= LONGEST =>
                    {
                        text.trim().to_owned()
                    }
                    _ => usual(),
                })
            }
        }
    }
}

const OUT_OF_BUDGET: &str = "validation failed due to running out of cost budget, no further validation rules will be run";

/// The outcome of a rule.
enum RuleVerdict {
    Kept,
    /// The rule is violated.
    Broken(FieldError),
    /// The rule could not be evaluated.
    Failed(FieldError),
    /// The rule or its message costs more than the remaining budget.
    Spent {
        error: FieldError,
        in_message: bool,
    },
}

/// A value that rules are evaluated on, with its schema and path.
struct EvaluatedValue<'a> {
    node: &'a SchemaNode,
    value: &'a Value,
    path: &'a ValuePath<'a>,
}

impl EvaluatedValue<'_> {
    fn name(&self) -> String {
        match self.path {
            ValuePath::Root => "<nil>".to_owned(),
            path => path.to_string(),
        }
    }

    /// Returns the path at which a violation of a rule is reported.
    fn name_below(&self, rule: &ValidationRule) -> String {
        if rule.field_path.is_empty() { self.name() } else { joined(self.path, &rule.field_path) }
    }

    fn type_name(&self) -> Value {
        self.node.type_.map_or("", JsonType::as_str).into()
    }

    fn failed(&self, problem: String) -> FieldError {
        FieldError::invalid(self.name(), &self.type_name(), problem)
    }

    fn failed_below(&self, rule: &ValidationRule, problem: String) -> FieldError {
        FieldError::invalid(self.name_below(rule), &self.type_name(), problem)
    }

    fn broken(&self, rule: &ValidationRule, message: String) -> FieldError {
        let path = self.name_below(rule);
        // Objects and lists are not quoted.
        let plain = !matches!(self.node.type_, Some(JsonType::Object | JsonType::Array));
        match rule.reason {
            FieldReason::Forbidden => FieldError::forbidden(path, message),
            FieldReason::Required => FieldError::required(path, message),
            FieldReason::Duplicate if plain => FieldError::duplicate(path, self.value),
            FieldReason::Duplicate => FieldError::new(path, FieldReason::Duplicate, "Duplicate value"),
            _ if plain => FieldError::invalid(path, self.value, message),
            _ => FieldError::new(path, FieldReason::Invalid, format!("Invalid value: {message}")),
        }
    }
}

/// Joins a path and a path below it, such as `.a.b` or `['a']`.
fn joined(path: &ValuePath<'_>, below: &str) -> String {
    let below = below.replace("['", "[").replace("']", "]");
    match path {
        ValuePath::Root => below.trim_start_matches('.').to_owned(),
        path => format!("{path}{below}"),
    }
}
