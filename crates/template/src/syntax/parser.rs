//! The parser: its state, its trees and its errors.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::delimiters::Delimiters;
use super::lexeme::{Lexeme, LexemeKind};
use super::lexer::TemplateLexer;
use super::literal::unquote;
use super::lookahead::Lookahead;
use super::quote::quote;
use super::scope::VariableScope;
use super::tree::{Operand, SourceFile, TemplateCommand, TemplateNode, Tree};
use crate::error::TemplateError;
use crate::function::FunctionSet;

/// The maximum depth of control structures and parentheses inside each other. Printing and execution recurse this deep; parsing does not recurse.
pub(super) const NESTING_LIMIT: usize = 200;

/// Parses a file. The first tree is the one that has the name of the file, then come those that the file defines, in order.
pub(crate) fn parse(file: Arc<SourceFile>, delimiters: &Delimiters, functions: &FunctionSet) -> Result<Vec<Tree>, TemplateError> {
    let text = file.text.as_str();
    if u32::try_from(text.len()).is_err() {
        let message = format!("template of {} bytes is larger than 4 GiB", text.len());
        return Err(TemplateError::Parse { template: file.name.to_string(), line: 1, message });
    }
    let mut parser = TreeParser {
        file: &file,
        text,
        functions,
        lexemes: Lookahead::new(TemplateLexer::new(text, delimiters, functions)),
        trees: Vec::new(),
        tree_indexes: HashMap::default(),
        names: HashMap::default(),
        fields: Vec::new(),
        operands: Vec::new(),
        commands: Vec::new(),
        depth: 0,
        template: TemplateState::new(),
    };
    parser.file()?;
    Ok(parser.trees)
}

/// The parser of a file.
pub(super) struct TreeParser<'a> {
    file: &'a Arc<SourceFile>,
    pub(super) text: &'a str,
    pub(super) functions: &'a FunctionSet,
    pub(super) lexemes: Lookahead<'a>,
    trees: Vec<Tree>,
    tree_indexes: HashMap<Arc<str>, usize, RandomState>,
    /// The names of fields, variables and functions, each stored once.
    names: HashMap<&'a str, Arc<str>, RandomState>,
    /// The fields of the operand that is being parsed.
    pub(super) fields: Vec<Arc<str>>,
    /// The operands of the commands that are open, the innermost last.
    pub(super) operands: Vec<Operand>,
    /// The commands of the pipelines that are open, those of the innermost last.
    pub(super) commands: Vec<TemplateCommand>,
    /// The number of control structures and parentheses that are open.
    pub(super) depth: usize,
    pub(super) template: TemplateState<'a>,
}

/// The part of the parser's state that belongs to one template: a definition inside a file has its own.
pub(super) struct TemplateState<'a> {
    pub(super) scope: VariableScope<'a>,
    /// The number of open `range` structures.
    pub(super) ranges: usize,
    /// The start of the action that is being parsed.
    pub(super) action: Option<usize>,
}

impl TemplateState<'_> {
    fn new() -> Self {
        Self { scope: VariableScope::new(), ranges: 0, action: None }
    }
}

impl<'a> TreeParser<'a> {
    /// Parses the whole file.
    fn file(&mut self) -> Result<(), TemplateError> {
        let root = self.content()?;
        let name = self.file.name.clone();
        self.add(name.clone(), root)?;
        if let Some(index) = self.tree_indexes.get(&name) {
            self.trees[..=*index].rotate_right(1);
        }
        Ok(())
    }

    /// Starts a template inside of the file and returns the state of the one around it.
    pub(super) fn start_template(&mut self) -> TemplateState<'a> {
        std::mem::replace(&mut self.template, TemplateState::new())
    }

    /// Adds a tree. One without content never replaces another, and only one without content can be replaced.
    pub(super) fn add(&mut self, name: Arc<str>, root: Box<[TemplateNode]>) -> Result<(), TemplateError> {
        let tree = Tree { name: name.clone(), file: self.file.clone(), root };
        match self.tree_indexes.get(&name).map(|index| &mut self.trees[*index]) {
            None => {
                self.tree_indexes.insert(name, self.trees.len());
                self.trees.push(tree);
            }
            Some(existing) if existing.is_empty() => *existing = tree,
            Some(_) if tree.is_empty() => {}
            Some(_) => {
                return Err(self.error(format!("template: multiple definition of template {}", quote(&name))));
            }
        }
        Ok(())
    }

    /// Returns the name of a template, which must be a string.
    pub(super) fn template_name(&mut self, lexeme: Lexeme, context: &str) -> Result<Arc<str>, TemplateError> {
        match lexeme.kind {
            LexemeKind::String | LexemeKind::RawString => {
                let name = unquote(lexeme.value(self.text)).map_err(|message| self.error(message))?;
                Ok(name.to_text().into())
            }
            _ => Err(self.unexpected(lexeme, context)),
        }
    }

    /// Returns the shared copy of a name that stands in the text.
    pub(super) fn name(&mut self, name: &'a str) -> Arc<str> {
        self.names.entry(name).or_insert_with(|| name.into()).clone()
    }

    /// Counts a control structure or a parenthesis that was opened.
    pub(super) fn enter(&mut self) -> Result<(), TemplateError> {
        self.depth += 1;
        if self.depth > NESTING_LIMIT {
            return Err(self.error(format!("control structures and parentheses nest deeper than {NESTING_LIMIT}")));
        }
        Ok(())
    }

    /// Returns the error about a lexeme that does not belong here.
    pub(super) fn unexpected(&self, lexeme: Lexeme, context: &str) -> TemplateError {
        if lexeme.kind != LexemeKind::Malformed {
            return self.error(format!("unexpected {} in {context}", lexeme.describe(self.text)));
        }
        let mut message = self.lexemes.failure().to_owned();
        if let Some(start) = self.template.action.map(|action| self.line(action))
            && start != self.line(lexeme.start)
        {
            let noun = if message.ends_with(" action") { "" } else { " in action" };
            message = format!("{message}{noun} started at {}:{start}", self.file.name);
        }
        self.error(message)
    }

    /// Returns an error with the line that the lexer has reached.
    pub(super) fn error(&self, message: impl Into<String>) -> TemplateError {
        self.error_at(self.lexemes.latest(), message)
    }

    /// Returns an error with the line of a lexeme.
    pub(super) fn error_at(&self, lexeme: Lexeme, message: impl Into<String>) -> TemplateError {
        TemplateError::Parse { template: self.file.name.to_string(), line: self.line(lexeme.start), message: message.into() }
    }

    fn line(&self, offset: usize) -> usize {
        self.file.position(offset as u32).line
    }
}
