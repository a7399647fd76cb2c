//! Expansion of `${…}` in a text, with the results of `envsubst` of Flux, a fork of drone/envsubst.
//!
//! Differences are limits, and that a cut or a pattern never ends inside of a character.

mod evaluate;
mod glob;
mod parse;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use evaluate::ExpansionEvaluation;
use parse::ExpansionParser;

/// The largest size of an expanded text, and of all texts together that are made for it, in bytes.
const LARGEST_EXPANSION: usize = 32 * 1024 * 1024;

/// The largest number of expansions inside of each other.
const DEEPEST_EXPANSION: usize = 50;

/// The reason for which a text cannot be expanded. No message contains a part of the text or of a value, either of which may be secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ExpansionError {
    #[error("bad substitution")]
    BadSubstitution,
    #[error("missing closing brace")]
    MissingClosingBrace,
    #[error("unable to parse variable name")]
    VariableName,
    #[error("unable to parse substitution within function")]
    Argument,
    #[error("more than {DEEPEST_EXPANSION} expansions are inside of each other")]
    TooDeep,
    #[error("the result is larger than {LARGEST_EXPANSION} bytes, or matching its patterns takes too many steps")]
    TooLarge,
    #[error("a position or length is inside of a character; they are numbers of bytes of UTF-8")]
    InsideCharacter,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
enum TextPart {
    Literal(String),
    Expansion(VariableExpansion),
}

/// A variable with the operation that is done with its value.
#[derive(Clone, Debug, PartialEq)]
struct VariableExpansion {
    variable: String,
    operation: ExpansionOperation,
    arguments: Vec<TextPart>,
}

/// The operation with the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExpansionOperation {
    /// The value, or the arguments if it is empty.
    Default,
    Length,
    LowerFirst,
    Lower,
    UpperFirst,
    Upper,
    Cut,
    ShortestPrefix,
    LongestPrefix,
    ShortestSuffix,
    LongestSuffix,
    ReplaceFirst,
    ReplaceAll,
    ReplacePrefix,
    ReplaceSuffix,
}

/// Returns a text with all its expansions. Unknown variables are empty.
pub(super) fn expand(text: &str, variables: &BTreeMap<String, String>) -> Result<String, ExpansionError> {
    let parts = ExpansionParser::new(text).parse()?;
    ExpansionEvaluation::new(variables).text(&parts)
}

/// Returns the reason for which a text cannot be parsed.
pub(super) fn fault(text: &str) -> Option<ExpansionError> {
    ExpansionParser::new(text).parse().err()
}
