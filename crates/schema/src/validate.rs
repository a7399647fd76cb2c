//! Checks of values against a schema, with the texts of the real server.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde_json::{Map, Number, Value};

use crate::field_error::FieldError;
use crate::limit::MOST_NOTED;
use crate::lists::Continued;
use crate::node::{JsonType, SchemaNode, ValueChecks};
use crate::path::ValuePath;
use crate::{format, number};

/// Checks an object. Values that are equal in `old` are not checked again.
pub(crate) fn object(root: &SchemaNode, object: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut errors = BoundedErrors::default();
    check_value(root, object, old, &ValuePath::Root, &mut errors);
    errors.errors
}

/// The errors found so far. Their total size is limited, because each may repeat a path or a list of allowed values that is as long as a body.
#[derive(Debug, Default)]
struct BoundedErrors {
    errors: Vec<FieldError>,
    bytes: usize,
}

impl BoundedErrors {
    fn push(&mut self, error: FieldError) {
        self.bytes += error.field.len() + error.message.len();
        self.errors.push(error);
    }

    fn is_full(&self) -> bool {
        self.bytes > MOST_NOTED
    }
}

/// Checks a single value at a path, such as a default.
pub(crate) fn at(node: &SchemaNode, found: &Value, path: &ValuePath<'_>) -> Vec<FieldError> {
    let mut errors = BoundedErrors::default();
    check_value(node, found, None, &ValuePath::Root, &mut errors);
    for error in &mut errors.errors {
        error.field = if error.field == "<nil>" { path.to_string() } else { format!("{path}.{}", error.field) };
    }
    errors.errors
}

fn check_value(node: &SchemaNode, value: &Value, old: Option<&Value>, path: &ValuePath<'_>, errors: &mut BoundedErrors) {
    if old == Some(value) || errors.is_full() {
        return;
    }
    if value.is_null() {
        if !node.nullable && (node.type_.is_some() || node.int_or_string) {
            errors.push(wrong_type(node, value, path));
        }
        // A permitted null must also be one of the allowed values.
        check_enumeration(&node.checks, value, path, errors);
        return;
    }
    if !has_type(node, value) {
        errors.push(wrong_type(node, value, path));
    }
    // All checks run whatever the type is; each ignores values that it does not apply to.
    check_enumeration(&node.checks, value, path, errors);
    match value {
        Value::String(text) => check_string(&node.checks, text, value, path, errors),
        Value::Number(found) => check_number(node, found, value, path, errors),
        Value::Array(items) => check_list(node, items, old, path, errors),
        Value::Object(members) => check_members(node, members, old, path, errors),
        Value::Null | Value::Bool(_) => {}
    }
    check_combinations(&node.checks, value, old, path, errors);
}

fn check_string(checks: &ValueChecks, text: &str, value: &Value, path: &ValuePath<'_>, errors: &mut BoundedErrors) {
    if let Some(format) = &checks.format
        && !format::matches(format, text)
    {
        errors.push(FieldError::type_invalid(field(path), value, format!("{path} in body must be of type {format}: {value}")));
    }
    // Of length and pattern, only the first violation is reported.
    let length = text.chars().count() as u64;
    if let Some(max) = checks.max_length
        && length > max
    {
        errors.push(FieldError::too_long(field(path), max as usize));
    } else if let Some(min) = checks.min_length
        && length < min
    {
        errors.push(invalid(path, value, &format!("should be at least {min} chars long")));
    } else if let Some(pattern) = &checks.pattern
        && !pattern.regex.is_match(text)
    {
        errors.push(invalid(path, value, &format!("should match '{}'", pattern.source)));
    }
}

fn check_number(node: &SchemaNode, found: &Number, value: &Value, path: &ValuePath<'_>, errors: &mut BoundedErrors) {
    let checks = &node.checks;
    if let Some(problem) = out_of_range(node, found) {
        let detail = format!("Checked value must be of type {problem} in {path}");
        errors.push(FieldError::invalid("<nil>", &Value::from(""), detail));
    }
    let ordering = |limit: &Number| number::compare(found, limit);
    if let Some(of) = &checks.multiple_of {
        // For whole numbers, the real server truncates the factor to a whole number, which may be zero.
        let whole = found.is_i64() || found.is_u64();
        if whole && of.as_f64().is_some_and(|of| of < 1.0) {
            let detail = format!("factor MultipleOf declared for {path} must be positive: 0");
            errors.push(FieldError::invalid(field(path), &0.into(), detail));
        } else if !number::is_multiple(found, of) {
            errors.push(invalid(path, value, &format!("should be a multiple of {}", number::limit_text(of))));
        }
    }
    if let Some(max) = &checks.maximum {
        let limit = number::limit_text(max);
        match (ordering(max), checks.exclusive_maximum) {
            (Some(Ordering::Greater), false) => {
                errors.push(invalid(path, value, &format!("should be less than or equal to {limit}")));
            }
            (Some(Ordering::Greater | Ordering::Equal), true) => {
                errors.push(invalid(path, value, &format!("should be less than {limit}")));
            }
            _ => {}
        }
    }
    if let Some(min) = &checks.minimum {
        let limit = number::limit_text(min);
        match (ordering(min), checks.exclusive_minimum) {
            (Some(Ordering::Less), false) => {
                errors.push(invalid(path, value, &format!("should be greater than or equal to {limit}")));
            }
            (Some(Ordering::Less | Ordering::Equal), true) => {
                errors.push(invalid(path, value, &format!("should be greater than {limit}")));
            }
            _ => {}
        }
    }
}

fn check_list(node: &SchemaNode, items: &[Value], old: Option<&Value>, path: &ValuePath<'_>, errors: &mut BoundedErrors) {
    let checks = &node.checks;
    let count = items.len() as u64;
    if let Some(item_node) = &node.items {
        let continued = Continued::of(&node.list, old);
        for (index, item) in items.iter().enumerate() {
            check_value(item_node, item, continued.item(item), &path.index(index), errors);
        }
    }
    if let Some(min) = checks.min_items
        && count < min
    {
        errors.push(invalid(path, &count.into(), &format!("should have at least {min} items")));
    }
    if let Some(max) = checks.max_items
        && count > max
    {
        errors.push(FieldError::too_many(field(path), items.len(), max as usize));
    }
    let mut seen = HashSet::new();
    if checks.unique_items && !items.iter().all(|item| seen.insert(item.to_string())) {
        errors.push(invalid(path, &Value::Array(items.to_vec()), "shouldn't contain duplicates"));
    }
}

fn check_members(
    node: &SchemaNode,
    members: &Map<String, Value>,
    old: Option<&Value>,
    path: &ValuePath<'_>,
    errors: &mut BoundedErrors,
) {
    let checks = &node.checks;
    let count = members.len() as u64;
    if let Some(min) = checks.min_properties
        && count < min
    {
        errors.push(invalid(path, &count.into(), &format!("should have at least {min} properties")));
    }
    if let Some(max) = checks.max_properties
        && count > max
    {
        errors.push(FieldError::too_many(field(path), members.len(), max as usize));
    }
    for name in checks.required.iter().filter(|name| !members.contains_key(*name)) {
        if errors.is_full() {
            return;
        }
        errors.push(FieldError::required(field(&path.field(name)), ""));
    }
    for (name, value) in members {
        let Some(member) = node.member(name) else {
            continue;
        };
        let old = old.and_then(|old| old.get(name));
        check_value(member, value, old, &path.field(name), errors);
    }
}

fn check_combinations(
    checks: &ValueChecks,
    value: &Value,
    old: Option<&Value>,
    path: &ValuePath<'_>,
    errors: &mut BoundedErrors,
) {
    let attempt = |node: &SchemaNode| {
        let mut errors = BoundedErrors::default();
        check_value(node, value, old, path, &mut errors);
        errors.errors
    };
    let mut complain = |text: &str| {
        let quoted = Value::String(path.to_string());
        errors.push(FieldError::invalid("<nil>", &Value::String(String::new()), format!("{quoted} {text}")));
    };
    let mut details = Vec::new();
    if !checks.any_of.is_empty() {
        let attempts: Vec<_> = checks.any_of.iter().map(attempt).collect();
        if attempts.iter().all(|errors| !errors.is_empty()) {
            complain("must validate at least one schema (anyOf)");
            details.extend(fewest(attempts));
        }
    }
    if !checks.one_of.is_empty() {
        let attempts: Vec<_> = checks.one_of.iter().map(attempt).collect();
        match attempts.iter().filter(|errors| errors.is_empty()).count() {
            1 => {}
            0 => {
                complain("must validate one and only one schema (oneOf). Found none valid");
                details.extend(fewest(attempts));
            }
            valid => complain(&format!("must validate one and only one schema (oneOf). Found {valid} valid alternatives")),
        }
    }
    if !checks.all_of.is_empty() {
        let attempts: Vec<_> = checks.all_of.iter().map(attempt).collect();
        let failed = attempts.iter().filter(|errors| !errors.is_empty()).count();
        if failed > 0 {
            let none = if failed == checks.all_of.len() { ". None validated" } else { "" };
            details.extend(attempts.into_iter().flatten());
            let detail = format!("\"{path}\" must validate all the schemas (allOf){none}");
            details.push(FieldError::invalid("<nil>", &Value::from(""), detail));
        }
    }
    if checks.not.as_ref().is_some_and(|not| attempt(not).is_empty()) {
        complain("must not validate the schema (not)");
    }
    for error in details {
        errors.push(error);
    }
}

fn check_enumeration(checks: &ValueChecks, value: &Value, path: &ValuePath<'_>, errors: &mut BoundedErrors) {
    if checks.enumeration.is_empty() || checks.enumeration.iter().any(|allowed| is_allowed(allowed, value)) {
        return;
    }
    let allowed: Vec<_> =
        checks.enumeration.iter().map(|allowed| allowed.as_str().map_or_else(|| allowed.to_string(), str::to_owned)).collect();
    let allowed: Vec<_> = allowed.iter().map(String::as_str).collect();
    errors.push(FieldError::not_supported(field(path), value, &allowed));
}

/// Returns true if a value equals the allowed one. The real server converts a number to the type of the allowed number before it compares them,
/// so a fraction equals a whole number if its whole part does.
fn is_allowed(allowed: &Value, value: &Value) -> bool {
    match (allowed.as_i64(), value) {
        (Some(allowed), Value::Number(found)) if found.is_f64() => found.as_f64().is_some_and(|found| found as i64 == allowed),
        _ => equal(allowed, value),
    }
}

fn wrong_type(node: &SchemaNode, value: &Value, path: &ValuePath<'_>) -> FieldError {
    let found = Value::String(type_name(value).to_owned());
    let wanted = if node.int_or_string { "integer,string" } else { node.type_.map_or("", JsonType::as_str) };
    FieldError::type_invalid(field(path), &found, format!("{path} in body must be of type {wanted}: {found}"))
}

fn invalid(path: &ValuePath<'_>, value: &Value, text: &str) -> FieldError {
    FieldError::invalid(field(path), value, format!("{path} in body {text}"))
}

/// Returns the type whose range a number exceeds, by the name that the real server uses.
fn out_of_range(node: &SchemaNode, found: &Number) -> Option<String> {
    let format = node.checks.format.as_deref();
    let fits = match (node.type_, format) {
        (Some(JsonType::Integer), Some("int32")) => number::integer(found).is_some_and(|found| i32::try_from(found).is_ok()),
        (Some(JsonType::Integer), _) => number::integer(found).is_some_and(|found| i64::try_from(found).is_ok()),
        (Some(JsonType::Number), Some("float")) => found.as_f64().is_some_and(|found| found.abs() <= f64::from(f32::MAX)),
        _ => true,
    };
    let type_name = node.type_.map_or("", JsonType::as_str);
    (!fits).then(|| match format {
        Some(format) => format!("{type_name} with format {format}"),
        None => format!("{type_name} (default format)"),
    })
}

/// Returns the path as causes show it.
fn field(path: &ValuePath<'_>) -> String {
    match path {
        ValuePath::Root => "<nil>".to_owned(),
        path => path.to_string(),
    }
}

/// Returns the errors of the alternative with the fewest errors.
fn fewest(attempts: Vec<Vec<FieldError>>) -> Vec<FieldError> {
    attempts.into_iter().min_by_key(Vec::len).unwrap_or_default()
}

fn has_type(node: &SchemaNode, value: &Value) -> bool {
    if node.int_or_string {
        return match value {
            Value::String(_) => true,
            Value::Number(number) => number::is_integral(number),
            _ => false,
        };
    }
    let Some(type_) = node.type_ else { return true };
    match (type_, value) {
        (JsonType::Object, Value::Object(_))
        | (JsonType::Array, Value::Array(_))
        | (JsonType::String, Value::String(_))
        | (JsonType::Boolean, Value::Bool(_))
        | (JsonType::Number, Value::Number(_)) => true,
        (JsonType::Integer, Value::Number(number)) => number::is_integral(number),
        // The real server accepts lists for strings with a format.
        (JsonType::String, Value::Array(_)) => node.checks.format.is_some(),
        _ => false,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => number::compare(a, b) == Some(Ordering::Equal),
        _ => a == b,
    }
}
