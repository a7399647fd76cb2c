//! Texts of keys that are no texts.

use serde_json::Value;

/// Returns the text of a key, which may be a number that JSON does not have. Numbers with a fraction have the digits of a single-precision float.
pub(super) fn key_text(key: Result<Value, &'static str>) -> Result<String, String> {
    match key {
        Ok(Value::String(text)) => Ok(text),
        Ok(Value::Bool(value)) => Ok(value.to_string()),
        Ok(Value::Number(number)) if number.is_i64() => Ok(number.to_string()),
        Ok(Value::Number(number)) if number.is_f64() => Ok(single_precision(number.as_f64().unwrap_or_default())),
        Ok(Value::Number(_)) => Err("unsupported map key of type: uint64".to_owned()),
        Ok(Value::Null) => Err("unsupported map key of type: %!s(<nil>), key: <nil>".to_owned()),
        Ok(Value::Array(_) | Value::Object(_)) => Err("invalid map key".to_owned()),
        Err("NaN") => Ok(".nan".to_owned()),
        Err("+Inf") => Ok(".inf".to_owned()),
        Err(_) => Ok("-.inf".to_owned()),
    }
}

/// Returns the shortest text of a number in single precision, with an exponent from a million on and below a ten-thousandth.
fn single_precision(number: f64) -> String {
    let number = number as f32;
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        return number.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
