//! Functions of texts.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;

use crate::schema::pattern;

use super::failure::Failure;

type Outcome = Result<Cel, Failure>;

/// The result of a function of texts; nothing for other functions.
pub(super) fn call(name: &str, member: bool, arguments: &[Cel]) -> Option<Outcome> {
    let [Cel::String(text), rest @ ..] = arguments else {
        return None;
    };
    if name == "matches" {
        return match rest {
            [Cel::String(source)] => Some(regex(source).map(|regex| Cel::Bool(regex.is_match(text)))),
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
        ("find", [Cel::String(source)]) => {
            regex(source).map(|regex| owned(regex.find(text).map_or(String::new(), |found| found.as_str().to_owned())))
        }
        ("findAll", [Cel::String(source)]) => find_all(text, source, -1),
        ("findAll", [Cel::String(source), Cel::Int(limit)]) => find_all(text, source, *limit),
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

fn out_of_range(index: i64) -> Failure {
    Failure::new(format!("index out of range: {index}"))
}

fn regex(source: &str) -> Result<regex::Regex, Failure> {
    pattern::compile(source).map_err(Failure::new)
}

fn char_at(text: &str, index: i64) -> Outcome {
    let characters = characters(text);
    match usize::try_from(index) {
        Ok(index) if index <= characters.len() => Ok(owned(characters.get(index).map(char::to_string).unwrap_or_default())),
        _ => Err(out_of_range(index)),
    }
}

fn index_of(text: &str, part: &str, from: i64) -> Outcome {
    let (text, part) = (characters(text), characters(part));
    let from = usize::try_from(from).ok().filter(|from| *from <= text.len()).ok_or_else(|| out_of_range(from))?;
    if part.is_empty() {
        return Ok(Cel::Int(from as i64));
    }
    let found = (from..text.len()).find(|at| text[*at..].starts_with(&part));
    Ok(Cel::Int(found.map_or(-1, |found| found as i64)))
}

fn last_index_of(text: &str, part: &str, from: Option<usize>) -> Cel {
    let (text, part) = (characters(text), characters(part));
    let from = from.unwrap_or(text.len()).min(text.len());
    if part.is_empty() {
        return Cel::Int(from as i64);
    }
    let found = (0..=from).rev().find(|at| text[*at..].starts_with(&part));
    Cel::Int(found.map_or(-1, |found| found as i64))
}

fn split(text: &str, separator: &str, limit: i64) -> Cel {
    if limit == 0 {
        return texts(std::iter::empty());
    }
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if separator.is_empty() {
        // Into characters, the rest in the last part.
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
        return Err(Failure::new(format!("invalid substring range. start: {start}, end: {stop}")));
    }
    if start < 0 || start > length {
        return Err(out_of_range(start));
    }
    if stop < 0 || stop > length {
        return Err(out_of_range(stop));
    }
    Ok(owned(characters[start as usize..stop as usize].iter().collect()))
}

fn find_all(text: &str, source: &str, limit: i64) -> Outcome {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(texts(regex(source)?.find_iter(text).take(limit).map(|found| found.as_str())))
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
