//! Tests of the parser as a whole.

mod errors;
mod properties;
mod scopes;
mod trees;

use std::sync::Arc;

use super::{Delimiters, SourceFile, Tree, parse};
use crate::error::TemplateError;
use crate::function::{FunctionSet, Signature};
use crate::value::GoValue;

fn functions(names: &[&'static str]) -> FunctionSet {
    let mut functions = FunctionSet::new();
    for name in names {
        functions.add(name, Signature::of(&[]), |_| Ok(GoValue::Nil));
    }
    functions
}

fn parse_text(text: &str, functions: &FunctionSet) -> Result<Vec<Tree>, TemplateError> {
    let file = Arc::new(SourceFile { name: "file".into(), text: text.to_owned() });
    parse(file, &Delimiters::default(), functions)
}

/// Parses a text that needs no functions but those of the language.
fn parsed(text: &str) -> Vec<Tree> {
    parse_text(text, &FunctionSet::new()).unwrap()
}

/// Returns the line and the message of the error of a text.
fn error(text: &str) -> (usize, String) {
    match parse_text(text, &FunctionSet::new()).unwrap_err() {
        TemplateError::Parse { line, message, .. } => (line, message),
        other => panic!("{other}"),
    }
}

/// Returns the content of a tree as it is printed.
fn printed(tree: &Tree) -> String {
    tree.root.iter().map(ToString::to_string).collect()
}
