//! The node that is being executed: its place, and its text as Go prints it in errors.

use std::fmt;

use crate::format;
use crate::syntax::{Command, Offset, Operand, Pipeline, Term};
use crate::value::GoValue;

/// A node of a tree that errors can name.
#[derive(Clone, Copy, Debug)]
pub(super) enum FailingNode<'a> {
    /// No node yet.
    Start,
    /// A `template` action: the place and the name, and the data.
    Template(Offset, &'a str, Option<&'a Pipeline>),
    /// A pipeline.
    Pipeline(&'a Pipeline),
    /// A command with all its operands.
    Command(&'a Command),
    /// One operand.
    Operand(&'a Operand),
}

impl<'a> FailingNode<'a> {
    /// Returns the node of an operand; that of a pipeline in parentheses is the pipeline.
    pub(super) fn of(operand: &'a Operand) -> Self {
        match &operand.term {
            Term::Pipeline(pipeline) => Self::Pipeline(pipeline),
            _ => Self::Operand(operand),
        }
    }

    /// Returns the node that was evaluated last when an operand has been evaluated.
    pub(super) fn last_of(operand: &'a Operand) -> Self {
        let Term::Pipeline(pipeline) = &operand.term else { return Self::Operand(operand) };
        let last = pipeline.commands.last().and_then(|command| command.operands.last());
        last.map_or(Self::Pipeline(pipeline), Self::last_of)
    }

    /// Returns the place of the node in the text of its file.
    pub(super) fn offset(&self) -> Offset {
        match self {
            Self::Start => 0,
            Self::Template(offset, ..) => *offset,
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
            Self::Template(_, name, None) => write!(f, "{{{{template {}}}}}", quoted(name)),
            Self::Template(_, name, Some(data)) => write!(f, "{{{{template {} {}}}}}", quoted(name), Self::Pipeline(data)),
            Self::Pipeline(pipeline) => write_pipeline(f, pipeline),
            Self::Command(command) => write_command(f, command),
            Self::Operand(operand) => write_operand(f, operand),
        }
    }
}

/// Returns a text in quotes, with Go's escapes.
pub(super) fn quoted(text: &str) -> String {
    match format::printf(&"%q".into(), &[GoValue::string(text)]) {
        Ok(quoted) => quoted.to_text().into_owned(),
        Err(_) => format!("\"{text}\""),
    }
}

fn write_pipeline(f: &mut fmt::Formatter<'_>, pipeline: &Pipeline) -> fmt::Result {
    for (index, variable) in pipeline.variables.iter().enumerate() {
        write!(f, "{}{}", if index == 0 { "" } else { ", " }, variable.name)?;
    }
    if !pipeline.variables.is_empty() {
        f.write_str(if pipeline.assigns { " = " } else { " := " })?;
    }
    for (index, command) in pipeline.commands.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { " | " })?;
        write_command(f, command)?;
    }
    Ok(())
}

fn write_command(f: &mut fmt::Formatter<'_>, command: &Command) -> fmt::Result {
    for (index, operand) in command.operands.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { " " })?;
        write_enclosed(f, operand)?;
    }
    Ok(())
}

fn write_enclosed(f: &mut fmt::Formatter<'_>, operand: &Operand) -> fmt::Result {
    if let Term::Pipeline(pipeline) = &operand.term {
        f.write_str("(")?;
        write_pipeline(f, pipeline)?;
        return f.write_str(")");
    }
    write_operand(f, operand)
}

fn write_operand(f: &mut fmt::Formatter<'_>, operand: &Operand) -> fmt::Result {
    let names = match &operand.term {
        Term::Dot => return f.write_str("."),
        Term::Nil => return f.write_str("nil"),
        Term::Bool(value) => return write!(f, "{value}"),
        Term::Number(number) => return f.write_str(&number.literal),
        Term::String { literal, .. } => return f.write_str(literal),
        Term::Function(name) => return f.write_str(name),
        Term::Pipeline(pipeline) => return write_pipeline(f, pipeline),
        Term::Fields(names) => names,
        Term::Variable(variable, names) => {
            f.write_str(&variable.name)?;
            names
        }
        Term::Chain(start, names) => {
            write_enclosed(f, start)?;
            names
        }
    };
    names.iter().try_for_each(|name| write!(f, ".{name}"))
}
