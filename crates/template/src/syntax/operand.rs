//! Operands: terms, and the fields after them.

use std::sync::Arc;

use super::lexeme::{Keyword, Lexeme, LexemeKind};
use super::literal::{character, unquote};
use super::number::number;
use super::parser::TreeParser;
use super::quote::quote;
use super::tree::{Operand, OperandTerm, TemplateVariable};
use crate::error::TemplateError;

/// The functions that belong to the language.
pub(crate) const LANGUAGE_FUNCTIONS: [&str; 19] = [
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print", "printf", "println",
    "slice", "urlquery",
];

/// Returns true if a function of a caller cannot have this name: it belongs to the language, or is none that the language can call.
pub fn is_reserved_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '_';
    let is_name = name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_numeric());
    let is_constant = matches!(name, "true" | "false");
    !is_name || is_constant || Keyword::of(name).is_some() || LANGUAGE_FUNCTIONS.binary_search(&name).is_ok()
}

impl<'a> TreeParser<'a> {
    /// Returns the term that a lexeme is; None if it is none. Parentheses belong to the pipeline.
    pub(super) fn term(&mut self, lexeme: Lexeme) -> Result<Option<Operand>, TemplateError> {
        let value = lexeme.value(self.text);
        let term = match lexeme.kind {
            LexemeKind::Identifier => self.function(value)?,
            LexemeKind::Keyword(Keyword::Dot) => OperandTerm::Dot,
            LexemeKind::Keyword(Keyword::Nil) => OperandTerm::Nil,
            LexemeKind::Variable => {
                let Some(slot) = self.template.scope.read(value) else {
                    return Err(self.error(format!("undefined variable {}", quote(value))));
                };
                OperandTerm::Variable(TemplateVariable { name: self.name(value), slot }, Box::default())
            }
            LexemeKind::Field => OperandTerm::Fields(Box::new([self.field(lexeme)])),
            LexemeKind::Bool => OperandTerm::Bool(value == "true"),
            LexemeKind::Number | LexemeKind::Complex => {
                OperandTerm::Number(Box::new(number(value).map_err(|message| self.error(message))?))
            }
            LexemeKind::CharacterConstant => {
                OperandTerm::Number(Box::new(character(value).map_err(|message| self.error(message))?))
            }
            LexemeKind::String | LexemeKind::RawString => {
                OperandTerm::String { value: unquote(value).map_err(|message| self.error(message))?, literal: value.into() }
            }
            _ => return Ok(None),
        };
        Ok(Some(Operand { offset: lexeme.start as u32, term }))
    }

    /// Adds the fields that follow a term.
    pub(super) fn with_fields(&mut self, mut operand: Operand) -> Result<Operand, TemplateError> {
        let first = self.lexemes.peek();
        if first.kind != LexemeKind::Field {
            return Ok(operand);
        }
        if let OperandTerm::Fields(fields) = &mut operand.term {
            self.fields.extend(std::mem::take(fields));
        }
        while self.lexemes.peek().kind == LexemeKind::Field {
            let field = self.lexemes.next();
            let field = self.field(field);
            self.fields.push(field);
        }
        let fields: Box<[Arc<str>]> = self.fields.drain(..).collect();
        let term = match operand.term {
            OperandTerm::Fields(_) => OperandTerm::Fields(fields),
            OperandTerm::Variable(variable, _) => OperandTerm::Variable(variable, fields),
            OperandTerm::Bool(_) | OperandTerm::String { .. } | OperandTerm::Number(_) | OperandTerm::Nil | OperandTerm::Dot => {
                return Err(self.error(format!("unexpected . after term {}", quote(&operand.to_string()))));
            }
            OperandTerm::Function(_) | OperandTerm::Chain(..) | OperandTerm::Pipeline(_) => {
                OperandTerm::Chain(Box::new(operand), fields)
            }
        };
        // As in Go, the place of an operand with several names is that of the second one.
        Ok(Operand { offset: first.start as u32, term })
    }

    fn function(&mut self, name: &'a str) -> Result<OperandTerm, TemplateError> {
        if let Some(reason) = self.functions.forbidden(name) {
            return Err(self.error(reason));
        }
        if LANGUAGE_FUNCTIONS.binary_search(&name).is_err() && self.functions.get(name).is_none() {
            return Err(self.error(format!("function {} not defined", quote(name))));
        }
        Ok(OperandTerm::Function(self.name(name)))
    }

    /// Returns the name of a field without its dot.
    fn field(&mut self, lexeme: Lexeme) -> Arc<str> {
        let field = lexeme.value(self.text);
        self.name(field.strip_prefix('.').unwrap_or(field))
    }
}
