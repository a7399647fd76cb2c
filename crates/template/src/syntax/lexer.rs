//! From text to lexemes: delimiters, trim markers, comments, and the pieces of actions.

use memchr::memmem::Finder;

use super::characters::{SPACES, code_point, is_alphanumeric, is_space};
use super::delimiters::Delimiters;
use super::lexeme::{Keyword, Lexeme, LexemeKind};
use super::quote::quote;
use crate::format::is_printable;
use crate::function::FunctionSet;

const LEFT_COMMENT: &str = "/*";
const RIGHT_COMMENT: &str = "*/";
/// The length of a minus with the white space that makes it a trim marker.
const TRIM_MARKER: usize = 2;

/// The lexer of one text.
#[derive(Debug)]
pub(super) struct TemplateLexer<'a> {
    text: &'a str,
    left: &'a str,
    /// The search for the left delimiter.
    left_finder: Finder<'a>,
    right: &'a str,
    functions: &'a FunctionSet,
    position: usize,
    inside_action: bool,
    /// The number of open parentheses in the current action.
    parentheses: usize,
    failure: Option<(Lexeme, String)>,
}

impl<'a> TemplateLexer<'a> {
    /// Creates a lexer at the begin of a text. Empty delimiters are the default ones.
    pub(super) fn new(text: &'a str, delimiters: &'a Delimiters, functions: &'a FunctionSet) -> Self {
        let or = |delimiter: &'a str, default| if delimiter.is_empty() { default } else { delimiter };
        let (left, right) = (or(&delimiters.left, "{{"), or(&delimiters.right, "}}"));
        let left_finder = Finder::new(left);
        Self { text, left, left_finder, right, functions, position: 0, inside_action: false, parentheses: 0, failure: None }
    }

    /// Returns the reason for which the text is malformed.
    pub(super) fn failure(&self) -> &str {
        self.failure.as_ref().map_or("", |(_, message)| message)
    }

    /// Returns the next lexeme. After a malformed one, the same one is returned again.
    pub(super) fn next(&mut self) -> Lexeme {
        match &self.failure {
            Some((lexeme, _)) => *lexeme,
            None if self.inside_action => self.next_in_action(),
            None => self.next_outside(),
        }
    }

    fn next_outside(&mut self) -> Lexeme {
        loop {
            let start = self.position;
            let rest = &self.text[start..];
            let Some(length) = self.left_finder.find(rest.as_bytes()) else {
                self.position = self.text.len();
                let kind = if rest.is_empty() { LexemeKind::EndOfText } else { LexemeKind::Text };
                return self.lexeme(kind, start);
            };
            let delimiter = start + length;
            let mut inner = delimiter + self.left.len();
            let mut text_end = delimiter;
            if let [b'-', space, ..] = self.text.as_bytes()[inner..]
                && is_space(space)
            {
                text_end = start + rest[..length].trim_end_matches(SPACES).len();
                inner += TRIM_MARKER;
            }
            if text_end > start {
                self.position = delimiter;
                return Lexeme { kind: LexemeKind::Text, start, end: text_end };
            }
            if !self.text[inner..].starts_with(LEFT_COMMENT) {
                self.position = inner;
                self.inside_action = true;
                self.parentheses = 0;
                return Lexeme { kind: LexemeKind::LeftDelimiter, start: delimiter, end: delimiter + self.left.len() };
            }
            let content = inner + LEFT_COMMENT.len();
            let Some(length) = self.text[content..].find(RIGHT_COMMENT) else {
                return self.fail(inner, "unclosed comment");
            };
            let end = content + length + RIGHT_COMMENT.len();
            let Some(trims) = self.right_delimiter_at(end) else {
                return self.fail(inner, "comment ends before closing delimiter");
            };
            self.close(end, trims);
        }
    }

    fn next_in_action(&mut self) -> Lexeme {
        let start = self.position;
        if let Some(trims) = self.right_delimiter_at(start) {
            if self.parentheses > 0 {
                return self.fail(start, "unclosed left paren");
            }
            self.inside_action = false;
            return self.close(start, trims);
        }
        let Some(first) = self.bump() else {
            return self.fail(start, "unclosed action");
        };
        match first {
            ' ' | '\t' | '\r' | '\n' => {
                self.skip(is_space);
                // The last space may belong to a trim marker.
                if self.right_delimiter_at(self.position - 1) == Some(true) {
                    self.position -= 1;
                }
                self.lexeme(LexemeKind::Space, start)
            }
            '=' => self.lexeme(LexemeKind::Assign, start),
            ':' if self.accept(b"=") => self.lexeme(LexemeKind::Declare, start),
            ':' => self.fail(start, "expected :="),
            '|' => self.lexeme(LexemeKind::Pipe, start),
            '"' => self.quoted(start, b'"', LexemeKind::String, "unterminated quoted string"),
            '\'' => self.quoted(start, b'\'', LexemeKind::CharacterConstant, "unterminated character constant"),
            '`' => match self.text[self.position..].find('`') {
                Some(length) => {
                    self.position += length + 1;
                    self.lexeme(LexemeKind::RawString, start)
                }
                None => self.fail(start, "unterminated raw quoted string"),
            },
            '$' => self.name(start, LexemeKind::Variable, LexemeKind::Variable),
            '.' if self.byte().is_some_and(|byte| !byte.is_ascii_digit()) => {
                self.name(start, LexemeKind::Keyword(Keyword::Dot), LexemeKind::Field)
            }
            '.' | '+' | '-' | '0'..='9' => {
                self.position = start;
                self.number(start)
            }
            '(' => {
                self.parentheses += 1;
                self.lexeme(LexemeKind::LeftParenthesis, start)
            }
            ')' if self.parentheses == 0 => self.fail(start, "unexpected right paren"),
            ')' => {
                self.parentheses -= 1;
                self.lexeme(LexemeKind::RightParenthesis, start)
            }
            letter if is_alphanumeric(letter) => self.word(start),
            other if other.is_ascii() && is_printable(other) => self.lexeme(LexemeKind::Character, start),
            other => self.fail(start, format!("unrecognized character in action: {}", code_point(other))),
        }
    }

    /// Reads a field or a variable whose first character has been read; `bare` is the kind if nothing follows that character.
    fn name(&mut self, start: usize, bare: LexemeKind, kind: LexemeKind) -> Lexeme {
        if self.at_terminator() {
            return self.lexeme(bare, start);
        }
        self.rest_of_name(start, kind)
    }

    fn word(&mut self, start: usize) -> Lexeme {
        let lexeme = self.rest_of_name(start, LexemeKind::Identifier);
        let word = lexeme.value(self.text);
        match Keyword::of(word) {
            _ if lexeme.kind == LexemeKind::Malformed => lexeme,
            // Functions of these names are older than the keywords, and win.
            Some(Keyword::Break | Keyword::Continue) if self.functions.get(word).is_some() => lexeme,
            Some(keyword) => Lexeme { kind: LexemeKind::Keyword(keyword), ..lexeme },
            None if matches!(word, "true" | "false") => Lexeme { kind: LexemeKind::Bool, ..lexeme },
            None => lexeme,
        }
    }

    fn rest_of_name(&mut self, start: usize, kind: LexemeKind) -> Lexeme {
        // Most names are ASCII, whose bytes need not be decoded.
        self.skip(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if self.byte().is_some_and(|byte| !byte.is_ascii()) {
            let rest = &self.text[self.position..];
            self.position += rest.find(|character| !is_alphanumeric(character)).unwrap_or(rest.len());
        }
        if self.at_terminator() {
            return self.lexeme(kind, start);
        }
        match self.text[self.position..].chars().next() {
            Some(next) => self.fail(start, format!("bad character {}", code_point(next))),
            None => self.lexeme(kind, start),
        }
    }

    /// Reads a string or a character constant whose opening quote has been read. Its content is checked by the parser.
    fn quoted(&mut self, start: usize, quote: u8, kind: LexemeKind, unterminated: &str) -> Lexeme {
        while let Some(byte) = self.byte() {
            self.position += 1;
            match byte {
                b'\\' if self.byte().is_some_and(|next| next != b'\n') => {
                    self.bump();
                }
                b'\\' | b'\n' => break,
                _ if byte == quote => return self.lexeme(kind, start),
                _ => {}
            }
        }
        self.fail(start, unterminated)
    }

    /// Reads a number. Some malformed numbers pass, such as `089`; the parser refuses them.
    fn number(&mut self, start: usize) -> Lexeme {
        let mut kind = LexemeKind::Number;
        let mut good = self.real_or_imaginary();
        if good && matches!(self.byte(), Some(b'+' | b'-')) {
            kind = LexemeKind::Complex;
            good = self.real_or_imaginary() && self.text.as_bytes()[self.position - 1] == b'i';
        }
        if good {
            return self.lexeme(kind, start);
        }
        let number = quote(&self.text[start..self.position]);
        self.fail(start, format!("bad number syntax: {number}"))
    }

    /// Reads one number. Returns false if a letter or a digit follows it, which is read too, for the error.
    fn real_or_imaginary(&mut self) -> bool {
        const DECIMAL: &[u8] = b"0123456789_";
        self.accept(b"+-");
        let mut digits = DECIMAL;
        let mut exponent: &[u8] = b"eE";
        if self.accept(b"0") {
            if self.accept(b"xX") {
                (digits, exponent) = (b"0123456789abcdefABCDEF_", b"pP");
            } else if self.accept(b"oO") {
                (digits, exponent) = (b"01234567_", b"");
            } else if self.accept(b"bB") {
                (digits, exponent) = (b"01_", b"");
            }
        }
        self.skip(|byte| digits.contains(&byte));
        if self.accept(b".") {
            self.skip(|byte| digits.contains(&byte));
        }
        if self.accept(exponent) {
            self.accept(b"+-");
            self.skip(|byte| DECIMAL.contains(&byte));
        }
        self.accept(b"i");
        let follows = self.text[self.position..].chars().next().filter(|next| is_alphanumeric(*next));
        self.position += follows.map_or(0, char::len_utf8);
        follows.is_none()
    }

    /// Passes a right delimiter, with the white space after it if it has a trim marker.
    fn close(&mut self, mut start: usize, trims: bool) -> Lexeme {
        if trims {
            start += TRIM_MARKER;
        }
        self.position = start + self.right.len();
        let lexeme = self.lexeme(LexemeKind::RightDelimiter, start);
        if trims {
            self.skip(is_space);
        }
        lexeme
    }

    /// Returns true for a right delimiter with a trim marker at an offset, false for one without; None if no delimiter is there.
    fn right_delimiter_at(&self, offset: usize) -> Option<bool> {
        let rest = &self.text.as_bytes()[offset..];
        let right = self.right.as_bytes();
        match rest {
            [space, b'-', after @ ..] if is_space(*space) && after.starts_with(right) => Some(true),
            _ => rest.starts_with(right).then_some(false),
        }
    }

    /// Returns true if a name may end here.
    fn at_terminator(&self) -> bool {
        self.byte().is_none_or(|byte| is_space(byte) || matches!(byte, b'.' | b',' | b'|' | b':' | b'(' | b')'))
            || self.text.as_bytes()[self.position..].starts_with(self.right.as_bytes())
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn bump(&mut self) -> Option<char> {
        let next = self.text[self.position..].chars().next();
        self.position += next.map_or(0, char::len_utf8);
        next
    }

    /// Passes the next byte if it is one of these, all of which are ASCII.
    fn accept(&mut self, bytes: &[u8]) -> bool {
        let accepted = self.byte().is_some_and(|byte| bytes.contains(&byte));
        self.position += usize::from(accepted);
        accepted
    }

    /// Passes bytes of a class, all of which are ASCII.
    fn skip(&mut self, class: impl Fn(u8) -> bool) {
        while self.byte().is_some_and(&class) {
            self.position += 1;
        }
    }

    fn lexeme(&self, kind: LexemeKind, start: usize) -> Lexeme {
        Lexeme { kind, start, end: self.position }
    }

    fn fail(&mut self, start: usize, message: impl Into<String>) -> Lexeme {
        let lexeme = self.lexeme(LexemeKind::Malformed, start);
        self.failure = Some((lexeme, message.into()));
        lexeme
    }
}
