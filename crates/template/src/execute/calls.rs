//! Calls of functions.

use super::arguments::{fitting, literal};
use super::language::{self, LanguageFunction};
use super::place::{FailingNode, quoted};
use super::run::{Outcome, TreeExecution};
use super::seen::SeenValue;
use crate::error::FunctionError;
use crate::function::{FunctionCall, Signature};
use crate::syntax::{Operand, Term};
use crate::value::GoValue;

impl<'a> TreeExecution<'a> {
    /// Calls a function. Those of the set stand in front of those of the language: sprig has a `slice` of its own.
    pub(super) fn function(
        &mut self,
        name: &str,
        call: FailingNode<'a>,
        arguments: &'a [Operand],
        last: Option<GoValue>,
        dot: &SeenValue,
    ) -> Outcome<SeenValue> {
        let set = self.scope.set;
        if let Some(function) = set.functions.get(name) {
            let arguments_of_call = self.arguments(name, &function.signature, arguments, last, dot)?;
            let host = self.host;
            let result = function.call(&mut FunctionCall { arguments: arguments_of_call, engine: self, host });
            return self.result(result, name, call, arguments);
        }
        let result = match language::find(name) {
            None => return Err(self.error(format!("{} is not a defined function", quoted(name)))),
            Some(LanguageFunction::Junction { stops_at }) => {
                return self.junction(name, stops_at, arguments, last, dot);
            }
            Some(LanguageFunction::Length) => {
                check_count(&language::ONE, arguments.len(), last.is_some()).map_err(|count| self.wrong_count(name, &count))?;
                let value = match (arguments.first(), last) {
                    (Some(operand), _) => self.operand(operand, dot)?,
                    (None, last) => last.unwrap_or_default().into(),
                };
                language::length(&value)
            }
            Some(LanguageFunction::Call) => {
                let callee = match (arguments.first(), &last) {
                    (Some(operand), _) => FailingNode::of(operand).to_string(),
                    (None, last) => last.as_ref().map(language::reflected).unwrap_or_default(),
                };
                let values = self.arguments(name, &language::SOME, arguments, last, dot)?;
                language::call(&callee, &values)
            }
            Some(LanguageFunction::Plain(signature, body)) => {
                let values = self.arguments(name, &signature, arguments, last, dot)?;
                body(&values)
            }
        };
        self.result(result, name, call, arguments)
    }

    /// Evaluates `and` and `or`: the arguments up to the first that decides.
    fn junction(
        &mut self,
        name: &str,
        stops_at: bool,
        arguments: &'a [Operand],
        last: Option<GoValue>,
        dot: &SeenValue,
    ) -> Outcome<SeenValue> {
        check_count(&language::SOME, arguments.len(), last.is_some()).map_err(|count| self.wrong_count(name, &count))?;
        let mut value = SeenValue::default();
        for argument in arguments {
            value = self.operand(argument, dot)?;
            if value.value.is_true() == stops_at {
                return Ok(value);
            }
        }
        Ok(last.map_or(value, Into::into))
    }

    /// Evaluates and checks the arguments of a call.
    pub(super) fn arguments(
        &mut self,
        name: &str,
        signature: &Signature,
        arguments: &'a [Operand],
        last: Option<GoValue>,
        dot: &SeenValue,
    ) -> Outcome<Vec<GoValue>> {
        check_count(signature, arguments.len(), last.is_some()).map_err(|count| self.wrong_count(name, &count))?;
        let parameters = signature.fixed.iter().copied().chain(std::iter::repeat_with(|| signature.rest).map_while(|rest| rest));
        let mut parameters = parameters;
        let mut values = Vec::with_capacity(arguments.len() + usize::from(last.is_some()));
        for operand in arguments {
            let Some(parameter) = parameters.next() else { break };
            let value = match &operand.term {
                Term::Nil | Term::Bool(_) | Term::Number(_) | Term::String { .. } => {
                    self.node = FailingNode::Operand(operand);
                    literal(operand, parameter)
                }
                _ => fitting(self.operand(operand, dot)?, parameter),
            };
            values.push(value.map_err(|message| self.error(message))?);
        }
        if let (Some(last), Some(parameter)) = (last, parameters.next()) {
            values.push(fitting(last.into(), parameter).map_err(|message| self.error(message))?);
        }
        Ok(values)
    }

    /// Checks the result of a function or method.
    pub(super) fn result(
        &mut self,
        result: Result<GoValue, FunctionError>,
        name: &str,
        call: FailingNode<'a>,
        arguments: &'a [Operand],
    ) -> Outcome<SeenValue> {
        let value = result.map_err(|error| self.call_error(error, name, call, arguments))?;
        if let GoValue::String(text) = &value {
            self.usage.produced(text.len()).map_err(|message| {
                self.node = call;
                self.limit(message)
            })?;
        }
        Ok(value.into())
    }

    fn wrong_count(&self, name: &str, count: &str) -> Box<crate::error::TemplateError> {
        self.error(format!("wrong number of args for {name}: {count}"))
    }
}

/// Checks the number of arguments. The error is Go's text, which leaves the argument out that comes through the pipe if any number is allowed.
fn check_count(signature: &Signature, written: usize, is_piped: bool) -> Result<(), String> {
    let (fixed, given) = (signature.fixed.len(), written + usize::from(is_piped));
    match signature.rest {
        Some(_) if given < fixed => Err(format!("want at least {fixed} got {written}")),
        None if given != fixed => Err(format!("want {fixed} got {given}")),
        _ => Ok(()),
    }
}
