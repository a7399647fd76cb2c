//! The marks around actions.

/// The marks around actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delimiters {
    /// The mark before an action. The default is `{{`.
    pub left: String,
    /// The mark after an action. The default is `}}`.
    pub right: String,
}

impl Default for Delimiters {
    fn default() -> Self {
        Self { left: "{{".to_owned(), right: "}}".to_owned() }
    }
}
