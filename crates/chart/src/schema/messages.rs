//! The texts of violations in the words of Helm's validator.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::schema_type::schema_type;

/// Returns the text of the errors that one keyword found at one value.
pub(super) fn message(group: &[&ValidationError<'_>]) -> String {
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
        ValidationErrorKind::UniqueItems => equal_items(value),
        ValidationErrorKind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default().to_owned();
            format!("invalid propertyName {}", quoted(&name))
        }
        _ => error.to_string(),
    }
}

/// Returns the text about the first items that are equal.
fn equal_items(value: &Value) -> String {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let pairs = (1..items.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
    let equal = pairs.into_iter().find(|(first, second)| items[*first] == items[*second]);
    equal.map_or_else(|| "'uniqueItems' failed".to_owned(), |(first, second)| format!("items at {first} and {second} are equal"))
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
pub(super) fn quoted(text: &str) -> String {
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
