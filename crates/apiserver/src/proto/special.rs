//! Messages that JSON represents as one value: times, quantities, numbers or strings, raw JSON (PB-4).

use jiff::Timestamp;
use serde_json::Value;

use super::wire::{Piece, WireError, WireReader, put_bytes, put_number};

/// The seconds of Go's zero time, which means that no time is set.
const NO_TIME: i64 = -62_135_596_800;

/// Returns a time with the given number of fractional digits, or null if it is not set.
pub(super) fn time(bytes: &[u8], digits: usize, field: &str) -> Result<Value, WireError> {
    let (mut seconds, mut nanos) = (0_i64, 0_i32);
    let mut reader = WireReader::new(bytes);
    if reader.is_empty() {
        return Ok(Value::Null);
    }
    while let Some((number, piece)) = reader.next()? {
        match (number, piece) {
            (1, Piece::Varint(value)) => seconds = value as i64,
            (2, Piece::Varint(value)) => nanos = value as i32,
            _ => {}
        }
    }
    if seconds == NO_TIME && nanos == 0 {
        return Ok(Value::Null);
    }
    let unprintable = |error: jiff::Error| WireError::Unprintable { field: field.to_owned(), problem: error.to_string() };
    // A time keeps whole seconds only.
    let time = Timestamp::new(seconds, if digits == 0 { 0 } else { nanos }).map_err(unprintable)?;
    Ok(format!("{time:.digits$}").into())
}

/// Writes the message of a time; the message is empty if the text is not a time.
pub(super) fn put_time(out: &mut Vec<u8>, text: &str) {
    if let Ok(time) = text.parse::<Timestamp>() {
        put_number(out, 1, time.as_second() as u64);
        put_number(out, 2, i64::from(time.subsec_nanosecond()) as u64);
    }
}

/// Reads a message with one string.
pub(super) fn text(bytes: &[u8]) -> Result<String, WireError> {
    let mut text = String::new();
    let mut reader = WireReader::new(bytes);
    while let Some((number, piece)) = reader.next()? {
        if let (1, Piece::Bytes(bytes)) = (number, piece) {
            text = lossy(bytes);
        }
    }
    Ok(text)
}

/// Reads a number or a string.
pub(super) fn int_or_string(bytes: &[u8]) -> Result<Value, WireError> {
    let (mut is_text, mut number, mut text) = (false, 0_i32, String::new());
    let mut reader = WireReader::new(bytes);
    while let Some((field, piece)) = reader.next()? {
        match (field, piece) {
            (1, Piece::Varint(value)) => is_text = value == 1,
            (2, Piece::Varint(value)) => number = value as i32,
            (3, Piece::Bytes(bytes)) => text = lossy(bytes),
            _ => {}
        }
    }
    Ok(if is_text { text.into() } else { number.into() })
}

/// Writes the message of a number or a string.
pub(super) fn put_int_or_string(out: &mut Vec<u8>, value: &Value) {
    let text = value.as_str();
    put_number(out, 1, u64::from(text.is_some()));
    put_number(out, 2, value.as_i64().unwrap_or_default() as u64);
    put_bytes(out, 3, text.unwrap_or_default().as_bytes());
}

/// Reads any JSON, which the message holds as bytes.
pub(super) fn raw_json(bytes: &[u8], field: &str) -> Result<Value, WireError> {
    let mut raw: &[u8] = &[];
    let mut reader = WireReader::new(bytes);
    while let Some((number, piece)) = reader.next()? {
        if let (1, Piece::Bytes(bytes)) = (number, piece) {
            raw = bytes;
        }
    }
    if raw.is_empty() {
        return Ok(Value::Null);
    }
    serde_json::from_slice(raw).map_err(|error| WireError::Unprintable { field: field.to_owned(), problem: error.to_string() })
}

/// Returns bytes as a string; each invalid sequence becomes the replacement character, as Go's JSON prints it.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
