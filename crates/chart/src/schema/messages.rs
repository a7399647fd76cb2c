//! Violations of a schema in the words of Helm's validator.

use std::collections::BTreeMap;
use std::fmt::Write;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::schema_type::schema_type;

/// Returns the violations, one per line; None if there are none.
pub(super) fn violations(validator: &Validator, values: &Value) -> Option<String> {
    let errors: Vec<ValidationError<'_>> = validator.iter_errors(values).collect();
    if errors.is_empty() {
        return None;
    }
    let mut text = String::new();
    push_all(&mut text, errors.iter().collect(), 0);
    Some(text)
}

fn push_all(text: &mut String, errors: Vec<&ValidationError<'_>>, depth: usize) {
    for group in grouped(errors) {
        let Some(first) = group.first() else { continue };
        let path = quoted(first.instance_path().as_str());
        text.push_str(&"  ".repeat(depth));
        let _ = writeln!(text, "- at {path}: {}", message(&group));
        if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } = first.kind() {
            for errors in context {
                push_all(text, errors.iter().collect(), depth + 1);
            }
        }
    }
}

/// Groups errors by the keyword that found them. Of a schema whose type, constant, enumeration or format does not fit, only that is reported.
fn grouped<'a, 'i>(errors: Vec<&'a ValidationError<'i>>) -> Vec<Vec<&'a ValidationError<'i>>> {
    let paths = |error: &ValidationError<'_>| {
        let schema = error.schema_path().as_str();
        let parent = schema.rsplit_once('/').map_or("", |(parent, _)| parent);
        (error.instance_path().as_str().to_owned(), parent.to_owned())
    };
    let mut first_rank: BTreeMap<(String, String), usize> = BTreeMap::new();
    for error in &errors {
        let rank = first_rank.entry(paths(error)).or_insert(usize::MAX);
        *rank = (*rank).min(rank_of(error.kind()));
    }
    let mut groups: Vec<((String, String), Vec<&ValidationError<'_>>)> = Vec::new();
    for error in errors {
        let rank = first_rank.get(&paths(error)).copied().unwrap_or(usize::MAX);
        if rank < usize::MAX && rank_of(error.kind()) != rank {
            continue;
        }
        let key = (error.instance_path().as_str().to_owned(), error.schema_path().as_str().to_owned());
        match groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, group)) => group.push(error),
            None => groups.push((key, vec![error])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Returns the order of the keywords that end a validation.
const fn rank_of(kind: &ValidationErrorKind) -> usize {
    match kind {
        ValidationErrorKind::Type { .. } => 0,
        ValidationErrorKind::Constant { .. } => 1,
        ValidationErrorKind::Enum { .. } => 2,
        ValidationErrorKind::Format { .. } => 3,
        _ => usize::MAX,
    }
}

fn message(group: &[&ValidationError<'_>]) -> String {
    let Some(error) = group.first() else { return String::new() };
    let value = error.instance();
    let count = |value: &Value| match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(fields) => fields.len(),
        _ => 0,
    };
    match error.kind() {
        ValidationErrorKind::Type { kind } => {
            let wanted: Vec<String> = match kind {
                TypeKind::Single(wanted) => vec![wanted.to_string()],
                TypeKind::Multiple(wanted) => wanted.iter().map(|wanted| wanted.to_string()).collect(),
            };
            format!("got {}, want {}", schema_type(value), wanted.join(" or "))
        }
        ValidationErrorKind::Required { .. } => {
            let names: Vec<String> = group
                .iter()
                .filter_map(|error| match error.kind() {
                    ValidationErrorKind::Required { property } => property.as_str().map(quoted),
                    _ => None,
                })
                .collect();
            let noun = if names.len() == 1 { "property" } else { "properties" };
            format!("missing {noun} {}", names.join(", "))
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names: Vec<String> = unexpected.iter().map(|name| quoted(name)).collect();
            format!("additional properties {} not allowed", names.join(", "))
        }
        ValidationErrorKind::Enum { options } => match options.as_array() {
            Some(options) if options.iter().all(|option| !option.is_array() && !option.is_object()) => {
                let shown: Vec<String> = options.iter().map(shown).collect();
                if shown.len() == 1 {
                    format!("value must be {}", shown[0])
                } else {
                    format!("value must be one of {}", shown.join(", "))
                }
            }
            _ => "'enum' failed".to_owned(),
        },
        ValidationErrorKind::Constant { expected_value } => match &**expected_value {
            Value::Array(_) | Value::Object(_) => "'const' failed".to_owned(),
            expected => format!("value must be {}", shown(expected)),
        },
        ValidationErrorKind::Format { format } => format!("{} is not valid {format}", shown(value)),
        ValidationErrorKind::Pattern { pattern } => format!("{} does not match pattern {}", shown(value), quoted(pattern)),
        ValidationErrorKind::MinLength { limit } => format!("minLength: got {}, want {limit}", count(value)),
        ValidationErrorKind::MaxLength { limit } => format!("maxLength: got {}, want {limit}", count(value)),
        ValidationErrorKind::MinItems { limit } => format!("minItems: got {}, want {limit}", count(value)),
        ValidationErrorKind::MaxItems { limit } => format!("maxItems: got {}, want {limit}", count(value)),
        ValidationErrorKind::MinProperties { limit } => format!("minProperties: got {}, want {limit}", count(value)),
        ValidationErrorKind::MaxProperties { limit } => format!("maxProperties: got {}, want {limit}", count(value)),
        ValidationErrorKind::Minimum { limit } => format!("minimum: got {value}, want {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("maximum: got {value}, want {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("exclusiveMinimum: got {value}, want {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("exclusiveMaximum: got {value}, want {limit}"),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("multipleOf: got {value}, want {multiple_of}"),
        ValidationErrorKind::AdditionalItems { limit } => {
            format!("last {} additionalItem(s) not allowed", count(value).saturating_sub(*limit))
        }
        ValidationErrorKind::AnyOf { .. } => "'anyOf' failed".to_owned(),
        ValidationErrorKind::OneOfNotValid { .. } => "'oneOf' failed, none matched".to_owned(),
        ValidationErrorKind::OneOfMultipleValid { context } => {
            let matched: Vec<String> =
                context.iter().enumerate().filter(|(_, errors)| errors.is_empty()).map(|(index, _)| index.to_string()).collect();
            format!("'oneOf' failed, subschemas {} matched", matched.get(..2).unwrap_or(&matched).join(", "))
        }
        ValidationErrorKind::Not { .. } => "'not' failed".to_owned(),
        ValidationErrorKind::FalseSchema => "false schema".to_owned(),
        ValidationErrorKind::Contains => "no items match contains schema".to_owned(),
        ValidationErrorKind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default().to_owned();
            format!("invalid propertyName {}", quoted(&name))
        }
        _ => error.to_string(),
    }
}

/// Returns a plain value as the validator shows it.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Null => "<nil>".to_owned(),
        Value::Array(_) | Value::Object(_) => "value".to_owned(),
        other => other.to_string(),
    }
}

/// Returns a text between apostrophes, with the escapes of Go.
fn quoted(text: &str) -> String {
    let escaped = text.split('"').map(|part| {
        let part = format!("{part:?}");
        part[1..part.len() - 1].replace('\'', "\\'")
    });
    format!("'{}'", escaped.collect::<Vec<_>>().join("\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_texts_escape_apostrophes_and_control_characters_alone() {
        for (text, expected) in [
            ("a b", "'a b'"),
            ("it's", "'it\\'s'"),
            ("\"a\"", "'\"a\"'"),
            ("\\", "'\\\\'"),
            ("\\\"", "'\\\\\"'"),
            ("a\nb", "'a\\nb'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(text), expected, "{text}");
        }
    }
}
