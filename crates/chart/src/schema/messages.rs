//! Violations of a schema in the words of Helm's validator.

use std::collections::BTreeMap;
use std::fmt::Write;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::schema_type::schema_type;

/// The errors that one keyword found at one value.
type KeywordErrors<'a, 'i> = Vec<&'a ValidationError<'i>>;

/// Returns the violations, one per line; None if there are none.
pub(super) fn violations(validator: &Validator, values: &Value) -> Option<String> {
    let errors: Vec<ValidationError<'_>> = validator.iter_errors(values).collect();
    if errors.is_empty() {
        return None;
    }
    let mut text = String::new();
    let (path, violations) = common_part(String::new(), grouped(errors.iter().collect()));
    if matches!(common_keyword(&violations), "$ref" | "allOf") {
        push_whole(&mut text, path, violations, 0);
    } else {
        push_within(&mut text, &path, violations, 0);
    }
    Some(text)
}

/// Returns the keyword of the innermost schema that found all violations, such as `$ref` or `allOf`; the empty text for none.
fn common_keyword<'a>(violations: &[KeywordErrors<'a, '_>]) -> &'a str {
    let mut paths = violations.iter().flatten().map(|error| error.evaluation_path().as_str().split('/'));
    let first: Vec<&str> = paths.next().into_iter().flatten().collect();
    let shared = paths.fold(first, |shared, path| {
        shared.into_iter().zip(path).take_while(|(one, other)| one == other).map(|(one, _)| one).collect()
    });
    shared.last().copied().unwrap_or_default()
}

/// Prints the violations of a value and of its parts: those of the value itself, and each part with all of its violations.
fn push_within(text: &mut String, path: &str, violations: Vec<KeywordErrors<'_, '_>>, depth: usize) {
    for (part, violations) in by_part(path, violations) {
        match part {
            None => violations.iter().for_each(|errors| push(text, errors, depth)),
            Some(part) => push_whole(text, part, violations, depth),
        }
    }
}

/// Prints the violations in a value, below a line of the value if there are several.
fn push_whole(text: &mut String, path: String, violations: Vec<KeywordErrors<'_, '_>>, depth: usize) {
    let (path, violations) = common_part(path, violations);
    if violations.len() == 1 {
        for errors in &violations {
            push(text, errors, depth);
        }
    } else {
        let failed = if common_keyword(&violations) == "allOf" { "'allOf' failed" } else { "validation failed" };
        let _ = writeln!(text, "{}- at {}: {failed}", "  ".repeat(depth), quoted(&path));
        push_within(text, &path, violations, depth + 1);
    }
}

/// Returns the path of the innermost value that has all of these violations, which are in the value of a path.
fn common_part<'a, 'i>(path: String, violations: Vec<KeywordErrors<'a, 'i>>) -> (String, Vec<KeywordErrors<'a, 'i>>) {
    let mut parts = by_part(&path, violations);
    match parts.pop() {
        Some((Some(part), violations)) if parts.is_empty() => common_part(part, violations),
        last => (path, parts.into_iter().chain(last).flat_map(|(_, violations)| violations).collect()),
    }
}

/// Divides the violations in the value of a path: each of the value itself (None), and those of each of its parts, in the order of the first ones.
fn by_part<'a, 'i>(path: &str, violations: Vec<KeywordErrors<'a, 'i>>) -> Vec<(Option<String>, Vec<KeywordErrors<'a, 'i>>)> {
    let mut parts: Vec<(Option<String>, Vec<KeywordErrors<'a, 'i>>)> = Vec::new();
    for errors in violations {
        let at = errors.first().map_or("", |error| error.instance_path().as_str());
        let inside = at.strip_prefix(path).and_then(|inside| inside.strip_prefix('/'));
        let part = inside.map(|inside| format!("{path}/{}", inside.split('/').next().unwrap_or_default()));
        match parts.iter_mut().find(|(known, _)| part.is_some() && *known == part) {
            Some((_, known)) => known.push(errors),
            None => parts.push((part, vec![errors])),
        }
    }
    parts
}

fn push(text: &mut String, errors: &KeywordErrors<'_, '_>, depth: usize) {
    let Some(first) = errors.first() else { return };
    let path = quoted(first.instance_path().as_str());
    let _ = writeln!(text, "{}- at {path}: {}", "  ".repeat(depth), message(errors));
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } = first.kind() {
        for errors in context {
            push_whole(text, first.instance_path().as_str().to_owned(), grouped(errors.iter().collect()), depth + 1);
        }
    }
}

/// Groups errors by the keyword that found them. Of a schema whose type, constant, enumeration or format does not fit, only that is reported.
fn grouped<'a, 'i>(errors: Vec<&'a ValidationError<'i>>) -> Vec<KeywordErrors<'a, 'i>> {
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
    use serde_json::json;

    use super::*;

    #[test]
    fn several_violations_in_a_part_are_listed_below_it() {
        let number = json!({"type": "number"});
        let inner = json!({"type": "object", "required": ["r"], "properties": {"x": number, "y": number}});
        let outer = json!({"type": "object", "properties": {"inner": inner, "z": number}});
        let schema = json!({"type": "object", "properties": {"alone": {"type": "object", "properties": {"inner": inner}}, "several": outer}});
        let validator = jsonschema::options().build(&schema).unwrap();
        let values = json!({"alone": {"inner": {"r": 1, "x": "a"}}, "several": {"inner": {"x": "a", "y": "b"}, "z": "c"}});
        let text = violations(&validator, &values).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        let expected = [
            "- at '/alone/inner/x': got string, want number",
            "- at '/several': validation failed",
            "  - at '/several/inner': validation failed",
            "    - at '/several/inner': missing property 'r'",
            "    - at '/several/inner/x': got string, want number",
            "    - at '/several/inner/y': got string, want number",
            "  - at '/several/z': got string, want number",
        ];
        assert_eq!(lines.len(), expected.len(), "{text}");
        // The order of the violations of one value is not that of the schema.
        assert!(text.find(expected[1]) < text.find(expected[2]) && text.find(expected[2]) < text.find(expected[4]), "{text}");
        lines.sort_unstable();
        let mut sorted = expected;
        sorted.sort_unstable();
        assert_eq!(lines, sorted);
        // A value with all violations needs no line of its own.
        let text = violations(&validator, &json!({"several": {"inner": {"r": 1, "x": "a", "y": "b"}}})).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        let expected = ["- at '/several/inner/x': got string, want number", "- at '/several/inner/y': got string, want number"];
        assert_eq!(lines, expected);
        // It has one if its schema is referred to.
        let schema = json!({"properties": {"inner": {"$ref": "#/definitions/inner"}}, "definitions": {"inner": inner}});
        let validator = jsonschema::options().build(&schema).unwrap();
        let text = violations(&validator, &json!({"inner": {"x": "a"}})).unwrap();
        assert!(text.starts_with("- at '/inner': validation failed\n  - at '/inner"), "{text}");
        // All parts of a schema are named together.
        let schema = json!({"properties": {"all": {"allOf": [{"required": ["z"]}, {"properties": {"x": number}}]}}});
        let text = violations(&jsonschema::options().build(&schema).unwrap(), &json!({"all": {"x": "a"}})).unwrap();
        assert!(text.starts_with("- at '/all': 'allOf' failed\n  - at '/all"), "{text}");
    }

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
