//! The grammar of label selectors, with the error texts of the real API server.

use super::label::check_key;
use super::lexer::{Token, tokens};
use super::{LabelRequirement, SelectorError, SelectorOperator};

type Parsed<T> = Result<T, SelectorError>;

pub(super) fn parse(text: &str) -> Parsed<Vec<LabelRequirement>> {
    SelectorParser { tokens: tokens(text), position: 0 }.requirements()
}

struct SelectorParser<'a> {
    tokens: Vec<Token<'a>>,
    position: usize,
}

impl<'a> SelectorParser<'a> {
    fn requirements(&mut self) -> Parsed<Vec<LabelRequirement>> {
        let mut requirements = Vec::new();
        loop {
            match self.peek_word() {
                Token::Word(_) | Token::Not => {}
                Token::End => return Ok(requirements),
                other => return Err(unexpected(other, "!, identifier, or 'end of string'")),
            }
            let requirement = self.requirement();
            requirements.push(requirement.map_err(|error| SelectorError(format!("unable to parse requirement: {error}")))?);
            match self.take_word() {
                Token::End => return Ok(requirements),
                Token::Comma => match self.peek_word() {
                    Token::Word(_) | Token::Not => {}
                    other => return Err(unexpected(other, "identifier after ','")),
                },
                other => return Err(unexpected(other, "',' or 'end of string'")),
            }
        }
    }

    fn requirement(&mut self) -> Parsed<LabelRequirement> {
        let mut token = self.take_word();
        let negated = token == Token::Not;
        if negated {
            token = self.take_word();
        }
        let Token::Word(key) = token else {
            return Err(unexpected(token, "identifier"));
        };
        check_key("<nil>", key)?;
        if negated {
            return LabelRequirement::new(key, SelectorOperator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek_word(), Token::End | Token::Comma) {
            return LabelRequirement::new(key, SelectorOperator::Exists, Vec::new());
        }
        let operator = self.operator()?;
        let values = match operator {
            SelectorOperator::In | SelectorOperator::NotIn => self.values()?,
            _ => vec![self.exact_value()?],
        };
        LabelRequirement::new(key, operator, values)
    }

    fn operator(&mut self) -> Parsed<SelectorOperator> {
        Ok(match self.take() {
            Token::In => SelectorOperator::In,
            Token::NotIn => SelectorOperator::NotIn,
            Token::Equals => SelectorOperator::Equals,
            Token::DoubleEquals => SelectorOperator::DoubleEquals,
            Token::NotEquals => SelectorOperator::NotEquals,
            Token::Greater => SelectorOperator::GreaterThan,
            Token::Less => SelectorOperator::LessThan,
            other => return Err(unexpected(other, "in, notin, =, ==, !=, gt, lt")),
        })
    }

    /// Parses a list in parentheses. An omitted entry stands for the empty value.
    fn values(&mut self) -> Parsed<Vec<String>> {
        match self.take_word() {
            Token::Open => {}
            other => {
                return Err(SelectorError(format!("found '{}' expected: '('", other.text())));
            }
        }
        let mut values = Vec::new();
        match self.peek_word() {
            Token::Close => {
                self.take();
                return Ok(vec![String::new()]);
            }
            Token::Word(_) | Token::Comma => {}
            other => return Err(unexpected(other, "',', ')' or identifier")),
        }
        loop {
            match self.take_word() {
                Token::Word(value) => {
                    values.push(value.to_owned());
                    match self.peek_word() {
                        Token::Comma => {}
                        Token::Close => break,
                        other => return Err(unexpected(other, "',' or ')'")),
                    }
                }
                Token::Comma => {
                    if values.is_empty() {
                        values.push(String::new());
                    }
                    match self.peek_word() {
                        Token::Close => {
                            values.push(String::new());
                            break;
                        }
                        Token::Comma => {
                            self.take();
                            values.push(String::new());
                        }
                        _ => {}
                    }
                }
                other => return Err(unexpected(other, "',', or identifier")),
            }
        }
        self.take();
        Ok(values)
    }

    fn exact_value(&mut self) -> Parsed<String> {
        if matches!(self.peek_word(), Token::End | Token::Comma) {
            return Ok(String::new());
        }
        match self.take_word() {
            Token::Word(value) => Ok(value.to_owned()),
            other => Err(unexpected(other, "identifier")),
        }
    }

    /// Returns the next token at the position of a key or value, where the operators `in` and `notin` are ordinary words.
    fn peek_word(&self) -> Token<'a> {
        match self.tokens.get(self.position).copied().unwrap_or(Token::End) {
            Token::In => Token::Word("in"),
            Token::NotIn => Token::Word("notin"),
            other => other,
        }
    }

    fn take_word(&mut self) -> Token<'a> {
        let token = self.peek_word();
        self.position += 1;
        token
    }

    fn take(&mut self) -> Token<'a> {
        let token = self.tokens.get(self.position).copied().unwrap_or(Token::End);
        self.position += 1;
        token
    }
}

fn unexpected(found: Token<'_>, expected: &str) -> SelectorError {
    SelectorError(format!("found '{}', expected: {expected}", found.text()))
}
