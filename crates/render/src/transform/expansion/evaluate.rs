//! ExpansionEvaluation of parsed expansions.

use std::collections::BTreeMap;

use super::glob::PrefixPattern;
use super::{ExpansionError, ExpansionOperation, LARGEST_EXPANSION, TextPart, VariableExpansion};

/// The largest number of steps in which all patterns of a text are matched.
const MATCHING_STEPS: usize = 50_000_000;

/// The evaluation of one text.
pub(super) struct ExpansionEvaluation<'a> {
    variables: &'a BTreeMap<String, String>,
    /// The number of bytes that may still be made.
    bytes: usize,
    /// The number of steps in which patterns may still be matched.
    steps: usize,
}

impl<'a> ExpansionEvaluation<'a> {
    pub(super) fn new(variables: &'a BTreeMap<String, String>) -> Self {
        Self { variables, bytes: LARGEST_EXPANSION, steps: MATCHING_STEPS }
    }

    /// Returns the text of parts.
    pub(super) fn text(&mut self, parts: &[TextPart]) -> Result<String, ExpansionError> {
        let mut text = String::new();
        for part in parts {
            match part {
                TextPart::Literal(literal) => {
                    self.take(literal.len())?;
                    text.push_str(literal);
                }
                TextPart::Expansion(expansion) => text.push_str(&self.expansion(expansion)?),
            }
        }
        Ok(text)
    }

    fn expansion(&mut self, expansion: &VariableExpansion) -> Result<String, ExpansionError> {
        let arguments: Vec<String> =
            expansion.arguments.iter().map(|argument| self.text(std::slice::from_ref(argument))).collect::<Result<_, _>>()?;
        let variables = self.variables;
        let value = variables.get(&expansion.variable).map_or("", String::as_str);
        let (first, second) = (arguments.first().map_or("", String::as_str), arguments.get(1).map(String::as_str));
        let result = match expansion.operation {
            ExpansionOperation::Default if value.is_empty() => arguments.concat(),
            ExpansionOperation::Default => value.to_owned(),
            ExpansionOperation::Length => value.len().to_string(),
            ExpansionOperation::Lower => value.chars().map(lower).collect(),
            ExpansionOperation::Upper => value.chars().map(upper).collect(),
            ExpansionOperation::LowerFirst => first_changed(value, lower),
            ExpansionOperation::UpperFirst => first_changed(value, upper),
            ExpansionOperation::Cut => cut(value, first, second)?.to_owned(),
            ExpansionOperation::ShortestPrefix => {
                let prefixes = self.prefixes(value, first)?;
                value[prefixes.map_or(0, |(shortest, _)| shortest)..].to_owned()
            }
            ExpansionOperation::LongestPrefix => {
                let prefixes = self.prefixes(value, first)?;
                value[prefixes.map_or(0, |(_, longest)| longest)..].to_owned()
            }
            ExpansionOperation::ShortestSuffix => self.without_suffix(value, first, |(shortest, _)| shortest)?,
            ExpansionOperation::LongestSuffix => self.without_suffix(value, first, |(_, longest)| longest)?,
            ExpansionOperation::ReplaceFirst => value.replacen(first, second.unwrap_or_default(), 1),
            ExpansionOperation::ReplaceAll => {
                let new = second.unwrap_or_default();
                self.take(value.matches(first).count().saturating_mul(new.len()))?;
                value.replace(first, new)
            }
            // Without a replacement, prefixes and suffixes stay.
            ExpansionOperation::ReplacePrefix => match (value.strip_prefix(first), second) {
                (Some(rest), Some(new)) => format!("{new}{rest}"),
                _ => value.to_owned(),
            },
            ExpansionOperation::ReplaceSuffix => match (value.strip_suffix(first), second) {
                (Some(rest), Some(new)) => format!("{rest}{new}"),
                _ => value.to_owned(),
            },
        };
        self.take(result.len())?;
        Ok(result)
    }

    /// Returns the lengths of the shortest and of the longest prefix that match a pattern.
    fn prefixes(&mut self, value: &str, pattern: &str) -> Result<Option<(usize, usize)>, ExpansionError> {
        let Some(pattern) = PrefixPattern::compile(pattern) else { return Ok(None) };
        let steps = value.len().saturating_mul(pattern.len() + 1);
        self.steps = self.steps.checked_sub(steps).ok_or(ExpansionError::TooLarge)?;
        Ok(pattern.prefixes(value))
    }

    /// Returns a value without a suffix, which is the prefix of the reversed value that matches the reversed pattern.
    fn without_suffix(
        &mut self,
        value: &str,
        pattern: &str,
        choose: fn((usize, usize)) -> usize,
    ) -> Result<String, ExpansionError> {
        let (reversed, pattern): (String, String) = (value.chars().rev().collect(), pattern.chars().rev().collect());
        let suffix = self.prefixes(&reversed, &pattern)?.map_or(0, choose);
        Ok(value[..value.len() - suffix].to_owned())
    }

    fn take(&mut self, bytes: usize) -> Result<(), ExpansionError> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(ExpansionError::TooLarge)?;
        Ok(())
    }
}

/// Returns the part of a value from a position on, with a length. Negative numbers count from the end. A number that is none leaves the value.
fn cut<'a>(value: &'a str, position: &str, length: Option<&str>) -> Result<&'a str, ExpansionError> {
    let size = i64::try_from(value.len()).unwrap_or(i64::MAX);
    let Ok(position) = position.parse::<i64>() else { return Ok(value) };
    let start = if position < 0 { size.saturating_add(position).max(0) } else { position };
    let end = match length.map(str::parse::<i64>) {
        None => size,
        Some(Err(_)) => return Ok(value),
        Some(Ok(length)) if length < 0 => size.saturating_add(length),
        Some(Ok(length)) => start.saturating_add(length).min(size),
    };
    if start >= end {
        return Ok("");
    }
    let index = |number: i64| usize::try_from(number).unwrap_or_default();
    value.get(index(start)..index(end)).ok_or(ExpansionError::InsideCharacter)
}

fn first_changed(value: &str, change: fn(char) -> char) -> String {
    let mut characters = value.chars();
    characters.next().map(change).into_iter().chain(characters).collect()
}

/// Returns a character in lower case, if that is one character, too.
fn lower(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => character,
    }
}

/// Returns a character in upper case, if that is one character, too.
fn upper(character: char) -> char {
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => character,
    }
}
