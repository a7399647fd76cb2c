//! Pipelines, commands and operands.

use super::arguments::CallArguments;
use super::number::ideal;
use super::place::FailingNode;
use super::run::{Outcome, TreeExecution, with_stack};
use super::seen::SeenValue;
use crate::syntax::{Operand, OperandTerm, TemplateCommand, TemplatePipeline};
use crate::value::GoValue;

impl<'a> TreeExecution<'a> {
    /// Evaluates a pipeline and sets its variables.
    pub(super) fn pipeline(&mut self, pipeline: &'a TemplatePipeline, dot: &SeenValue) -> Outcome<GoValue> {
        self.node = FailingNode::Pipeline(pipeline);
        let mut last = None;
        for command in &pipeline.commands {
            self.step()?;
            last = Some(self.command(command, last, dot)?.value);
        }
        let value = last.unwrap_or_default();
        for variable in &pipeline.variables {
            if pipeline.assigns {
                self.assign(variable, value.clone().into())?;
            } else {
                self.declare(variable, value.clone().into());
            }
        }
        Ok(value)
    }

    /// Evaluates a command. The value of the command before it is its last argument.
    fn command(&mut self, command: &'a TemplateCommand, last: Option<GoValue>, dot: &SeenValue) -> Outcome<SeenValue> {
        let Some((first, written)) = command.operands.split_first() else { return Ok(SeenValue::default()) };
        let arguments = CallArguments { written, piped: last, dot };
        // Go names a pipeline in parentheses only when it evaluates it.
        if !matches!(first.term, OperandTerm::Pipeline(_)) {
            self.node = FailingNode::Operand(first);
        }
        match &first.term {
            OperandTerm::Fields(_) | OperandTerm::Chain(..) => {}
            OperandTerm::Variable(_, names) if !names.is_empty() => {}
            OperandTerm::Function(name) => return self.function(name, FailingNode::Command(command), arguments),
            _ if !arguments.is_empty() => {
                return Err(self.error(format!("can't give argument to non-function {}", FailingNode::of(first))).into());
            }
            OperandTerm::Nil => return Err(self.error("nil is not a command").into()),
            _ => {}
        }
        self.operand_with(first, arguments)
    }

    /// Evaluates an operand that is no command.
    pub(super) fn operand(&mut self, operand: &'a Operand, dot: &SeenValue) -> Outcome<SeenValue> {
        self.operand_with(operand, CallArguments::none(dot))
    }

    /// Evaluates an operand whose last field, if it is a method, has arguments.
    fn operand_with(&mut self, operand: &'a Operand, arguments: CallArguments<'a, '_>) -> Outcome<SeenValue> {
        let dot = arguments.dot;
        let node = FailingNode::of(operand);
        self.node = node;
        let (start, names) = match &operand.term {
            OperandTerm::Dot => return Ok(dot.clone()),
            OperandTerm::Nil => return Ok(SeenValue::default()),
            OperandTerm::Bool(value) => return Ok(GoValue::Bool(*value).into()),
            OperandTerm::Number(number) => return ideal(number).map(Into::into).map_err(|message| self.error(message).into()),
            OperandTerm::String { value, .. } => return Ok(GoValue::String(value.clone()).into()),
            OperandTerm::Function(name) => return with_stack(|| self.function(name, node, CallArguments::none(dot))),
            OperandTerm::Pipeline(pipeline) => return with_stack(|| self.pipeline(pipeline, dot)).map(Into::into),
            OperandTerm::Fields(names) => (dot.clone(), names),
            OperandTerm::Variable(variable, names) => (self.variable(variable)?, names),
            OperandTerm::Chain(start, names) => (with_stack(|| self.operand(start, dot))?, names),
        };
        let Some((method, fields)) = names.split_last() else { return Ok(start) };
        let mut receiver = start;
        for name in fields {
            receiver = self.field(&receiver, name, node, CallArguments::none(dot))?;
        }
        self.field(&receiver, method, node, arguments)
    }
}
