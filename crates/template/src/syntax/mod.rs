//! From text to tree: lexer, parser, and the tree of nodes with their places.

mod characters;
mod content;
mod lexeme;
mod lexer;
mod literal;
mod lookahead;
mod number;
mod operand;
mod parser;
mod pipeline;
mod print;
mod quote;
mod scope;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use number::{float, signed};
pub(crate) use parser::parse;
pub(crate) use tree::{Branch, Command, Node, NumberLiteral, Offset, Operand, Pipeline, SourceFile, Term, Tree, Variable};
