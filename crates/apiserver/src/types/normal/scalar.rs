//! Scalars with a string form of their own: times, quantities, bytes.

use base64::engine::general_purpose::STANDARD;
use base64::{DecodeError, Engine as _};
use jiff::Timestamp;
use kubewright_machinery::quantity::Quantity;
use serde_json::Value;

use crate::model::WrongType;

/// The Go layout of a time up to its seconds.
const SECONDS: &str = "2006-01-02T15:04:05";

/// Returns a time in whole seconds, or null for an empty string.
pub(super) fn time(text: &str) -> Result<Value, WrongType> {
    const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";
    Ok(parsed(text, LAYOUT)?.map_or(Value::Null, |time| format!("{:.0}", floored(time)).into()))
}

/// Returns a time with six fractional digits, or null for an empty string.
pub(super) fn micro_time(text: &str) -> Result<Value, WrongType> {
    const LAYOUT: &str = "2006-01-02T15:04:05.000000Z07:00";
    let Some(time) = parsed(text, LAYOUT)? else { return Ok(Value::Null) };
    // Only times with exactly six fractional digits are accepted.
    let rest = text.get(SECONDS.len()..).unwrap_or_default();
    let digits = rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
    if digits == 6 {
        return Ok(format!("{time:.6}").into());
    }
    Err(WrongType(format!("parsing time {text:?} as {LAYOUT:?}: cannot parse {rest:?} as \".000000\"")))
}

/// Replaces a quantity by its canonical form.
pub(super) fn quantity(value: &mut Value) -> Result<(), WrongType> {
    let quantity = Quantity::from_value(value).map_err(|error| WrongType(error.to_string()))?;
    *value = quantity.canonical().into();
    Ok(())
}

/// Rounds a quantity up to a multiple of a thousandth, as resource lists do.
pub(super) fn round_to_milli(value: &mut Value) {
    if let Ok(quantity) = Quantity::from_value(value) {
        *value = quantity.rounded_to_milli().canonical().into();
    }
}

/// Rejects text that is not base64.
pub(super) fn check_base64(text: &str) -> Result<(), WrongType> {
    let offset = match STANDARD.decode(text) {
        Ok(_) => return Ok(()),
        Err(DecodeError::InvalidByte(offset, _) | DecodeError::InvalidLastSymbol(offset, _)) => offset,
        Err(DecodeError::InvalidLength(_) | DecodeError::InvalidPadding) => text.len(),
    };
    Err(WrongType(format!("illegal base64 data at input byte {offset}")))
}

fn parsed(text: &str, layout: &str) -> Result<Option<Timestamp>, WrongType> {
    if text.is_empty() {
        return Ok(None);
    }
    let time =
        text.parse().map_err(|_| WrongType(format!("parsing time {text:?} as {layout:?}: cannot parse {text:?} as \"2006\"")))?;
    Ok(Some(time))
}

fn floored(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}
