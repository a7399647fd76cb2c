//! Regular expressions in the syntax of Go: braces may be literal, and classes are ASCII.
//!
//! See <https://pkg.go.dev/regexp/syntax>. An expression is translated for the regex crate; errors have the texts of Go.

#[cfg(test)]
mod tests;
mod translator;

use regex::Regex;

/// A compiled expression with the names of its groups, which need not be names of the regex crate.
#[derive(Clone, Debug)]
pub struct GoPattern {
    /// The expression for the regex crate. Its groups have no names.
    pub regex: Regex,
    /// The names of the groups by index; None for a group without a name, and for the whole expression at 0.
    pub names: Vec<Option<String>>,
}

impl GoPattern {
    /// Compiles an expression. An error has the text of Go.
    pub fn compile(source: &str) -> Result<Self, String> {
        translator::compile(source)
    }
}

/// Compiles an expression of which the names of groups do not matter. An error has the text of Go.
pub fn compile(source: &str) -> Result<Regex, String> {
    GoPattern::compile(source).map(|pattern| pattern.regex)
}
