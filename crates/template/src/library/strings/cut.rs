//! Functions that cut strings, between bytes.

use super::{NUMBER_AND_TEXT, add_mapping};
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::{GoString, GoValue};

/// The mark of a part that is left out.
const ELLIPSIS: &[u8] = b"...";

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("trunc", NUMBER_AND_TEXT, |call| {
        let (length, text) = (call.int(0), call.string(1));
        Ok(truncate(length, &text).into())
    });
    functions.add("substr", Signature::of(&[Parameter::Int, Parameter::Int, Parameter::String]), |call| {
        let (start, end, text) = (call.int(0), call.int(1), call.string(2));
        substring(start, end, text.as_bytes()).map(GoValue::string)
    });
    functions.add("abbrev", NUMBER_AND_TEXT, |call| {
        let (width, text) = (call.int(0), call.string(1));
        Ok(if width < 4 { text.into() } else { GoValue::string(abbreviate(text.as_bytes(), 0, width_of(width))) })
    });
    functions.add("abbrevboth", Signature::of(&[Parameter::Int, Parameter::Int, Parameter::String]), |call| {
        let (offset, width, text) = (call.int(0), call.int(1), call.string(2));
        let is_too_narrow = width < 4 || offset > 0 && width < 7;
        Ok(if is_too_narrow {
            text.into()
        } else {
            GoValue::string(abbreviate(text.as_bytes(), width_of(offset), width_of(width)))
        })
    });
    add_mapping(functions, "nospace", without_space);
    add_mapping(functions, "initials", |text| initials(text.as_bytes()));
}

/// Returns the first bytes of a text, or the last ones for a negative length.
fn truncate(length: i64, text: &GoString) -> GoString {
    let bytes = text.as_bytes();
    let distance = usize::try_from(length.unsigned_abs()).unwrap_or(usize::MAX);
    match bytes.len().checked_sub(distance) {
        Some(start) if length < 0 && start > 0 => bytes[start..].into(),
        Some(_) if length >= 0 => bytes[..distance].into(),
        _ => text.clone(),
    }
}

/// Returns a part of bytes. A negative start stands for the beginning, and an end that is negative or too large for the end. Other indexes that are out
/// of range are the errors of a Go program.
fn substring(start: i64, end: i64, bytes: &[u8]) -> Result<&[u8], FunctionError> {
    let length = bytes.len();
    let index = |value: i64| usize::try_from(value).ok();
    if start < 0 {
        let part = index(end).and_then(|end| bytes.get(..end));
        let of_length = if end < 0 { String::new() } else { format!(" with length {length}") };
        return part.ok_or_else(|| out_of_range(&format!("[:{end}]{of_length}")));
    }
    let stop = index(end).filter(|end| *end <= length).unwrap_or(length);
    let part = index(start).and_then(|start| bytes.get(start..stop));
    part.ok_or_else(|| out_of_range(&format!("[{start}:{stop}]")))
}

fn out_of_range(bounds: &str) -> FunctionError {
    FunctionError::new(format!("runtime error: slice bounds out of range {bounds}"))
}

/// Returns a number of bytes; 0 for a negative one.
fn width_of(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// Shortens a text to a width, with an ellipsis at the end, and at the beginning if the offset is large enough for one. The width is at least 4.
fn abbreviate(bytes: &[u8], offset: usize, width: usize) -> Vec<u8> {
    let length = bytes.len();
    if length <= width {
        return bytes.to_vec();
    }
    // The part that stands next to one ellipsis.
    let room = width - ELLIPSIS.len();
    let offset = offset.min(length - room);
    if offset <= 4 {
        return [&bytes[..room], ELLIPSIS].concat();
    }
    if width < 7 {
        return Vec::new();
    }
    let shown = if offset + room < length { abbreviate(&bytes[offset..], 0, width - 3) } else { bytes[length - room..].to_vec() };
    [ELLIPSIS, &shown].concat()
}

/// Returns a text without blanks. The function of sprig takes bytes for characters, so that others than those of ASCII change, unless there are no blanks.
fn without_space(text: &GoString) -> GoString {
    let characters = || text.as_bytes().iter().map(|byte| char::from(*byte));
    if characters().any(char::is_whitespace) {
        characters().filter(|c| !c.is_whitespace()).collect::<String>().into()
    } else {
        text.clone()
    }
}

/// Returns the first letters of words. The function of sprig takes bytes for characters.
fn initials(bytes: &[u8]) -> String {
    let mut result = String::new();
    let mut is_gap = true;
    for c in bytes.iter().map(|byte| char::from(*byte)) {
        if is_gap && !c.is_whitespace() {
            result.push(c);
        }
        is_gap = c.is_whitespace();
    }
    result
}
