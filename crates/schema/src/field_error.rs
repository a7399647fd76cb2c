//! Errors of single fields, as validation collects them.

use serde_json::Value;

use crate::go::go_quoted;

/// The machine-readable kind of a field error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldReason {
    /// The value is not allowed.
    Invalid,
    /// The field must be set.
    Required,
    /// The value is not one of a closed list.
    NotSupported,
    /// The field must not be set, or must not be changed, in this situation.
    Forbidden,
    /// The value must be unique and is not.
    Duplicate,
    /// The value names an object that does not exist.
    NotFound,
    /// A string has too many bytes.
    TooLong,
    /// A list or map has too many entries.
    TooMany,
    /// The value has the wrong JSON type.
    TypeInvalid,
    /// The value could not be checked.
    Internal,
}

impl FieldReason {
    /// Returns the reason as a cause shows it.
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

/// An error of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The path of the field, such as `spec.ports[0].name`.
    pub field: String,
    /// The kind of the error.
    pub reason: FieldReason,
    /// The message after the path, such as `Invalid value: 5: must be less than 4`.
    pub message: String,
}

impl FieldError {
    /// Creates an error with the given message.
    pub fn new(field: impl Into<String>, reason: FieldReason, message: impl Into<String>) -> Self {
        Self { field: field.into(), reason, message: message.into() }
    }

    /// Creates an error with the message `Invalid value: <value>: <detail>`.
    pub fn invalid(field: impl Into<String>, value: &Value, detail: impl AsRef<str>) -> Self {
        Self::new(field, FieldReason::Invalid, with_detail(format!("Invalid value: {}", printed(value)), detail.as_ref()))
    }

    /// Creates an error with the message `Invalid value: <value>: <detail>` and the reason of a wrong JSON type.
    pub fn type_invalid(field: impl Into<String>, value: &Value, detail: impl AsRef<str>) -> Self {
        Self { reason: FieldReason::TypeInvalid, ..Self::invalid(field, value, detail) }
    }

    /// Creates an error with the message `Required value`, followed by the detail unless it is empty.
    pub fn required(field: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(field, FieldReason::Required, with_detail("Required value".into(), detail.as_ref()))
    }

    /// Creates an error with the message `Unsupported value: <value>: supported values: "a", "b"`.
    pub fn not_supported(field: impl Into<String>, value: &Value, supported: &[&str]) -> Self {
        let supported = supported.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(", ");
        Self::new(
            field,
            FieldReason::NotSupported,
            format!("Unsupported value: {}: supported values: {supported}", printed(value)),
        )
    }

    /// Creates an error with the message `Forbidden: <detail>`.
    pub fn forbidden(field: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(field, FieldReason::Forbidden, with_detail("Forbidden".into(), detail.as_ref()))
    }

    /// Creates an error with the message `Duplicate value: <value>`.
    pub fn duplicate(field: impl Into<String>, value: &Value) -> Self {
        Self::new(field, FieldReason::Duplicate, format!("Duplicate value: {}", printed(value)))
    }

    /// Creates an error with the message `Too long: may not be more than <max> bytes`.
    pub fn too_long(field: impl Into<String>, max: usize) -> Self {
        let unit = if max == 1 { "byte" } else { "bytes" };
        Self::new(field, FieldReason::TooLong, format!("Too long: may not be more than {max} {unit}"))
    }

    /// Creates an error with the message `Too many: <count>: must have at most <max> items`.
    pub fn too_many(field: impl Into<String>, count: usize, max: usize) -> Self {
        Self::new(field, FieldReason::TooMany, format!("Too many: {count}: must have at most {max} items"))
    }

    /// Creates an error for a value that differs from the stored one although the field is immutable.
    pub fn immutable(field: impl Into<String>, value: &Value) -> Self {
        Self::invalid(field, value, "field is immutable")
    }
}

fn with_detail(text: String, detail: &str) -> String {
    if detail.is_empty() { text } else { format!("{text}: {detail}") }
}

/// Returns a value as error messages quote it: a string as Go quotes it, any other value as JSON.
fn printed(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), go_quoted)
}
