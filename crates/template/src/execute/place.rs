//! The node that is being executed: its place, and its text as Go prints it in errors.

use std::fmt;

use crate::syntax::{Offset, Operand, OperandTerm, TemplateCommand, TemplateNode, TemplatePipeline};

/// A node of a tree that errors can name.
#[derive(Clone, Copy, Debug)]
pub(super) enum FailingNode<'a> {
    /// No node yet.
    Start,
    /// A `template` action, and its place.
    Template(&'a TemplateNode, Offset),
    /// A pipeline.
    Pipeline(&'a TemplatePipeline),
    /// A command with all its operands.
    Command(&'a TemplateCommand),
    /// One operand.
    Operand(&'a Operand),
}

impl<'a> FailingNode<'a> {
    /// Returns the node of an operand; that of a pipeline in parentheses is the pipeline.
    pub(super) fn of(operand: &'a Operand) -> Self {
        match &operand.term {
            OperandTerm::Pipeline(pipeline) => Self::Pipeline(pipeline),
            _ => Self::Operand(operand),
        }
    }

    /// Returns the node that was evaluated last when an operand has been evaluated.
    pub(super) fn last_of(operand: &'a Operand) -> Self {
        let OperandTerm::Pipeline(pipeline) = &operand.term else { return Self::Operand(operand) };
        let last = pipeline.commands.last().and_then(|command| command.operands.last());
        last.map_or(Self::Pipeline(pipeline), Self::last_of)
    }

    /// Returns the place of the node in the text of its file.
    pub(super) fn offset(&self) -> Offset {
        match self {
            Self::Start => 0,
            Self::Template(_, offset) => *offset,
            Self::Pipeline(pipeline) => pipeline.offset,
            Self::Command(command) => command.offset,
            Self::Operand(operand) => operand.offset,
        }
    }
}

impl fmt::Display for FailingNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => Ok(()),
            Self::Template(node, _) => node.fmt(f),
            Self::Pipeline(pipeline) => pipeline.fmt(f),
            Self::Command(command) => command.fmt(f),
            Self::Operand(operand) => operand.fmt(f),
        }
    }
}
