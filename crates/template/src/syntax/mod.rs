//! From text to tree: lexer, parser, and the tree of nodes with their places.

mod tree;

pub(crate) use tree::{Branch, Command, Node, NumberLiteral, Offset, Operand, Pipeline, SourceFile, Term, Tree, Variable};
