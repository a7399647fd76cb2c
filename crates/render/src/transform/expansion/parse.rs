//! Parsing of expansions. The rules are those of the scanner of envsubst, which reads from left to right and never goes back.

use super::{DEEPEST_EXPANSION, ExpansionError, ExpansionOperation, TextPart, VariableExpansion};

/// The begin of an expansion.
const OPEN: &str = "${";

/// The part of a text that is not parsed yet.
pub(super) struct ExpansionParser<'a> {
    rest: &'a str,
    depth: usize,
}

/// The characters that are taken literally after an escape, in the parts of a text where escapes exist.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    /// `$$` is `$`.
    Dollar,
    /// Also `\/` is `/`, and `\\` is `\`.
    DollarAndBackslash,
}

impl<'a> ExpansionParser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, depth: 0 }
    }

    /// Parses the whole text.
    pub(super) fn parse(mut self) -> Result<Vec<TextPart>, ExpansionError> {
        let mut parts = Vec::new();
        while !self.rest.is_empty() {
            parts.push(if self.take(OPEN) {
                TextPart::Expansion(self.expansion()?)
            } else {
                TextPart::Literal(self.literal(|_| true, Escapes::Dollar))
            });
        }
        Ok(parts)
    }

    /// Parses an expansion after its opening brace, up to its closing one.
    fn expansion(&mut self) -> Result<VariableExpansion, ExpansionError> {
        if self.depth >= DEEPEST_EXPANSION {
            return Err(ExpansionError::TooDeep);
        }
        self.depth += 1;
        let expansion = self.expansion_inside();
        self.depth -= 1;
        expansion
    }

    fn expansion_inside(&mut self) -> Result<VariableExpansion, ExpansionError> {
        if self.take("#") {
            let variable = self.name();
            if variable.is_empty() {
                return Err(ExpansionError::BadSubstitution);
            }
            return self.closed(variable, ExpansionOperation::Length, Vec::new());
        }
        let variable = self.name();
        if variable.is_empty() {
            return Err(ExpansionError::VariableName);
        }
        match self.rest.chars().next() {
            Some(':') => self.default_or_cut(variable),
            Some('=') => {
                self.take("=");
                self.default(variable)
            }
            Some(',') => self.cased(variable, ',', ExpansionOperation::LowerFirst, ExpansionOperation::Lower),
            Some('^') => self.cased(variable, '^', ExpansionOperation::UpperFirst, ExpansionOperation::Upper),
            Some('#') => self.removal(variable, "#", ExpansionOperation::ShortestPrefix, ExpansionOperation::LongestPrefix),
            Some('%') => self.removal(variable, "%", ExpansionOperation::ShortestSuffix, ExpansionOperation::LongestSuffix),
            Some('/') => self.replacement(variable),
            _ if self.take("}") => {
                Ok(VariableExpansion { variable, operation: ExpansionOperation::Default, arguments: Vec::new() })
            }
            _ => Err(ExpansionError::MissingClosingBrace),
        }
    }

    fn default_or_cut(&mut self, variable: String) -> Result<VariableExpansion, ExpansionError> {
        self.take(":");
        // All four forms give a default, also those that have another meaning in a shell.
        if ["=", "-", "?", "+"].iter().any(|operator| self.take(operator)) {
            return self.default(variable);
        }
        if self.rest.is_empty() {
            return Err(ExpansionError::BadSubstitution);
        }
        let mut arguments = vec![self.argument(|character| character != ':' && character != '}', Escapes::None)?];
        if !self.take("}") {
            if !self.take(":") {
                return Err(ExpansionError::BadSubstitution);
            }
            self.rest = self.rest.trim_start_matches(':');
            arguments.push(self.argument(is_no_end, Escapes::None)?);
            return self.closed(variable, ExpansionOperation::Cut, arguments);
        }
        Ok(VariableExpansion { variable, operation: ExpansionOperation::Cut, arguments })
    }

    fn default(&mut self, variable: String) -> Result<VariableExpansion, ExpansionError> {
        let mut arguments = Vec::new();
        while !self.take("}") {
            arguments.push(self.argument(is_no_end, Escapes::None)?);
        }
        Ok(VariableExpansion { variable, operation: ExpansionOperation::Default, arguments })
    }

    /// Parses an operator of one or two characters, each of which may be a comma or a circumflex; a mixture stands for the value itself.
    fn cased(
        &mut self,
        variable: String,
        sign: char,
        one: ExpansionOperation,
        two: ExpansionOperation,
    ) -> Result<VariableExpansion, ExpansionError> {
        self.rest = &self.rest[1..];
        let operation = match self.rest.chars().next() {
            Some(second @ (',' | '^')) => {
                self.rest = &self.rest[1..];
                if second == sign { two } else { ExpansionOperation::Default }
            }
            _ => one,
        };
        self.closed(variable, operation, Vec::new())
    }

    fn removal(
        &mut self,
        variable: String,
        sign: &str,
        one: ExpansionOperation,
        two: ExpansionOperation,
    ) -> Result<VariableExpansion, ExpansionError> {
        self.take(sign);
        let operation = if self.take(sign) { two } else { one };
        let pattern = self.argument(is_no_end, Escapes::None)?;
        self.closed(variable, operation, vec![pattern])
    }

    fn replacement(&mut self, variable: String) -> Result<VariableExpansion, ExpansionError> {
        self.take("/");
        let operation = if self.take("/") {
            ExpansionOperation::ReplaceAll
        } else if self.take("#") {
            ExpansionOperation::ReplacePrefix
        } else if self.take("%") {
            ExpansionOperation::ReplaceSuffix
        } else {
            ExpansionOperation::ReplaceFirst
        };
        let mut arguments = vec![self.argument(|character| character != '/', Escapes::DollarAndBackslash)?];
        if !self.take("/") {
            return Err(ExpansionError::BadSubstitution);
        }
        self.rest = self.rest.trim_start_matches('/');
        if !self.rest.starts_with('}') {
            arguments.push(self.argument(is_no_end, Escapes::DollarAndBackslash)?);
        }
        self.closed(variable, operation, arguments)
    }

    fn closed(
        &mut self,
        variable: String,
        operation: ExpansionOperation,
        arguments: Vec<TextPart>,
    ) -> Result<VariableExpansion, ExpansionError> {
        if !self.take("}") {
            return Err(ExpansionError::BadSubstitution);
        }
        Ok(VariableExpansion { variable, operation, arguments })
    }

    /// Parses one argument: an expansion, or a literal that is not empty.
    fn argument(&mut self, accepts: fn(char) -> bool, escapes: Escapes) -> Result<TextPart, ExpansionError> {
        if self.take(OPEN) {
            return self.expansion().map(TextPart::Expansion);
        }
        let literal = self.literal(accepts, escapes);
        if literal.is_empty() { Err(ExpansionError::Argument) } else { Ok(TextPart::Literal(literal)) }
    }

    /// Takes the characters up to the next expansion, or to one that is not accepted.
    fn literal(&mut self, accepts: fn(char) -> bool, escapes: Escapes) -> String {
        let mut literal = String::new();
        while let Some(character) = self.rest.chars().next() {
            if self.rest.starts_with(OPEN) {
                break;
            }
            let next = self.rest[character.len_utf8()..].chars().next();
            let escaped = match (character, next) {
                ('$', Some('$')) => escapes != Escapes::None,
                ('\\', Some('/' | '\\')) => escapes == Escapes::DollarAndBackslash,
                _ => false,
            };
            if escaped {
                // Both characters are of one byte.
                literal.extend(next);
                self.rest = &self.rest[2..];
            } else if accepts(character) {
                literal.push(character);
                self.rest = &self.rest[character.len_utf8()..];
            } else {
                break;
            }
        }
        literal
    }

    /// Takes letters, digits and underscores.
    fn name(&mut self) -> String {
        let end = self.rest.find(|character: char| !(character.is_alphanumeric() || character == '_'));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        name.to_owned()
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

fn is_no_end(character: char) -> bool {
    character != '}'
}
