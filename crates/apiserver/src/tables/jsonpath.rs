//! The JSONPath of printer columns: members, indexes, wildcards and filters.

use std::cmp::Ordering;
use std::collections::HashSet;

use serde_json::Value;

/// A path such as `.status.conditions[?(@.type=="Ready")].status`.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPath(Vec<JsonPathStep>);

/// The error of a text that is no JSONPath.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonPathError(String);

#[derive(Clone, Debug, PartialEq)]
enum JsonPathStep {
    Member(String),
    /// An index of a list, counted from the end if it is negative.
    Index(i64),
    All,
    /// The value itself and all values below it.
    Descend,
    Filter {
        path: JsonPath,
        test: Option<(ComparisonOperator, Value)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ComparisonOperator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl JsonPath {
    /// Parses a path; it may start with a dot or be enclosed in braces.
    pub fn parse(text: &str) -> Result<Self, JsonPathError> {
        Self::parse_within(text, false)
    }

    /// Parses a path. `is_filter` is true for a path in a filter, which can have no filters of its own.
    fn parse_within(text: &str, is_filter: bool) -> Result<Self, JsonPathError> {
        let text = text.trim();
        let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        let mut steps = Vec::new();
        let mut rest = text.trim_start_matches(['$', '@']);
        while let Some(first) = rest.chars().next() {
            rest = match first {
                '.' if rest.starts_with("..") => {
                    if steps.last() == Some(&JsonPathStep::Descend) {
                        return Err(JsonPathError("invalid multiple recursive descent".to_owned()));
                    }
                    steps.push(JsonPathStep::Descend);
                    // The two dots are followed by a member without a dot of its own.
                    let tail = &rest[2..];
                    match tail.chars().next() {
                        Some('*') => return Err(JsonPathError("unrecognized character in action: '*'".to_owned())),
                        None | Some('[' | '.') => tail,
                        Some(_) => member(tail, &mut steps)?,
                    }
                }
                '.' => match &rest[1..] {
                    tail if tail.starts_with('[') || tail.is_empty() => tail,
                    tail => member(tail, &mut steps)?,
                },
                '[' => {
                    let (inner, tail) = bracket(rest)?;
                    steps.push(step(inner, is_filter)?);
                    tail
                }
                ']' => return Err(JsonPathError("unrecognized character in action: ']'".to_owned())),
                _ => member(rest, &mut steps)?,
            };
        }
        Ok(Self(steps))
    }

    /// Returns all values at the path.
    pub fn find<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        let mut found = vec![value];
        for step in &self.0 {
            if found.is_empty() {
                break;
            }
            found = found.into_iter().flat_map(|value| step.apply(value)).collect();
            // Nested values have descendants in common. Each is kept once, so that repeated descents do not multiply the values.
            if *step == JsonPathStep::Descend {
                let mut seen = HashSet::with_capacity(found.len());
                found.retain(|value| seen.insert(std::ptr::from_ref(*value)));
            }
        }
        found
    }

    /// Returns the first value at the path.
    pub fn first<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.find(value).into_iter().next()
    }
}

impl JsonPathStep {
    fn apply<'a>(&self, value: &'a Value) -> Vec<&'a Value> {
        match self {
            Self::Member(name) => value.get(name).into_iter().collect(),
            Self::Index(index) => {
                let Some(items) = value.as_array() else {
                    return Vec::new();
                };
                let index = if *index < 0 { items.len() as i64 + index } else { *index };
                usize::try_from(index).ok().and_then(|index| items.get(index)).into_iter().collect()
            }
            Self::All => children(value),
            Self::Descend => {
                let mut found = Vec::new();
                descend(value, &mut found);
                found
            }
            Self::Filter { path, test } => {
                let holds = |item: &&Value| match (path.first(item), test) {
                    (Some(_), None) => true,
                    (Some(found), Some((comparison, wanted))) => comparison.holds(found, wanted),
                    (None, _) => false,
                };
                children(value).into_iter().filter(holds).collect()
            }
        }
    }
}

impl ComparisonOperator {
    fn holds(self, found: &Value, wanted: &Value) -> bool {
        let ordering = match (found, wanted) {
            (Value::Number(found), Value::Number(wanted)) => {
                found.as_f64().zip(wanted.as_f64()).and_then(|(found, wanted)| found.partial_cmp(&wanted))
            }
            (Value::String(found), Value::String(wanted)) => Some(found.cmp(wanted)),
            (Value::Bool(found), Value::Bool(wanted)) => Some(found.cmp(wanted)),
            // Filters often quote values that are numbers or booleans in the object.
            (Value::Number(_) | Value::Bool(_), Value::String(wanted)) => Some(found.to_string().as_str().cmp(wanted)),
            _ => None,
        };
        match self {
            Self::Equal => ordering == Some(Ordering::Equal),
            Self::NotEqual => ordering != Some(Ordering::Equal),
            Self::Less => ordering == Some(Ordering::Less),
            Self::LessOrEqual => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
            Self::Greater => ordering == Some(Ordering::Greater),
            Self::GreaterOrEqual => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

/// Collects a value and all values below it, outer ones first.
fn descend<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    found.push(value);
    for child in children(value) {
        descend(child, found);
    }
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => Vec::new(),
    }
}

/// Reads the name of a member up to the next dot or bracket; a backslash escapes the next character.
fn member<'t>(text: &'t str, steps: &mut Vec<JsonPathStep>) -> Result<&'t str, JsonPathError> {
    let mut name = String::new();
    let mut characters = text.char_indices();
    let mut end = text.len();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => name.extend(characters.next().map(|(_, escaped)| escaped)),
            '.' | '[' | ']' => {
                end = at;
                break;
            }
            other => name.push(other),
        }
    }
    if name.is_empty() {
        return Err(JsonPathError(format!("unexpected end of path at {text:?}")));
    }
    steps.push(if name == "*" { JsonPathStep::All } else { JsonPathStep::Member(name) });
    Ok(&text[end..])
}

/// Returns the text up to the matching closing bracket, and the rest.
fn bracket(text: &str) -> Result<(&str, &str), JsonPathError> {
    let (mut depth, mut quote) = (0_usize, None);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, '[') => depth += 1,
            (None, ']') => {
                depth -= 1;
                if depth == 0 {
                    return Ok((&text[1..at], &text[at + 1..]));
                }
            }
            (None, _) => {}
        }
    }
    Err(JsonPathError("unterminated array".to_owned()))
}

fn step(inner: &str, is_filter: bool) -> Result<JsonPathStep, JsonPathError> {
    let inner = inner.trim();
    if inner == "*" {
        return Ok(JsonPathStep::All);
    }
    if let Some(filter) = inner.strip_prefix("?(").and_then(|filter| filter.strip_suffix(')')) {
        if is_filter {
            return Err(JsonPathError("unterminated filter".to_owned()));
        }
        return self::filter(filter);
    }
    if let Some(name) = unquoted(inner) {
        return Ok(JsonPathStep::Member(name.replace("\\.", ".")));
    }
    inner.parse().map(JsonPathStep::Index).map_err(|_| JsonPathError(format!("invalid array index {inner}")))
}

fn filter(text: &str) -> Result<JsonPathStep, JsonPathError> {
    const OPERATORS: [(&str, ComparisonOperator); 6] = [
        ("==", ComparisonOperator::Equal),
        ("!=", ComparisonOperator::NotEqual),
        ("<=", ComparisonOperator::LessOrEqual),
        (">=", ComparisonOperator::GreaterOrEqual),
        ("<", ComparisonOperator::Less),
        (">", ComparisonOperator::Greater),
    ];
    let split = OPERATORS.iter().find_map(|(operator, comparison)| text.split_once(operator).map(|sides| (sides, *comparison)));
    let Some(((left, right), comparison)) = split else {
        return Ok(JsonPathStep::Filter { path: JsonPath::parse_within(text, true)?, test: None });
    };
    let right = right.trim();
    let wanted = match unquoted(right) {
        Some(text) => Value::String(text.to_owned()),
        None => serde_json::from_str(right).map_err(|_| JsonPathError(format!("unrecognized value {right} in filter")))?,
    };
    Ok(JsonPathStep::Filter { path: JsonPath::parse_within(left, true)?, test: Some((comparison, wanted)) })
}

fn unquoted(text: &str) -> Option<&str> {
    ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}
