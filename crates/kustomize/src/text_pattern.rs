//! Regular expressions of kustomizations.

use kubewright_machinery::pattern;
use regex::Regex;

/// A regular expression. Most are names, whose compilation would take more time and memory than all else of a selection; those without special
/// characters are compared as texts.
#[derive(Clone, Debug)]
pub(crate) enum TextPattern {
    /// An expression that matches a text as a whole, and itself alone.
    Whole(String),
    /// An expression that matches each text that contains it.
    Part(String),
    /// Any other expression.
    Expression(Regex),
}

impl TextPattern {
    /// Creates the pattern of an expression for whole texts. The error says why it is none.
    pub(crate) fn whole(source: &str) -> Result<Self, String> {
        if is_plain(source) {
            return Ok(Self::Whole(source.to_owned()));
        }
        pattern::compile(&format!("^(?:{source})$")).map(Self::Expression)
    }

    /// Creates the pattern of an expression for parts of texts. The error says why it is none.
    pub(crate) fn part(source: &str) -> Result<Self, String> {
        if is_plain(source) { Ok(Self::Part(source.to_owned())) } else { pattern::compile(source).map(Self::Expression) }
    }

    /// Returns true for a text that the expression matches.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Whole(expected) => text == expected,
            Self::Part(part) => text.contains(part.as_str()),
            Self::Expression(regex) => regex.is_match(text),
        }
    }
}

/// Returns true for an expression of which each character stands for itself.
pub(crate) fn is_plain(source: &str) -> bool {
    source.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/' | b':' | b'@' | b'='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_as_their_expressions_would() {
        for source in ["", "a", "a-b", "a/b_c:1@d=e", "a.b", "a|b", "^a"] {
            for text in ["", "a", "xa", "a-b", "a-bc", "a/b_c:1@d=e", "axb", "b"] {
                let whole = Regex::new(&format!("^(?:{source})$")).unwrap().is_match(text);
                assert_eq!(TextPattern::whole(source).unwrap().is_match(text), whole, "{source} {text}");
                let part = Regex::new(source).unwrap().is_match(text);
                assert_eq!(TextPattern::part(source).unwrap().is_match(text), part, "{source} {text}");
            }
        }
        assert!(TextPattern::whole("(").is_err() && TextPattern::part("(").is_err());
    }
}
