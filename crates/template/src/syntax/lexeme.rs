//! The pieces of a template that the lexer finds.

use super::quote::quote_cut;

/// A piece of a template. It refers to the text and holds no copy of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lexeme {
    pub(super) kind: LexemeKind,
    /// The offset of the first byte.
    pub(super) start: usize,
    /// The offset after the last byte.
    pub(super) end: usize,
}

/// The kinds of pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LexemeKind {
    /// The text is malformed from here on; the lexer has the message.
    Malformed,
    /// The end of the text.
    EndOfText,
    /// Text outside of actions.
    Text,
    LeftDelimiter,
    RightDelimiter,
    LeftParenthesis,
    RightParenthesis,
    /// White space between operands.
    Space,
    /// `|`.
    Pipe,
    /// `=`.
    Assign,
    /// `:=`.
    Declare,
    /// A printable ASCII character without meaning of its own, among them the comma.
    Character,
    Bool,
    /// A character constant in single quotes.
    CharacterConstant,
    Number,
    /// A sum of a real and an imaginary number.
    Complex,
    /// A string in double quotes.
    String,
    /// A string in back quotes.
    RawString,
    /// `.name`.
    Field,
    Identifier,
    /// `$` or `$name`.
    Variable,
    Keyword(Keyword),
}

/// The reserved words, and `.`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Dot,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

impl Keyword {
    /// Returns the keyword of a word.
    pub(super) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "block" => Self::Block,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "define" => Self::Define,
            "else" => Self::Else,
            "end" => Self::End,
            "if" => Self::If,
            "nil" => Self::Nil,
            "range" => Self::Range,
            "template" => Self::Template,
            "with" => Self::With,
            _ => return None,
        })
    }
}

impl Lexeme {
    /// Returns the piece of the text.
    pub(super) fn value<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Returns the piece as errors show it: keywords in angle brackets, everything else quoted.
    pub(super) fn describe(&self, text: &str) -> String {
        match self.kind {
            LexemeKind::EndOfText => "EOF".to_owned(),
            LexemeKind::Keyword(_) => format!("<{}>", self.value(text)),
            _ => quote_cut(self.value(text)),
        }
    }
}
