//! Functions that split strings.

use memchr::memmem;

use super::TWO_TEXTS;
use super::characters::decode;
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::library::limits::{self, LONGEST_LIST};
use crate::value::{ElementType, GoList, GoMap, GoString, GoValue, MapType};

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("split", TWO_TEXTS, |call| {
        let (separator, text) = (call.string(0), call.string(1));
        Ok(numbered(&split(&text, &separator, None)?))
    });
    functions.add("splitn", Signature::of(&[Parameter::String, Parameter::Int, Parameter::String]), |call| {
        let (separator, count, text) = (call.string(0), call.int(1), call.string(2));
        Ok(numbered(&split(&text, &separator, usize::try_from(count).ok())?))
    });
    functions.add("splitList", TWO_TEXTS, |call| {
        let (separator, text) = (call.string(0), call.string(1));
        let parts = split(&text, &separator, None)?.into_iter().map(GoValue::string).collect();
        Ok(GoList::new(parts, ElementType::String).into())
    });
}

/// Splits a text into at most a number of parts, of which the last is the rest. An empty separator stands between all characters.
fn split<'a>(text: &'a GoString, separator: &GoString, most: Option<usize>) -> Result<Vec<&'a [u8]>, FunctionError> {
    let (bytes, separator) = (text.as_bytes(), separator.as_bytes());
    if most == Some(0) || separator.is_empty() && bytes.is_empty() {
        return Ok(Vec::new());
    }
    // One more than a list may have, so that its length tells of them.
    let cuts = most.map_or(LONGEST_LIST, |most| (most - 1).min(LONGEST_LIST));
    let mut parts = Vec::new();
    let mut from = 0;
    if separator.is_empty() {
        let starts = decode(bytes).map(|(start, ..)| start).skip(1).take(cuts);
        starts.for_each(|start| {
            parts.push(&bytes[from..start]);
            from = start;
        });
    } else {
        memmem::find_iter(bytes, separator).take(cuts).for_each(|at| {
            parts.push(&bytes[from..at]);
            from = at + separator.len();
        });
    }
    parts.push(&bytes[from..]);
    limits::list_length(parts.len())?;
    Ok(parts)
}

/// Returns the map of parts by their numbers: `_0`, `_1`.
fn numbered(parts: &[&[u8]]) -> GoValue {
    let entries = parts.iter().enumerate().map(|(number, part)| (format!("_{number}").into(), GoValue::string(*part)));
    GoMap::new(entries.collect(), MapType::String).into()
}
