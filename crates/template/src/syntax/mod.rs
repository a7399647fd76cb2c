//! From text to tree: lexer, parser, and the tree of nodes with their places.

mod characters;
mod content;
mod delimiters;
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

pub use delimiters::Delimiters;
pub(crate) use number::{float, signed};
#[cfg(test)]
pub(crate) use operand::LANGUAGE_FUNCTIONS;
pub use operand::is_reserved_name;
pub(crate) use parser::parse;
pub(crate) use tree::{
    Branch, NumberLiteral, Offset, Operand, OperandTerm, SourceFile, TemplateCommand, TemplateNode, TemplatePipeline,
    TemplateVariable, Tree,
};
