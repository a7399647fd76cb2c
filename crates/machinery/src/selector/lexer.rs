//! The tokens of a label selector.

/// A token and, for those with content, its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    Comma,
    Not,
    Equals,
    DoubleEquals,
    NotEquals,
    Greater,
    Less,
    In,
    NotIn,
    Word(&'a str),
    End,
}

impl Token<'_> {
    /// Returns the text of the token, as error messages quote it.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Open => "(",
            Self::Close => ")",
            Self::Comma => ",",
            Self::Not => "!",
            Self::Equals => "=",
            Self::DoubleEquals => "==",
            Self::NotEquals => "!=",
            Self::Greater => ">",
            Self::Less => "<",
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Word(text) => text,
            Self::End => "",
        }
    }
}

/// Splits a text into tokens; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while let Some(first) = rest.chars().next() {
        let (token, length) = if is_special(first) { special(rest) } else { word(rest) };
        tokens.push(token);
        rest = rest[length..].trim_start_matches(is_space);
    }
    tokens.push(Token::End);
    tokens
}

fn word(rest: &str) -> (Token<'_>, usize) {
    let length = rest.find(|c| is_special(c) || is_space(c)).unwrap_or(rest.len());
    let token = match &rest[..length] {
        "in" => Token::In,
        "notin" => Token::NotIn,
        other => Token::Word(other),
    };
    (token, length)
}

/// Reads an operator. `==` and `!=` are read before `=` and `!`; every other special character is a token by itself.
fn special(rest: &str) -> (Token<'_>, usize) {
    let token = match rest.as_bytes() {
        [b'=', b'=', ..] => Token::DoubleEquals,
        [b'!', b'=', ..] => Token::NotEquals,
        [b'=', ..] => Token::Equals,
        [b'!', ..] => Token::Not,
        [b'(', ..] => Token::Open,
        [b')', ..] => Token::Close,
        [b'>', ..] => Token::Greater,
        [b'<', ..] => Token::Less,
        _ => Token::Comma,
    };
    (token, token.text().len())
}

fn is_special(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}
