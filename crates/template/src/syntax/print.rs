//! Nodes as text, in the form in which Go prints them in errors.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use super::quote::quote;
use super::tree::{Branch, Operand, OperandTerm, TemplateCommand, TemplateNode, TemplatePipeline};

impl Display for TemplateNode {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&text.to_text()),
            Self::Action(pipeline) => write!(f, "{{{{{pipeline}}}}}"),
            Self::If(branch) => print_branch(f, "if", branch),
            Self::With(branch) => print_branch(f, "with", branch),
            Self::Range(branch) => print_branch(f, "range", branch),
            Self::Template { name, data: None, .. } => write!(f, "{{{{template {}}}}}", quote(name)),
            Self::Template { name, data: Some(data), .. } => write!(f, "{{{{template {} {data}}}}}", quote(name)),
            Self::Break => f.write_str("{{break}}"),
            Self::Continue => f.write_str("{{continue}}"),
        }
    }
}

impl Display for TemplatePipeline {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, variable) in self.variables.iter().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            f.write_str(&variable.name)?;
        }
        if !self.variables.is_empty() {
            f.write_str(if self.assigns { " = " } else { " := " })?;
        }
        for (index, command) in self.commands.iter().enumerate() {
            f.write_str(if index > 0 { " | " } else { "" })?;
            command.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for TemplateCommand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, operand) in self.operands.iter().enumerate() {
            f.write_str(if index > 0 { " " } else { "" })?;
            print_enclosed(f, operand)?;
        }
        Ok(())
    }
}

/// A pipeline is printed without its parentheses; they belong to the command around it.
impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.term {
            OperandTerm::Dot => f.write_str("."),
            OperandTerm::Nil => f.write_str("nil"),
            OperandTerm::Bool(value) => value.fmt(f),
            OperandTerm::Number(number) => f.write_str(&number.literal),
            OperandTerm::String { literal, .. } => f.write_str(literal),
            OperandTerm::Function(name) => f.write_str(name),
            OperandTerm::Fields(fields) => print_fields(f, fields),
            OperandTerm::Variable(variable, fields) => {
                f.write_str(&variable.name)?;
                print_fields(f, fields)
            }
            OperandTerm::Chain(operand, fields) => {
                print_enclosed(f, operand)?;
                print_fields(f, fields)
            }
            OperandTerm::Pipeline(pipeline) => pipeline.fmt(f),
        }
    }
}

fn print_branch(f: &mut Formatter<'_>, keyword: &str, branch: &Branch) -> fmt::Result {
    write!(f, "{{{{{keyword} {}}}}}", branch.pipeline)?;
    branch.body.iter().try_for_each(|node| node.fmt(f))?;
    if let Some(otherwise) = &branch.otherwise {
        f.write_str("{{else}}")?;
        otherwise.iter().try_for_each(|node| node.fmt(f))?;
    }
    f.write_str("{{end}}")
}

fn print_enclosed(f: &mut Formatter<'_>, operand: &Operand) -> fmt::Result {
    match operand.term {
        OperandTerm::Pipeline(_) => write!(f, "({operand})"),
        _ => operand.fmt(f),
    }
}

fn print_fields(f: &mut Formatter<'_>, fields: &[Arc<str>]) -> fmt::Result {
    fields.iter().try_for_each(|field| write!(f, ".{field}"))
}
