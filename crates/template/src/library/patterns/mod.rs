//! Functions of regular expressions, in Go's syntax.

mod cache;
mod expand;
mod subject;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use kubewright_machinery::pattern::GoPattern;

use self::cache::PatternCache;
use self::subject::SearchedText;
use super::limits::{self, LONGEST_LIST};
use crate::error::FunctionError;
use crate::format;
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature};
use crate::value::{ElementType, GoList, GoString, GoValue};

const TWO_TEXTS: Signature = Signature::of(&[Parameter::String, Parameter::String]);
const THREE_TEXTS: Signature = Signature::of(&[Parameter::String, Parameter::String, Parameter::String]);
const TEXTS_AND_COUNT: Signature = Signature::of(&[Parameter::String, Parameter::String, Parameter::Int]);

type Body = fn(&GoPattern, &GoString, &mut FunctionCall<'_>) -> Result<GoValue, FunctionError>;

/// Adds the functions of regular expressions.
pub(super) fn add(functions: &mut FunctionSet) {
    let cache = Arc::new(PatternCache::default());
    let twins: [(&str, &str, Signature, Body); 5] = [
        ("regexFind", "mustRegexFind", TWO_TEXTS, |pattern, _, call| Ok(find(pattern, call))),
        ("regexFindAll", "mustRegexFindAll", TEXTS_AND_COUNT, |pattern, _, call| find_all(pattern, call)),
        ("regexReplaceAll", "mustRegexReplaceAll", THREE_TEXTS, |pattern, _, call| replace_all(pattern, call)),
        ("regexReplaceAllLiteral", "mustRegexReplaceAllLiteral", THREE_TEXTS, |pattern, _, call| {
            replace_all_literal(pattern, call)
        }),
        ("regexSplit", "mustRegexSplit", TEXTS_AND_COUNT, split),
    ];
    for (name, must_name, signature, body) in twins {
        let patterns = cache.clone();
        functions.add(name, signature, move |call| {
            let source = call.string(0);
            let pattern = patterns
                .get(&source)
                .map_err(|problem| FunctionError::new(format!("regexp: Compile({}): {problem}", quoted(&source))))?;
            body(&pattern, &source, call)
        });
        let patterns = cache.clone();
        functions.add(must_name, signature, move |call| {
            let source = call.string(0);
            let pattern = patterns.get(&source).map_err(FunctionError::new)?;
            body(&pattern, &source, call)
        });
    }
    let patterns = cache.clone();
    functions.add("regexMatch", TWO_TEXTS, move |call| {
        let (source, text) = (call.string(0), call.string(1));
        Ok(patterns.get(&source).is_ok_and(|pattern| SearchedText::new(&text).is_match(&pattern)).into())
    });
    functions.add("mustRegexMatch", TWO_TEXTS, move |call| {
        let (source, text) = (call.string(0), call.string(1));
        let pattern = cache.get(&source).map_err(FunctionError::new)?;
        Ok(SearchedText::new(&text).is_match(&pattern).into())
    });
    functions.add("regexQuoteMeta", Signature::of(&[Parameter::String]), |call| {
        let text = call.string(0);
        let is_special = |byte: &u8| br"\.+*?()|[]{}^$".contains(byte);
        let escaped = text.as_bytes().iter().flat_map(|byte| is_special(byte).then_some(b'\\').into_iter().chain([*byte]));
        Ok(GoValue::string(escaped.collect::<Vec<u8>>()))
    });
}

fn find(pattern: &GoPattern, call: &mut FunctionCall<'_>) -> GoValue {
    let text = call.string(1);
    let subject = SearchedText::new(&text);
    GoValue::string(subject.find_all(pattern, 1).first().map_or(&[][..], |found| subject.part(found.clone())))
}

fn find_all(pattern: &GoPattern, call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let (text, most) = (call.string(1), usize::try_from(call.int(2)).unwrap_or(usize::MAX));
    let subject = SearchedText::new(&text);
    let found = subject.find_all(pattern, most.min(LONGEST_LIST + 1));
    limits::list_length(found.len())?;
    if found.is_empty() {
        return Ok(GoList::nil(ElementType::String).into());
    }
    Ok(GoValue::strings(found.into_iter().map(|range| subject.part(range))))
}

fn replace_all(pattern: &GoPattern, call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let (text, replacement) = (call.string(1), call.string(2));
    let subject = SearchedText::new(&text);
    let replacement = expand::Replacement::parse(replacement.as_bytes(), &pattern.names);
    let mut result = Vec::new();
    let mut from = 0;
    for groups in subject.captures(pattern) {
        let Some(whole) = groups.first().cloned().flatten() else { continue };
        result.extend_from_slice(subject.part(from..whole.start));
        replacement.write(&mut result, |group| groups.get(group).cloned().flatten().map(|range| subject.part(range)))?;
        from = whole.end;
    }
    result.extend_from_slice(&text.as_bytes()[from..]);
    Ok(GoValue::string(result))
}

fn replace_all_literal(pattern: &GoPattern, call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let (text, replacement) = (call.string(1), call.string(2));
    let subject = SearchedText::new(&text);
    let found = subject.find_all(pattern, usize::MAX);
    limits::text_size(found.len(), replacement.len())?;
    let mut result = Vec::new();
    let mut from = 0;
    for range in found {
        result.extend_from_slice(subject.part(from..range.start));
        result.extend_from_slice(replacement.as_bytes());
        from = range.end;
    }
    result.extend_from_slice(&text.as_bytes()[from..]);
    Ok(GoValue::string(result))
}

/// Returns an expression in quotes as the error of Go shows it.
fn quoted(source: &GoString) -> String {
    let bytes = source.as_bytes();
    if format::can_backquote(bytes) { format!("`{}`", source.to_text()) } else { format::quote(bytes) }
}

/// Splits a text at the matches into at most a number of parts. An empty match at the beginning splits nothing off, and one at the end has no part behind it.
fn split(pattern: &GoPattern, source: &GoString, call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let (text, most) = (call.string(1), usize::try_from(call.int(2)).unwrap_or(usize::MAX));
    if most == 0 {
        return Ok(GoList::nil(ElementType::String).into());
    }
    if text.is_empty() && !source.is_empty() {
        return Ok(GoValue::strings([""]));
    }
    let subject = SearchedText::new(&text);
    let mut parts = Vec::new();
    let (mut from, mut end) = (0, 0);
    for found in subject.find_all(pattern, most.min(LONGEST_LIST + 1)) {
        if parts.len() + 1 == most {
            break;
        }
        end = found.start;
        if found.end != 0 {
            parts.push(subject.part(from..found.start));
        }
        from = found.end;
    }
    if end != text.len() {
        parts.push(subject.part(from..text.len()));
    }
    limits::list_length(parts.len())?;
    Ok(GoValue::strings(parts))
}
