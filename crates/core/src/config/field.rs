//! The declaration of one key of a configuration.

use std::cmp::Ordering;

use super::{ConfigValue, ValueError};

/// The conversion of the text of a key to a `T`.
#[derive(Debug)]
pub struct Parser<T> {
    pub(super) parse: fn(&str) -> Result<T, ValueError>,
    pub(super) absent: fn() -> Option<T>,
}

impl<T> Parser<T> {
    /// Creates a parser of trimmed texts. `absent` is the value of a key that is empty, or absent without default, as [`ConfigValue::absent`] has it.
    pub fn new(parse: fn(&str) -> Result<T, ValueError>, absent: fn() -> Option<T>) -> Self {
        Self { parse, absent }
    }
}

impl<T: ConfigValue> Default for Parser<T> {
    fn default() -> Self {
        Self::new(T::parse, T::absent)
    }
}

/// A key with its former names, default, range and type; or a prefix of keys with the range and type of their values.
#[derive(Debug)]
pub struct Field<'a, T> {
    pub(super) name: &'a str,
    pub(super) aliases: Vec<&'a str>,
    default: Option<&'a str>,
    range: Option<ValueRange<'a, T>>,
    parser: Parser<T>,
}

#[derive(Debug)]
struct ValueRange<'a, T> {
    text: &'a str,
    compare: fn(&T, &T) -> Option<Ordering>,
}

/// A range whose bounds are parsed.
#[derive(Debug)]
pub(super) struct Bounds<'a, T> {
    compare: fn(&T, &T) -> Option<Ordering>,
    least: Option<(&'a str, T)>,
    most: Option<(&'a str, T)>,
    inclusive: bool,
}

impl<'a, T> Field<'a, T> {
    /// Creates a key whose type has a text form.
    pub fn new(name: &'a str) -> Self
    where
        T: ConfigValue,
    {
        Self::parsed_by(name, Parser::default())
    }

    /// Creates a key with a parser of its own.
    pub fn parsed_by(name: &'a str, parser: Parser<T>) -> Self {
        Self { name, aliases: Vec::new(), default: None, range: None, parser }
    }

    /// Adds a former name. Of several names that are present the key itself counts, then the former names in the order in which they are given; only
    /// the one that counts must parse.
    #[must_use]
    pub fn alias(mut self, name: &'a str) -> Self {
        self.aliases.push(name);
        self
    }

    /// Sets the text that is used if the key is absent.
    #[must_use]
    pub fn default(mut self, text: &'a str) -> Self {
        self.default = Some(text);
        self
    }

    /// Sets the range of the value, as a Rust range whose bounds are texts of the value: `6s..=1h`, `1..`, `..=10`, `0.5..1`.
    #[must_use]
    pub fn range(mut self, text: &'a str) -> Self
    where
        T: PartialOrd,
    {
        self.range = Some(ValueRange { text, compare: T::partial_cmp });
        self
    }

    /// Returns the bounds of the range; none without a range.
    pub(super) fn bounds(&self) -> Result<Option<Bounds<'a, T>>, ValueError> {
        let Some(range) = &self.range else { return Ok(None) };
        range.bounds(&self.parser).map(Some)
    }

    /// Parses a text.
    pub(super) fn parse(&self, text: &str, bounds: Option<&Bounds<'_, T>>) -> Result<T, ValueError> {
        let text = text.trim();
        if text.is_empty()
            && let Some(absent) = (self.parser.absent)()
        {
            return Ok(absent);
        }
        let value = (self.parser.parse)(text)?;
        match bounds {
            Some(bounds) => bounds.check(text, value),
            None => Ok(value),
        }
    }

    /// Returns the value of the key if it is absent; none without default.
    pub(super) fn default_value(&self, bounds: Option<&Bounds<'_, T>>) -> Result<Option<T>, ValueError> {
        let Some(text) = self.default else { return Ok(None) };
        let value =
            self.parse(text, bounds).map_err(|cause| ValueError::new(format_args!("its default cannot be used: {cause}")))?;
        Ok(Some(value))
    }

    /// Returns the value of the key if it is absent and has no default.
    pub(super) fn absent(&self) -> Result<T, ValueError> {
        (self.parser.absent)().ok_or_else(|| ValueError::new("it is missing and has no default"))
    }
}

impl<'a, T> ValueRange<'a, T> {
    fn bounds(&self, parser: &Parser<T>) -> Result<Bounds<'a, T>, ValueError> {
        let invalid = |cause: &str| ValueError::new(format_args!("its range {:?} cannot be used: {cause}", self.text));
        let Some((least, most)) = self.text.split_once("..") else {
            return Err(invalid("it must have the form least..=most"));
        };
        let (most, inclusive) = most.strip_prefix('=').map_or((most, false), |most| (most, true));
        let read = |text: &'a str| match text.trim() {
            "" => Ok(None),
            text => (parser.parse)(text).map(|bound| Some((text, bound))).map_err(|cause| invalid(&cause.to_string())),
        };
        let bounds = Bounds { compare: self.compare, least: read(least)?, most: read(most)?, inclusive };
        if bounds.is_empty() {
            return Err(invalid("no value lies in it"));
        }
        Ok(bounds)
    }
}

impl<T> Bounds<'_, T> {
    fn check(&self, text: &str, value: T) -> Result<T, ValueError> {
        let high_enough = self.least.as_ref().is_none_or(|(_, least)| self.is_at_most(least, &value, true));
        let low_enough = self.most.as_ref().is_none_or(|(_, most)| self.is_at_most(&value, most, self.inclusive));
        if high_enough && low_enough {
            return Ok(value);
        }
        Err(ValueError::new(format_args!("must be {}, but is {text:?}", self.describe())))
    }

    fn is_empty(&self) -> bool {
        match (&self.least, &self.most) {
            (Some((_, least)), Some((_, most))) => !self.is_at_most(least, most, self.inclusive),
            _ => false,
        }
    }

    fn is_at_most(&self, one: &T, other: &T, inclusive: bool) -> bool {
        match (self.compare)(one, other) {
            Some(Ordering::Less) => true,
            Some(Ordering::Equal) => inclusive,
            Some(Ordering::Greater) | None => false,
        }
    }

    fn describe(&self) -> String {
        let least = self.least.as_ref().map(|(least, _)| format!("at least {least}"));
        let word = if self.inclusive { "at most" } else { "less than" };
        let most = self.most.as_ref().map(|(most, _)| format!("{word} {most}"));
        least.into_iter().chain(most).collect::<Vec<_>>().join(" and ")
    }
}
