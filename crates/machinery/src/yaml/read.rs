//! Parsing of documents. The rules are those of YAML 1.1 as Kubernetes applies them, except that a duplicate key is an error.

use std::collections::BTreeMap;

use serde_json::{Number, Value};
use serde_saphyr::options::DuplicateKeyPolicy;
use thiserror::Error;

use super::depth::with_room;

pub(super) const DEPTH: usize = 100;
pub(super) const NODES: usize = 1_000_000;
pub(super) const ALIASES: usize = 100;
/// The largest number of events that all aliases of a text may expand to; more is considered an attack.
pub(super) const REPLAYED: usize = 50_000;

/// The errors of a text that is not valid YAML, or that exceeds a limit.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum YamlError {
    /// The text cannot be read. The message contains the line and column, never the content.
    #[error("read YAML: {0}")]
    Read(#[source] serde_saphyr::Error),
    /// The text does not hold exactly one document.
    #[error("read YAML: found {found} documents instead of one")]
    NotOne {
        /// The number of documents, without empty ones.
        found: usize,
    },
    /// A text that is read as programs of Go read it cannot be read.
    #[error("read YAML: {reason} at line {line}, column {column}")]
    Invalid {
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// The reason, without the content.
        reason: String,
    },
}

impl YamlError {
    /// Returns the line and column of the problem, both from 1, if they are known.
    pub fn location(&self) -> Option<(u64, u64)> {
        match self {
            Self::Read(error) => error.location().map(|location| (location.line(), location.column())),
            Self::NotOne { .. } => None,
            Self::Invalid { line, column, .. } => Some((*line, *column)),
        }
    }
}

/// Reads all documents of a text. Empty ones are left out. A repeated key is an error.
///
/// For manifests, and everything else that kubectl reads. As for kubectl, the last line of a text counts as if it ended with a line break.
pub fn documents(text: &str) -> Result<Vec<Value>, YamlError> {
    read(text, DuplicateKeyPolicy::Error)
}

/// A key that occurs more than once in one mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedKey {
    /// The line, from 1, on which the key is repeated.
    pub line: u64,
    /// The key.
    pub key: String,
}

/// Reads all documents of a text that may repeat keys; the last value of a key counts. Also returns the first repeated key.
///
/// For bodies of requests, whose clients decide about repeated keys; [`documents`] is for manifests.
pub fn documents_with_repeats(text: &str) -> Result<(Vec<Value>, Option<RepeatedKey>), YamlError> {
    let error = match documents(text) {
        Ok(documents) => return Ok((documents, None)),
        Err(error) => error,
    };
    let YamlError::Read(cause) = &error else { return Err(error) };
    let serde_saphyr::Error::DuplicateMappingKey { key, location } = cause.without_snippet() else { return Err(error) };
    let repeated = RepeatedKey { line: location.line(), key: key.clone().unwrap_or_default() };
    Ok((read(text, DuplicateKeyPolicy::LastWins)?, Some(repeated)))
}

/// Reads a text that holds exactly one document, by the rules of [`documents`].
pub fn document(text: &str) -> Result<Value, YamlError> {
    let mut documents = documents(text)?;
    match documents.pop() {
        Some(document) if documents.is_empty() => Ok(document),
        last => Err(YamlError::NotOne { found: documents.len() + usize::from(last.is_some()) }),
    }
}

/// Reads a mapping of scalars, each as it is written: `0.10` and `yes` are texts. A scalar without text, or `null`, is the empty text, and a text
/// without content the empty mapping.
pub fn texts(text: &str) -> Result<BTreeMap<String, String>, YamlError> {
    type Mapping = Option<BTreeMap<String, Option<String>>>;
    let reading = || serde_saphyr::from_multiple_with_options::<Mapping>(text, options(DuplicateKeyPolicy::Error));
    let mappings: Vec<_> = with_room(text, reading).map_err(YamlError::Read)?.into_iter().flatten().collect();
    if mappings.len() > 1 {
        return Err(YamlError::NotOne { found: mappings.len() });
    }
    Ok(mappings.into_iter().flatten().map(|(key, text)| (key, text.unwrap_or_default())).collect())
}

fn read(text: &str, repeats: DuplicateKeyPolicy) -> Result<Vec<Value>, YamlError> {
    let reading = || serde_saphyr::from_multiple_with_options::<Value>(text, options(repeats));
    let mut documents: Vec<Value> = with_room(text, reading).map_err(YamlError::Read)?;
    documents.retain(|document| !document.is_null());
    documents.iter_mut().for_each(settle_numbers);
    Ok(documents)
}

fn options(repeats: DuplicateKeyPolicy) -> serde_saphyr::Options {
    serde_saphyr::options! {
        duplicate_keys: repeats,
        budget: serde_saphyr::budget! { max_depth: DEPTH, max_nodes: NODES, max_aliases: ALIASES },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: REPLAYED },
        legacy_octal_numbers: true,
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::Reject,
        // A snippet in an error could disclose a secret.
        with_snippet: false,
    }
}

/// Converts floats such as `1e3`, `08` and `1.0` to whole numbers, as Kubernetes does because it converts YAML to JSON.
pub(super) fn settle_numbers(value: &mut Value) {
    // 2^63, the first float that does not fit an `i64`.
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(float) = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < BOUND) {
                *number = Number::from(float as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(settle_numbers),
        Value::Object(fields) => fields.values_mut().for_each(settle_numbers),
        _ => {}
    }
}
