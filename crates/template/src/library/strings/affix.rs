//! Functions that look at the ends and the inside of strings: trimming, prefixes, suffixes, replacing, indenting.

use std::collections::HashSet;

use memchr::memmem;

use super::characters::decode;
use super::{NUMBER_AND_TEXT, TWO_TEXTS, add_mapping};
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::library::limits;
use crate::value::{GoString, GoValue};

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    add_mapping(functions, "trim", |text| GoString::from(trim_space(text.as_bytes())));
    functions.add("trimAll", TWO_TEXTS, |call| {
        let (set, text) = (call.string(0), call.string(1));
        Ok(GoValue::string(trim_set(text.as_bytes(), set.as_bytes())))
    });
    functions.alias("trimall", "trimAll");
    functions.add("trimSuffix", TWO_TEXTS, |call| {
        let (suffix, text) = (call.string(0), call.string(1));
        Ok(text.as_bytes().strip_suffix(suffix.as_bytes()).map_or_else(|| text.clone().into(), GoValue::string))
    });
    functions.add("trimPrefix", TWO_TEXTS, |call| {
        let (prefix, text) = (call.string(0), call.string(1));
        Ok(text.as_bytes().strip_prefix(prefix.as_bytes()).map_or_else(|| text.clone().into(), GoValue::string))
    });
    functions.add("contains", TWO_TEXTS, |call| {
        let (part, text) = (call.string(0), call.string(1));
        Ok(memmem::find(text.as_bytes(), part.as_bytes()).is_some().into())
    });
    functions.add("hasPrefix", TWO_TEXTS, |call| {
        let (prefix, text) = (call.string(0), call.string(1));
        Ok(text.as_bytes().starts_with(prefix.as_bytes()).into())
    });
    functions.add("hasSuffix", TWO_TEXTS, |call| {
        let (suffix, text) = (call.string(0), call.string(1));
        Ok(text.as_bytes().ends_with(suffix.as_bytes()).into())
    });
    functions.add("replace", Signature::of(&[Parameter::String, Parameter::String, Parameter::String]), |call| {
        let (old, new, text) = (call.string(0), call.string(1), call.string(2));
        replace(text.as_bytes(), old.as_bytes(), new.as_bytes()).map(GoValue::string)
    });
    functions.add("repeat", NUMBER_AND_TEXT, |call| {
        let (count, text) = (call.int(0), call.string(1));
        let count = usize::try_from(count).map_err(|_| negative_count())?;
        limits::text_size(count, text.len())?;
        Ok(GoValue::string(text.as_bytes().repeat(count)))
    });
    functions.add("indent", NUMBER_AND_TEXT, |call| {
        let (spaces, text) = (call.int(0), call.string(1));
        indent(spaces, &text, "").map(GoValue::string)
    });
    functions.add("nindent", NUMBER_AND_TEXT, |call| {
        let (spaces, text) = (call.int(0), call.string(1));
        indent(spaces, &text, "\n").map(GoValue::string)
    });
}

fn negative_count() -> FunctionError {
    FunctionError::new("strings: negative Repeat count")
}

fn trim_space(bytes: &[u8]) -> &[u8] {
    let is_space = |c: &(usize, usize, char)| c.2.is_whitespace();
    let start = decode(bytes).find(|c| !is_space(c)).map_or(bytes.len(), |(start, ..)| start);
    let bytes = &bytes[start..];
    let end = bytes.utf8_chunks().last().map_or(0, |chunk| {
        if chunk.invalid().is_empty() { bytes.len() - chunk.valid().len() + chunk.valid().trim_end().len() } else { bytes.len() }
    });
    &bytes[..end]
}

fn trim_set<'a>(bytes: &'a [u8], set: &[u8]) -> &'a [u8] {
    let set: HashSet<char> = decode(set).map(|(.., c)| c).collect();
    let mut kept = decode(bytes).filter(|(.., c)| !set.contains(c)).map(|(start, end, _)| (start, end));
    let Some((start, first_end)) = kept.next() else {
        return &[];
    };
    let end = kept.last().map_or(first_end, |(_, end)| end);
    &bytes[start..end]
}

/// Replaces all occurrences. An empty text occurs before each character and at the end.
fn replace(bytes: &[u8], old: &[u8], new: &[u8]) -> Result<Vec<u8>, FunctionError> {
    let cuts: Vec<usize> = if old.is_empty() {
        decode(bytes).map(|(start, ..)| start).chain([bytes.len()]).collect()
    } else {
        memmem::find_iter(bytes, old).collect()
    };
    let size = limits::text_size(cuts.len(), new.len())?;
    let mut result = Vec::with_capacity(bytes.len() + size);
    let mut from = 0;
    for cut in cuts {
        result.extend_from_slice(&bytes[from..cut]);
        result.extend_from_slice(new);
        from = cut + old.len();
    }
    result.extend_from_slice(&bytes[from..]);
    Ok(result)
}

/// Puts spaces before each line, empty ones too.
fn indent(spaces: i64, text: &GoString, before: &str) -> Result<Vec<u8>, FunctionError> {
    let spaces = usize::try_from(spaces).map_err(|_| negative_count())?;
    let lines = text.as_bytes().split(|byte| *byte == b'\n');
    let added = limits::text_size(lines.clone().count(), spaces)?;
    let pad = " ".repeat(spaces);
    let mut result = Vec::with_capacity(before.len() + text.len() + added);
    result.extend_from_slice(before.as_bytes());
    for (index, line) in lines.enumerate() {
        if index > 0 {
            result.push(b'\n');
        }
        result.extend_from_slice(pad.as_bytes());
        result.extend_from_slice(line);
    }
    Ok(result)
}
