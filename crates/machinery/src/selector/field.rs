//! Field selectors: `metadata.name=a,status.phase!=Running`.

use std::fmt;

use super::SelectorError;

/// A conjunction of requirements on fields. Without requirements it matches all objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct FieldSelector {
    requirements: Vec<FieldRequirement>,
}

/// One condition on one field.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldRequirement {
    /// The name of the field, for example `metadata.name`.
    pub field: String,
    /// True if the value must be this one; false if it must not be this one.
    pub equal: bool,
    /// The value.
    pub value: String,
}

impl FieldSelector {
    /// Parses a selector from a query. The fields are not checked, because only the server of a kind knows which exist.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut requirements = Vec::new();
        for term in terms(text).into_iter().filter(|term| !term.is_empty()) {
            let Some((field, equal, value)) = split(term) else {
                return Err(SelectorError(format!("invalid selector: '{text}'; can't understand '{term}'")));
            };
            requirements.push(FieldRequirement { field: field.to_owned(), equal, value: unescape(value)? });
        }
        Ok(Self { requirements })
    }

    /// Creates a selector that matches objects which meet all the requirements.
    pub fn new(requirements: Vec<FieldRequirement>) -> Self {
        Self { requirements }
    }

    /// Creates a selector that matches objects whose `field` has `value`.
    pub fn equal(field: impl Into<String>, value: impl Into<String>) -> Self {
        Self { requirements: vec![FieldRequirement { field: field.into(), equal: true, value: value.into() }] }
    }

    /// Returns the requirements, all of which must be met.
    pub fn requirements(&self) -> &[FieldRequirement] {
        &self.requirements
    }

    /// Returns true if all objects match.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Returns true if an object matches whose fields are read by `value_of`; an absent field counts as `""`.
    pub fn matches<V: AsRef<str>>(&self, value_of: impl Fn(&str) -> V) -> bool {
        self.requirements
            .iter()
            .all(|requirement| (value_of(&requirement.field).as_ref() == requirement.value) == requirement.equal)
    }

    /// Returns the value that the selector requires of a field, if it does.
    pub fn required(&self, field: &str) -> Option<&str> {
        self.requirements
            .iter()
            .find(|requirement| requirement.equal && requirement.field == field)
            .map(|requirement| requirement.value.as_str())
    }
}

/// Prints the selector in the form of a query.
impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, FieldRequirement { field, equal, value }) in self.requirements.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let operator = if *equal { "=" } else { "!=" };
            write!(f, "{comma}{field}{operator}")?;
            for c in value.chars() {
                let escape = if matches!(c, '\\' | ',' | '=') { "\\" } else { "" };
                write!(f, "{escape}{c}")?;
            }
        }
        Ok(())
    }
}

/// Splits a text at commas that are not escaped by a backslash.
fn terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (index, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ',' => {
                terms.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn split(term: &str) -> Option<(&str, bool, &str)> {
    let at = term.find('=')?;
    let (before, after) = (&term[..at], &term[at + 1..]);
    Some(match before.strip_suffix('!') {
        Some(field) => (field, false, after),
        None => (before, true, after.strip_prefix('=').unwrap_or(after)),
    })
}

fn unescape(value: &str) -> Result<String, SelectorError> {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => text.push(escaped),
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(SelectorError(format!("invalid field selector: invalid escape sequence: \\{other}")));
                }
            },
            ',' | '=' => {
                return Err(SelectorError(format!("invalid field selector: unescaped character in value: {}", u32::from(c))));
            }
            _ => text.push(c),
        }
    }
    Ok(text)
}
