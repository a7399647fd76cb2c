//! Functions of strings.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kubewright_machinery::pattern;

use super::failure::EvaluationFailure;

type Outcome = Result<Cel, EvaluationFailure>;

/// Calls a function of strings; returns `None` for other functions.
pub(super) fn call(name: &str, member: bool, arguments: &[Cel]) -> Option<Outcome> {
    let [Cel::String(text), rest @ ..] = arguments else {
        return None;
    };
    if name == "matches" {
        return match rest {
            [Cel::String(source)] => Some(regex(source).and_then(|regex| with_pattern(name, &regex, text, rest))),
            _ => None,
        };
    }
    if name == "strings.quote" {
        return Some(Ok(owned(quoted(text))));
    }
    if !member {
        return None;
    }
    Some(match (name, rest) {
        ("contains", [Cel::String(part)]) => Ok(Cel::Bool(text.contains(part.as_str()))),
        ("startsWith", [Cel::String(part)]) => Ok(Cel::Bool(text.starts_with(part.as_str()))),
        ("endsWith", [Cel::String(part)]) => Ok(Cel::Bool(text.ends_with(part.as_str()))),
        ("charAt", [Cel::Int(index)]) => char_at(text, *index),
        ("indexOf", [Cel::String(part)]) => index_of(text, part, 0),
        ("indexOf", [Cel::String(part), Cel::Int(from)]) => index_of(text, part, *from),
        ("lastIndexOf", [Cel::String(part)]) => Ok(last_index_of(text, part, None)),
        ("lastIndexOf", [Cel::String(part), Cel::Int(from)]) => {
            if *from < 0 || *from > characters(text).len() as i64 {
                Err(out_of_range(*from))
            } else {
                Ok(last_index_of(text, part, Some(*from as usize)))
            }
        }
        ("lowerAscii", []) => Ok(owned(text.to_ascii_lowercase())),
        ("upperAscii", []) => Ok(owned(text.to_ascii_uppercase())),
        ("trim", []) => Ok(owned(text.trim().to_owned())),
        ("replace", [Cel::String(old), Cel::String(new)]) => Ok(owned(text.replace(old.as_str(), new))),
        ("replace", [Cel::String(old), Cel::String(new), Cel::Int(count)]) => {
            let replaced = usize::try_from(*count)
                .map_or_else(|_| text.replace(old.as_str(), new), |count| text.replacen(old.as_str(), new, count));
            Ok(owned(replaced))
        }
        ("split", [Cel::String(separator)]) => Ok(split(text, separator, -1)),
        ("split", [Cel::String(separator), Cel::Int(limit)]) => Ok(split(text, separator, *limit)),
        ("substring", [Cel::Int(start)]) => substring(text, *start, None),
        ("substring", [Cel::Int(start), Cel::Int(end)]) => substring(text, *start, Some(*end)),
        ("find" | "findAll", [Cel::String(source), ..]) => regex(source).and_then(|regex| with_pattern(name, &regex, text, rest)),
        _ => return None,
    })
}

fn owned(text: String) -> Cel {
    Cel::String(Arc::new(text))
}

fn texts<'a>(parts: impl Iterator<Item = &'a str>) -> Cel {
    Cel::List(Arc::new(parts.map(|part| owned(part.to_owned())).collect()))
}

fn characters(text: &str) -> Vec<char> {
    text.chars().collect()
}

fn out_of_range(index: i64) -> EvaluationFailure {
    EvaluationFailure::new(format!("index out of range: {index}"))
}

fn regex(source: &str) -> Result<regex::Regex, EvaluationFailure> {
    pattern::compile(source).map_err(EvaluationFailure::new)
}

fn char_at(text: &str, index: i64) -> Outcome {
    let characters = characters(text);
    match usize::try_from(index) {
        Ok(index) if index <= characters.len() => Ok(owned(characters.get(index).map(char::to_string).unwrap_or_default())),
        _ => Err(out_of_range(index)),
    }
}

fn index_of(text: &str, part: &str, from: i64) -> Outcome {
    let Some(start) = usize::try_from(from).ok().and_then(|from| byte_at(text, from)) else {
        return Err(out_of_range(from));
    };
    let found = text[start..].find(part).map(|at| from + text[start..start + at].chars().count() as i64);
    Ok(Cel::Int(found.unwrap_or(-1)))
}

fn last_index_of(text: &str, part: &str, from: Option<usize>) -> Cel {
    // The part may extend beyond the last index at which it can start.
    let end = from.and_then(|from| byte_at(text, from)).map_or(text.len(), |at| (at + part.len()).min(text.len()));
    let end = (0..=end).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    Cel::Int(text[..end].rfind(part).map_or(-1, |found| text[..found].chars().count() as i64))
}

/// Returns the byte offset of a character; the end of the text counts as one more character.
fn byte_at(text: &str, index: usize) -> Option<usize> {
    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(index)
}

fn split(text: &str, separator: &str, limit: i64) -> Cel {
    if limit == 0 {
        return texts(std::iter::empty());
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if separator.is_empty() {
        // An empty separator splits the text into characters; the last part holds the rest.
        let starts: Vec<_> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let count = (starts.len() - 1).min(limit);
        return texts((0..count).map(|n| if n + 1 == limit { &text[starts[n]..] } else { &text[starts[n]..starts[n + 1]] }));
    }
    texts(text.splitn(limit, separator))
}

fn substring(text: &str, start: i64, end: Option<i64>) -> Outcome {
    let characters = characters(text);
    let length = characters.len() as i64;
    let stop = end.unwrap_or(length);
    if end.is_some_and(|end| start > end) {
        return Err(EvaluationFailure::new(format!("invalid substring range. start: {start}, end: {stop}")));
    }
    if start < 0 || start > length {
        return Err(out_of_range(start));
    }
    if stop < 0 || stop > length {
        return Err(out_of_range(stop));
    }
    Ok(owned(characters[start as usize..stop as usize].iter().collect()))
}

/// Calls a function of a text and a pattern.
pub(super) fn with_pattern(name: &str, pattern: &regex::Regex, text: &str, arguments: &[Cel]) -> Outcome {
    match (name, arguments) {
        ("matches", [_]) => Ok(Cel::Bool(pattern.is_match(text))),
        ("find", [_]) => Ok(owned(pattern.find(text).map_or(String::new(), |found| found.as_str().to_owned()))),
        ("findAll", [_]) => Ok(texts(pattern.find_iter(text).map(|found| found.as_str()))),
        ("findAll", [_, Cel::Int(limit)]) => {
            let limit = usize::try_from(*limit).unwrap_or(usize::MAX);
            Ok(texts(pattern.find_iter(text).take(limit).map(|found| found.as_str())))
        }
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
