//! Writing of a value into a field.

use kubewright_machinery::yaml::PlainScalar;
use serde_json::Value;

use crate::error::BuildProblem;
use crate::fields::expect_scalar;
use crate::kustomization::ReplacementOptions;
use crate::resource::scalar_text;

const DELIMITER_USE: &str = "delimiter option can only be used with scalar nodes";

/// Returns the part of a value that the options of a source select.
pub(super) fn part_of(value: &Value, options: Option<&ReplacementOptions>) -> Result<Value, BuildProblem> {
    let Some(options) = options.filter(|options| !options.delimiter.is_empty()) else { return Ok(value.clone()) };
    expect_scalar(value).map_err(|problem| problem.within(DELIMITER_USE))?;
    let text = scalar_text(value);
    let index = usize::try_from(options.index).ok();
    let part = index.and_then(|index| text.split(&options.delimiter).nth(index));
    part.map(Value::from)
        .ok_or_else(|| BuildProblem(format!("options.index {} is out of bounds for value {text}", options.index)))
}

/// Writes a value into a field. A scalar keeps its type if the text allows it.
pub(super) fn write(field: &mut Value, value: &Value, options: Option<&ReplacementOptions>) -> Result<(), BuildProblem> {
    let mut value = value.clone();
    if let Some(options) = options.filter(|options| !options.delimiter.is_empty()) {
        expect_scalar(field).map_err(|problem| problem.within(DELIMITER_USE))?;
        let (text, part) = (scalar_text(field), scalar_text(&value));
        let mut parts: Vec<&str> = text.split(&options.delimiter).collect();
        match usize::try_from(options.index) {
            Err(_) => parts.insert(0, &part),
            Ok(index) if index >= parts.len() => parts.push(&part),
            Ok(index) => parts[index] = &part,
        }
        value = parts.join(&options.delimiter).into();
    }
    *field = match field {
        Value::Array(_) | Value::Object(_) => value,
        Value::String(_) => scalar_text(&value).into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => plain(scalar_text(&value)),
    };
    Ok(())
}

/// Returns the value of a text without quotes.
fn plain(text: String) -> Value {
    PlainScalar::resolve_as_yaml_1_2(&text).value(&text).unwrap_or_else(|_| text.into())
}
