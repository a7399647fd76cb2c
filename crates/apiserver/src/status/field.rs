//! Errors of single fields, as they are collected while an object is validated.

use serde_json::Value;

use super::go::go_quoted;

/// The machine-readable kind of a field error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldReason {
    /// The value is not allowed here.
    Invalid,
    /// The field must be set.
    Required,
    /// The value is not one of a closed list.
    NotSupported,
    /// The field must not be set, or not changed, in this situation.
    Forbidden,
    /// The value must be unique and is not.
    Duplicate,
    /// The value names something that is not there.
    NotFound,
    /// A text has too many bytes.
    TooLong,
    /// A list or map has too many entries.
    TooMany,
    /// The value has the wrong JSON type.
    TypeInvalid,
    /// The value could not be checked.
    Internal,
}

impl FieldReason {
    /// The reason as it stands in a cause.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Invalid => "FieldValueInvalid",
            Self::Required => "FieldValueRequired",
            Self::NotSupported => "FieldValueNotSupported",
            Self::Forbidden => "FieldValueForbidden",
            Self::Duplicate => "FieldValueDuplicate",
            Self::NotFound => "FieldValueNotFound",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::Internal => "InternalError",
        }
    }
}

/// One thing that is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The path, such as `spec.ports[0].name`.
    pub field: String,
    /// What kind of error it is.
    pub reason: FieldReason,
    /// The text after the path, such as `Invalid value: 5: must be less than 4`.
    pub message: String,
}

impl FieldError {
    /// An error with a text of one's own.
    pub fn new(field: impl Into<String>, reason: FieldReason, message: impl Into<String>) -> Self {
        Self { field: field.into(), reason, message: message.into() }
    }

    /// `Invalid value: <value>: <detail>`.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: impl AsRef<str>) -> Self {
        Self::new(field, FieldReason::Invalid, with_detail(format!("Invalid value: {}", printed(value)), detail.as_ref()))
    }

    /// The same with the reason of a wrong JSON type.
    pub fn type_invalid(field: impl Into<String>, value: &Value, detail: impl AsRef<str>) -> Self {
        Self { reason: FieldReason::TypeInvalid, ..Self::invalid(field, value, detail) }
    }

    /// `Required value`, with a detail unless it is empty.
    pub fn required(field: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(field, FieldReason::Required, with_detail("Required value".into(), detail.as_ref()))
    }

    /// `Unsupported value: <value>: supported values: "a", "b"`.
    pub fn not_supported(field: impl Into<String>, value: &Value, supported: &[&str]) -> Self {
        let supported = supported.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(", ");
        Self::new(
            field,
            FieldReason::NotSupported,
            format!("Unsupported value: {}: supported values: {supported}", printed(value)),
        )
    }

    /// `Forbidden: <detail>`.
    pub fn forbidden(field: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(field, FieldReason::Forbidden, with_detail("Forbidden".into(), detail.as_ref()))
    }

    /// `Duplicate value: <value>`.
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self::new(field, FieldReason::Duplicate, format!("Duplicate value: {}", printed(value)))
    }

    /// `Too long: may not be more than <max> bytes`.
    pub fn too_long(field: impl Into<String>, max: usize) -> Self {
        let unit = if max == 1 { "byte" } else { "bytes" };
        Self::new(field, FieldReason::TooLong, format!("Too long: may not be more than {max} {unit}"))
    }

    /// `Too many: <count>: must have at most <max> items`.
    pub fn too_many(field: impl Into<String>, count: usize, max: usize) -> Self {
        Self::new(field, FieldReason::TooMany, format!("Too many: {count}: must have at most {max} items"))
    }

    /// The value differs from the stored one and must not.
    pub fn immutable(field: impl Into<String>, value: &Value) -> Self {
        Self::invalid(field, value, "field is immutable")
    }
}

fn with_detail(text: String, detail: &str) -> String {
    if detail.is_empty() { text } else { format!("{text}: {detail}") }
}

/// A value as error texts quote it: JSON, but for texts.
fn printed(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), go_quoted)
}
