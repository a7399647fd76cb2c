//! Lexemes in order, with a way back.

use super::lexeme::{Lexeme, LexemeKind};
use super::lexer::TemplateLexer;

/// The lexemes of a text. Lexemes can be put back, the last one first.
#[derive(Debug)]
pub(super) struct Lookahead<'a> {
    lexer: TemplateLexer<'a>,
    put_back: Vec<Lexeme>,
    latest: Lexeme,
}

impl<'a> Lookahead<'a> {
    pub(super) fn new(lexer: TemplateLexer<'a>) -> Self {
        Self { lexer, put_back: Vec::new(), latest: Lexeme { kind: LexemeKind::EndOfText, start: 0, end: 0 } }
    }

    /// Returns the reason for which the text is malformed.
    pub(super) fn failure(&self) -> &str {
        self.lexer.failure()
    }

    /// Returns the lexeme that the lexer found last. Its line is the line of errors, even if lexemes were put back.
    pub(super) const fn latest(&self) -> Lexeme {
        self.latest
    }

    /// Takes the next lexeme.
    pub(super) fn next(&mut self) -> Lexeme {
        self.put_back.pop().unwrap_or_else(|| {
            self.latest = self.lexer.next();
            self.latest
        })
    }

    /// Returns the next lexeme without taking it.
    pub(super) fn peek(&mut self) -> Lexeme {
        if let Some(next) = self.put_back.last() {
            return *next;
        }
        self.latest = self.lexer.next();
        self.put_back.push(self.latest);
        self.latest
    }

    /// Takes the next lexeme and the white space before it.
    pub(super) fn next_operand(&mut self) -> Lexeme {
        loop {
            let next = self.next();
            if next.kind != LexemeKind::Space {
                return next;
            }
        }
    }

    /// Returns the next lexeme that is no white space. White space before it is taken.
    pub(super) fn peek_operand(&mut self) -> Lexeme {
        loop {
            let next = self.peek();
            if next.kind != LexemeKind::Space {
                return next;
            }
            self.put_back.pop();
        }
    }

    /// Puts a lexeme back.
    pub(super) fn back(&mut self, lexeme: Lexeme) {
        self.put_back.push(lexeme);
    }
}
