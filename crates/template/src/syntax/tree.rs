//! The tree of a template. Its lists have the length that they need, since trees stay as long as a chart is compiled.

use std::sync::Arc;

use crate::error::SourcePosition;
use crate::value::GoString;

/// The byte offset of a node in the text of its file. Places for errors are computed from it ([`SourceFile::position`]).
pub(crate) type Offset = u32;

/// The text of a file, to which the offsets of nodes refer.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// The name that errors show.
    pub(crate) name: Arc<str>,
    /// The text.
    pub(crate) text: String,
}

/// One named template.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The name: that of the file, or of the `define`.
    pub(crate) name: Arc<str>,
    /// The file in which the template stands.
    pub(crate) file: Arc<SourceFile>,
    /// The content.
    pub(crate) root: Box<[TemplateNode]>,
}

/// A part of a template.
#[derive(Debug)]
pub(crate) enum TemplateNode {
    /// Text that is printed as it is.
    Text(GoString),
    /// A pipeline whose value is printed, unless it declares or assigns a variable.
    Action(TemplatePipeline),
    /// `if`.
    If(Branch),
    /// `with`.
    With(Branch),
    /// `range`.
    Range(Branch),
    /// `template`.
    Template {
        /// The place of the name.
        offset: Offset,
        /// The name of the template.
        name: Arc<str>,
        /// The data; nil if there is none.
        data: Option<TemplatePipeline>,
    },
    /// `break`.
    Break,
    /// `continue`.
    Continue,
}

/// A control structure. `else if` and `else with` are a structure of their own as the only node of `otherwise`.
#[derive(Debug)]
pub(crate) struct Branch {
    /// The value that decides.
    pub(crate) pipeline: TemplatePipeline,
    /// The content if the value is true or has elements.
    pub(crate) body: Box<[TemplateNode]>,
    /// The content of `else`.
    pub(crate) otherwise: Option<Box<[TemplateNode]>>,
}

/// Commands, each of which has the value of the one before as its last argument.
#[derive(Debug)]
pub(crate) struct TemplatePipeline {
    /// The place of the first command or variable.
    pub(crate) offset: Offset,
    /// The variables that are declared or assigned.
    pub(crate) variables: Box<[TemplateVariable]>,
    /// True for `=`, false for `:=`.
    pub(crate) assigns: bool,
    /// The commands.
    pub(crate) commands: Box<[TemplateCommand]>,
}

/// A variable of a template.
#[derive(Clone, Debug)]
pub(crate) struct TemplateVariable {
    /// The name with its `$`.
    pub(crate) name: Arc<str>,
    /// The index in the variables of the execution: `$` is 0. Declarations push, and the end of a control structure or of an iteration pops, in the same
    /// order in the parser and in the execution. [`TemplateVariable::UNDECLARED`] for a variable that the parser accepts, as Go's does, and that is not declared
    /// when the action is executed: `{{ $x = 1 }}` alone.
    pub(crate) slot: usize,
}

/// One operand, or a function or method with arguments.
#[derive(Debug)]
pub(crate) struct TemplateCommand {
    /// The place of the first operand.
    pub(crate) offset: Offset,
    /// The operands; the first is called if it can be.
    pub(crate) operands: Box<[Operand]>,
}

/// An operand and its place.
#[derive(Debug)]
pub(crate) struct Operand {
    /// The place of the operand. As in Go, that of `.a.b` and of `$x.a` is the second name, and that of a value in parentheses is its first operand.
    pub(crate) offset: Offset,
    /// The kind of the operand, with its content.
    pub(crate) term: OperandTerm,
}

/// The kinds of operands.
#[derive(Debug)]
pub(crate) enum OperandTerm {
    /// `.`.
    Dot,
    /// `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Box<NumberLiteral>),
    /// A string.
    String {
        /// The value.
        value: GoString,
        /// The literal as it stands in the text.
        literal: Arc<str>,
    },
    /// The name of a function.
    Function(Arc<str>),
    /// Fields of dot: `.a.b`.
    Fields(Box<[Arc<str>]>),
    /// A variable with fields: `$x.a.b`.
    Variable(TemplateVariable, Box<[Arc<str>]>),
    /// Fields of a value: `(pipeline).a.b`.
    Chain(Box<Operand>, Box<[Arc<str>]>),
    /// A pipeline in parentheses.
    Pipeline(Box<TemplatePipeline>),
}

/// A number, which is of the type that its use asks for: an integer may be used as a float, and a float without fraction as an integer.
#[derive(Clone, Debug)]
pub(crate) struct NumberLiteral {
    /// The value as a signed integer, if it is one.
    pub(crate) integer: Option<i64>,
    /// The value as an unsigned integer, if it is one.
    pub(crate) unsigned: Option<u64>,
    /// The value as a float, if it is one.
    pub(crate) float: Option<f64>,
    /// The real and the imaginary part of a complex number; None for another one.
    pub(crate) complex: Option<(f64, f64)>,
    /// True for a character literal.
    pub(crate) is_character: bool,
    /// The literal as it stands in the text.
    pub(crate) literal: Arc<str>,
}

impl TemplateVariable {
    /// The slot of a variable whose use is an error of the execution: `undefined variable: $x`.
    pub(crate) const UNDECLARED: usize = usize::MAX;
}

impl Tree {
    /// Returns true if the template has only white space, beside comments and definitions.
    pub(crate) fn is_empty(&self) -> bool {
        self.root.iter().all(|node| match node {
            TemplateNode::Text(text) => text.to_text().trim().is_empty(),
            _ => false,
        })
    }
}

impl SourceFile {
    /// Returns the place of an offset: the line from 1, and the bytes since the last line break, as Go counts columns.
    pub(crate) fn position(&self, offset: Offset) -> SourcePosition {
        let before = &self.text.as_bytes()[..(offset as usize).min(self.text.len())];
        let lines = before.split(|byte| *byte == b'\n');
        let (line, column) = lines.fold((0, 0), |(line, _), content| (line + 1, content.len()));
        SourcePosition { template: self.name.to_string(), line, column }
    }
}
