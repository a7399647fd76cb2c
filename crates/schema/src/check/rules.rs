//! Checks of rules: the fields of `x-kubernetes-validations`, their compilation, and their costs.

use serde_json::Value;

use super::{Object, flag, text};
use crate::field_error::FieldError;
use crate::field_path;
use crate::parse::list;
use crate::path::ValuePath;

/// The cost limit of one rule, and of all rules of a schema together, in the units of the real server.
#[cfg(feature = "cel")]
const RULE_LIMIT: u64 = 10_000_000;
const SCHEMA_LIMIT: u64 = 100_000_000;

const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

/// Checks the parts of a rule that need no compilation.
pub(super) fn spelling(schema: &Object, path: &ValuePath<'_>, errors: &mut Vec<FieldError>) {
    let all = path.field("x-kubernetes-validations");
    for (index, rule) in list(schema, "x-kubernetes-validations").iter().enumerate() {
        let rule_path = all.index(index);
        let (expression, message, field) = (string(rule, "rule"), string(rule, "message"), string(rule, "fieldPath"));
        let at = |name: &str| rule_path.field(name).to_string();
        if expression.trim().is_empty() {
            errors.push(FieldError::required(at("rule"), "rule is not specified"));
        } else if !message.is_empty() && message.trim().is_empty() {
            errors.push(FieldError::invalid(at("message"), &message.into(), "must be non-empty if specified"));
        } else if has_newlines(message.trim()) {
            errors.push(FieldError::invalid(at("message"), &message.into(), "must not contain line breaks"));
        } else if has_newlines(expression.trim()) && message.trim().is_empty() {
            let detail = "message must be specified if rule contains line breaks";
            errors.push(FieldError::required(at("message"), detail));
        }
        let message = string(rule, "messageExpression");
        if !message.is_empty() && message.trim().is_empty() {
            let detail = "messageExpression must be non-empty if specified";
            errors.push(FieldError::required(at("messageExpression"), detail));
        }
        if let Some(reason) = rule.get("reason").and_then(Value::as_str)
            && !REASONS.contains(&reason)
        {
            errors.push(FieldError::not_supported(at("reason"), &reason.into(), &REASONS));
        }
        if !field.is_empty() {
            if field.trim().is_empty() {
                errors.push(FieldError::invalid(at("fieldPath"), &field.into(), "must be non-empty if specified"));
            }
            if has_newlines(field) {
                errors.push(FieldError::invalid(at("fieldPath"), &field.into(), "must not contain line breaks"));
            }
            if field_path::resolve(field, schema, true).is_err() {
                errors.push(FieldError::invalid(at("fieldPath"), &field.into(), "must be a valid path"));
            }
        }
    }
}

fn string<'a>(rule: &'a Value, name: &str) -> &'a str {
    rule.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn has_newlines(text: &str) -> bool {
    text.contains(['\n', '\r'])
}

/// The properties of a rule that follow from the schemas above it.
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "only rules that can be compiled are estimated"))]
pub(super) struct RuleScope<'a> {
    /// The maximal number of values at the path in one object; `None` if there is no bound.
    cardinality: Option<u64>,
    root: bool,
    uncorrelatable: Option<&'a str>,
}

impl RuleScope<'_> {
    pub(super) fn root() -> Self {
        Self { cardinality: Some(1), root: true, uncorrelatable: None }
    }

    /// Returns the scope of a schema directly below `schema`.
    pub(super) fn child(&self, schema: &Object, _child: &Object) -> Self {
        let times = |field: &str| schema.get(field).and_then(Value::as_i64).map(|limit| limit.max(0).unsigned_abs());
        let factor = match text(schema, "type") {
            "object" if schema.get("additionalProperties").is_some_and(|additional| !additional.is_null()) => {
                times("maxProperties")
            }
            "array" => times("maxItems"),
            _ => Some(1),
        };
        let cardinality = self.cardinality.zip(factor).map(|(cardinality, factor)| cardinality.saturating_mul(factor));
        Self { cardinality, root: false, uncorrelatable: None }
    }

    /// Returns the scope of the rules of `schema` itself, with the properties of its own path.
    pub(super) fn here<'b>(&self, schema: &Object, root: bool, uncorrelatable: Option<&'b str>) -> RuleScope<'b> {
        let root = root || flag(schema, "x-kubernetes-embedded-resource");
        RuleScope { cardinality: self.cardinality, root, uncorrelatable }
    }
}

/// The estimated costs of all rules of a schema.
#[cfg_attr(not(feature = "cel"), expect(dead_code, reason = "only rules that can be compiled are estimated"))]
pub(super) struct Costs {
    unchanged: bool,
    total: u64,
    /// The most expensive rules with their paths.
    dearest: Vec<(u64, String)>,
}

impl Costs {
    pub(super) fn new(unchanged: bool) -> Self {
        Self { unchanged, total: 0, dearest: Vec::new() }
    }

    /// Returns the errors of a schema whose rules together exceed the cost limit.
    pub(super) fn verdict(self, path: &ValuePath<'_>) -> Vec<FieldError> {
        if self.total <= SCHEMA_LIMIT {
            return Vec::new();
        }
        let detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
        let dearest = self.dearest.into_iter().map(|(_, rule_path)| FieldError::forbidden(rule_path, detail));
        let total = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        dearest.chain([FieldError::forbidden(path.to_string(), too_dear(total, self.total, SCHEMA_LIMIT))]).collect()
    }

    #[cfg(feature = "cel")]
    fn add(&mut self, cost: u64, rule_path: &str) {
        const SHOWN: usize = 4;
        self.total = self.total.saturating_add(cost);
        if cost >= SCHEMA_LIMIT / 100 {
            self.dearest.push((cost, rule_path.to_owned()));
            self.dearest.sort_by(|(a, _), (b, _)| b.cmp(a));
            self.dearest.truncate(SHOWN);
        }
    }
}

fn too_dear(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where \
         arrays, maps, and strings are declared)"
    )
}

#[cfg(not(feature = "cel"))]
pub(super) fn check(_: &Object, _: &RuleScope<'_>, _: &ValuePath<'_>, _: &mut Costs) -> Vec<FieldError> {
    Vec::new()
}

/// Compiles the rules at one path.
#[cfg(feature = "cel")]
pub(super) fn check(schema: &Object, scope: &RuleScope<'_>, path: &ValuePath<'_>, costs: &mut Costs) -> Vec<FieldError> {
    use crate::cel::{self, WantedType};
    use crate::field_error::FieldReason;

    let rules = list(schema, "x-kubernetes-validations");
    if rules.is_empty() {
        return Vec::new();
    }
    let all = path.field("x-kubernetes-validations");
    let Some(declared) = cel::DeclaredType::of(schema, scope.root) else {
        let detail = "Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to \
                      convert structural schema to CEL declarations";
        return vec![FieldError::new(all.to_string(), FieldReason::Internal, detail)];
    };
    // If a list or map on the path has no bound, an object can hold as many of these values as fit into a request.
    let often = scope.cardinality.unwrap_or_else(|| declared.most_in_a_request());
    let mut errors = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let rule_path = all.index(index);
        let at = |name: &str| rule_path.field(name).to_string();
        let optional = rule.get("optionalOldSelf").and_then(Value::as_bool);
        let compiled = declared.compile(string(rule, "rule"), WantedType::Verdict, optional == Some(true));
        let cost = compiled.as_ref().map_or(0, |compiled| compiled.cost.saturating_mul(often));
        if !costs.unchanged && cost > RULE_LIMIT {
            errors.push(FieldError::forbidden(at("rule"), too_dear("estimated rule cost", cost, RULE_LIMIT)));
        }
        costs.add(cost, &at("rule"));
        let mut uses_old_self = false;
        match compiled {
            Err(problem) => errors.push(refused(at("rule"), rule, &problem)),
            Ok(compiled) => {
                uses_old_self = compiled.uses_old_self;
                let expression = string(rule, "messageExpression");
                if !expression.is_empty() {
                    match declared.compile(expression, WantedType::Message, optional == Some(true)) {
                        Err(problem) => errors.push(refused(at("messageExpression"), rule, &problem)),
                        Ok(message) => {
                            if !costs.unchanged && message.cost > RULE_LIMIT {
                                let detail = too_dear("estimated messageExpression cost", message.cost, RULE_LIMIT);
                                errors.push(FieldError::forbidden(at("messageExpression"), detail));
                            }
                            costs.add(message.cost, &at("messageExpression"));
                        }
                    }
                }
            }
        }
        if uses_old_self {
            if let Some(above) = scope.uncorrelatable {
                let detail = format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {above}");
                errors.push(FieldError::invalid(at("rule"), &string(rule, "rule").into(), detail));
            }
        } else if let Some(optional) = optional {
            let detail = "may not be set if oldSelf is not used in rule";
            errors.push(FieldError::invalid(at("optionalOldSelf"), &optional.into(), detail));
        }
    }
    errors
}

#[cfg(feature = "cel")]
fn refused(field: String, rule: &Value, problem: &str) -> FieldError {
    let message = format!("Invalid value: {}: {problem}", shown(rule));
    FieldError::new(field, crate::field_error::FieldReason::Invalid, message)
}

/// Returns a rule as the real server quotes it: its internal struct, with the escapes of its encoder.
#[cfg(feature = "cel")]
fn shown(rule: &Value) -> String {
    let text = |name: &str| quoted(string(rule, name));
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

#[cfg(feature = "cel")]
fn quoted(text: &str) -> String {
    Value::from(text).to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
