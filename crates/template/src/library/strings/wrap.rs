//! Functions that wrap strings at blanks, counting bytes.

use super::NUMBER_AND_TEXT;
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::library::limits;
use crate::value::GoValue;

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("wrap", NUMBER_AND_TEXT, |call| {
        let (width, text) = (call.int(0), call.string(1));
        wrap(text.as_bytes(), width, b"\n", false).map(GoValue::string)
    });
    functions.add("wrapWith", Signature::of(&[Parameter::Int, Parameter::String, Parameter::String]), |call| {
        let (width, line_break, text) = (call.int(0), call.string(1), call.string(2));
        let line_break: &[u8] = if line_break.is_empty() { b"\n" } else { line_break.as_bytes() };
        wrap(text.as_bytes(), width, line_break, true).map(GoValue::string)
    });
}

/// Breaks a text into lines of at most a width. Words that are longer are broken too, or stand alone in lines that are longer.
fn wrap(bytes: &[u8], width: i64, line_break: &[u8], breaks_words: bool) -> Result<Vec<u8>, FunctionError> {
    let width = usize::try_from(width).unwrap_or(0).max(1);
    let is_blank = |byte: &u8| *byte == b' ';
    let mut lines: Vec<&[u8]> = Vec::new();
    let mut rest = bytes;
    while rest.len() > width {
        if rest.first().is_some_and(is_blank) {
            rest = &rest[1..];
        } else if let Some(at) = rest[..=width].iter().rposition(|byte| *byte == b' ') {
            lines.push(&rest[..at]);
            rest = &rest[at + 1..];
        } else if breaks_words {
            lines.push(&rest[..width]);
            rest = &rest[width..];
        } else if let Some(at) = rest[width..].iter().position(|byte| *byte == b' ') {
            lines.push(&rest[..width + at]);
            rest = &rest[width + at + 1..];
        } else {
            break;
        }
    }
    limits::text_size(lines.len(), line_break.len())?;
    lines.push(rest);
    Ok(lines.join(line_break))
}
