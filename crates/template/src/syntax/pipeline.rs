//! Pipelines: declarations and commands.

use super::lexeme::{Keyword, Lexeme, LexemeKind};
use super::parser::TreeParser;
use super::tree::{Offset, Operand, OperandTerm, TemplateCommand, TemplatePipeline, TemplateVariable};
use crate::error::TemplateError;

/// A pipeline whose end has not been reached. Those around a parenthesis wait on the heap, so that no text exhausts the stack.
struct OpenPipeline {
    /// The name of the pipeline in errors.
    context: &'static str,
    /// The lexeme that ends it.
    end: LexemeKind,
    offset: Offset,
    variables: Vec<Lexeme>,
    assigns: bool,
    /// The index of the first command in the commands of the parser.
    commands: usize,
    command: Option<OpenCommand>,
}

/// A command whose end has not been reached.
struct OpenCommand {
    offset: Offset,
    /// The index of the first operand in the operands of the parser.
    operands: usize,
}

impl TreeParser<'_> {
    /// Parses a pipeline and the right delimiter at its end.
    pub(super) fn pipeline(&mut self, context: &'static str) -> Result<TemplatePipeline, TemplateError> {
        let mut current = self.open_pipeline(context, LexemeKind::RightDelimiter)?;
        let mut outer = Vec::new();
        loop {
            let lexeme = self.lexemes.next_operand();
            match &current.command {
                Some(_) => {}
                None if lexeme.kind == current.end => {
                    let pipeline = self.end_pipeline(current)?;
                    match outer.pop() {
                        None => return Ok(pipeline),
                        Some(around) => current = around,
                    }
                    self.depth -= 1;
                    let operand = Operand { offset: pipeline.offset, term: OperandTerm::Pipeline(Box::new(pipeline)) };
                    let operand = self.with_fields(operand)?;
                    self.operands.push(operand);
                    self.end_operand(&mut current)?;
                    continue;
                }
                None if !starts_operand(lexeme.kind) => return Err(self.unexpected(lexeme, current.context)),
                None => current.command = Some(OpenCommand { offset: lexeme.start as u32, operands: self.operands.len() }),
            }
            if lexeme.kind == LexemeKind::LeftParenthesis {
                self.enter()?;
                let inner = self.open_pipeline("parenthesized pipeline", LexemeKind::RightParenthesis)?;
                outer.push(std::mem::replace(&mut current, inner));
                continue;
            }
            match self.term(lexeme)? {
                Some(operand) => {
                    let operand = self.with_fields(operand)?;
                    self.operands.push(operand);
                }
                None => self.lexemes.back(lexeme),
            }
            self.end_operand(&mut current)?;
        }
    }

    fn open_pipeline(&mut self, context: &'static str, end: LexemeKind) -> Result<OpenPipeline, TemplateError> {
        let offset = self.lexemes.peek_operand().start as u32;
        let commands = self.commands.len();
        let mut pipeline = OpenPipeline { context, end, offset, variables: Vec::new(), assigns: false, commands, command: None };
        self.declarations(&mut pipeline)?;
        Ok(pipeline)
    }

    /// Parses the variables at the front of a pipeline.
    fn declarations(&mut self, pipeline: &mut OpenPipeline) -> Result<(), TemplateError> {
        loop {
            let variable = self.lexemes.peek_operand();
            if variable.kind != LexemeKind::Variable {
                return Ok(());
            }
            self.lexemes.next();
            let after = self.lexemes.peek();
            let next = self.lexemes.peek_operand();
            let is_comma = next.kind == LexemeKind::Character && next.value(self.text) == ",";
            if !is_comma && !matches!(next.kind, LexemeKind::Assign | LexemeKind::Declare) {
                // The variable is an operand.
                if after.kind == LexemeKind::Space {
                    self.lexemes.back(after);
                }
                self.lexemes.back(variable);
                return Ok(());
            }
            self.lexemes.next();
            pipeline.variables.push(variable);
            self.template.scope.know(variable.value(self.text));
            if !is_comma {
                pipeline.assigns = next.kind == LexemeKind::Assign;
                return Ok(());
            }
            if pipeline.context != "range" || pipeline.variables.len() > 1 {
                return Err(self.error(format!("too many declarations in {}", pipeline.context)));
            }
            let kind = self.lexemes.peek_operand().kind;
            if !matches!(kind, LexemeKind::Variable | LexemeKind::RightDelimiter | LexemeKind::RightParenthesis) {
                return Err(self.error("range can only initialize variables"));
            }
        }
    }

    /// Takes the lexeme behind an operand: white space, a pipe, which ends the command, or the end of the pipeline, which stays.
    fn end_operand(&mut self, pipeline: &mut OpenPipeline) -> Result<(), TemplateError> {
        let next = self.lexemes.next();
        match next.kind {
            LexemeKind::Space => return Ok(()),
            LexemeKind::RightDelimiter | LexemeKind::RightParenthesis => self.lexemes.back(next),
            LexemeKind::Pipe => {}
            _ => return Err(self.unexpected(next, "operand")),
        }
        if let Some(OpenCommand { offset, operands }) = pipeline.command.take() {
            let operands = self.operands.drain(operands..).collect();
            self.commands.push(TemplateCommand { offset, operands });
        }
        Ok(())
    }

    fn end_pipeline(&mut self, open: OpenPipeline) -> Result<TemplatePipeline, TemplateError> {
        let OpenPipeline { context, offset, variables, assigns, commands, .. } = open;
        let commands: Box<[TemplateCommand]> = self.commands.drain(commands..).collect();
        if commands.is_empty() {
            return Err(self.error(format!("missing value for {context}")));
        }
        for (index, command) in commands.iter().enumerate().skip(1) {
            let first = command.operands.first().map(|operand| &operand.term);
            if let Some(
                OperandTerm::Bool(_) | OperandTerm::Dot | OperandTerm::Nil | OperandTerm::Number(_) | OperandTerm::String { .. },
            ) = first
            {
                return Err(self.error(format!("non executable command in pipeline stage {}", index + 1)));
            }
        }
        // The execution declares the variables now: the commands saw those of the same names from before.
        let variables = variables.into_iter().map(|lexeme| {
            let name = lexeme.value(self.text);
            let slot = if assigns { self.template.scope.slot(name) } else { self.template.scope.declare(name) };
            TemplateVariable { name: self.name(name), slot }
        });
        let variables = variables.collect();
        Ok(TemplatePipeline { offset, variables, assigns, commands })
    }
}

const fn starts_operand(kind: LexemeKind) -> bool {
    matches!(
        kind,
        LexemeKind::Bool
            | LexemeKind::CharacterConstant
            | LexemeKind::Complex
            | LexemeKind::Field
            | LexemeKind::Identifier
            | LexemeKind::LeftParenthesis
            | LexemeKind::Number
            | LexemeKind::RawString
            | LexemeKind::String
            | LexemeKind::Variable
            | LexemeKind::Keyword(Keyword::Dot | Keyword::Nil)
    )
}
