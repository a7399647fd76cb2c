//! Calls of functions.

use super::arguments::{fitting, literal};
use super::language::{self, LanguageFunction};
use super::place::FailingNode;
use super::run::{Outcome, TreeExecution};
use super::seen::SeenValue;
use crate::error::FunctionError;
use crate::format::quote;
use crate::function::{FunctionCall, Signature};
use crate::syntax::{Operand, OperandTerm};
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
            None => return Err(self.error(format!("{} is not a defined function", quote(name.as_bytes()))).into()),
            Some(LanguageFunction::Junction { stops_at }) => {
                return self.junction(name, stops_at, arguments, last, dot);
            }
            Some(LanguageFunction::Seen(signature, body)) => {
                self.check_count(name, &signature, arguments, last.is_some())?;
                let mut values = Vec::with_capacity(arguments.len() + 1);
                for operand in arguments {
                    values.push(self.operand(operand, dot)?);
                }
                values.extend(last.map(SeenValue::from));
                body(&values)
            }
            Some(LanguageFunction::Call) => {
                let callee = match (arguments.first(), &last) {
                    (Some(operand), _) => FailingNode::of(operand).to_string(),
                    (None, last) => last.as_ref().map(language::reflected).unwrap_or_default(),
                };
                let values = self.arguments(name, &language::SOME, arguments, last, dot)?;
                Err(language::no_function(&callee, &values))
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
        self.check_count(name, &language::SOME, arguments, last.is_some())?;
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
        self.check_count(name, signature, arguments, last.is_some())?;
        let rest = std::iter::repeat_with(|| signature.rest).map_while(|rest| rest);
        let mut parameters = signature.fixed.iter().copied().chain(rest);
        let mut values = Vec::with_capacity(arguments.len() + usize::from(last.is_some()));
        for operand in arguments {
            let Some(parameter) = parameters.next() else { break };
            let value = match &operand.term {
                OperandTerm::Nil | OperandTerm::Bool(_) | OperandTerm::Number(_) | OperandTerm::String { .. } => {
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

    /// Checks the number of arguments. Go leaves the argument out of its text that comes through the pipe if any number is allowed.
    fn check_count(&self, name: &str, signature: &Signature, written: &[Operand], is_piped: bool) -> Outcome<()> {
        let (fixed, written) = (signature.fixed.len(), written.len());
        let given = written + usize::from(is_piped);
        let count = match signature.rest {
            Some(_) if given < fixed => format!("want at least {fixed} got {written}"),
            None if given != fixed => format!("want {fixed} got {given}"),
            _ => return Ok(()),
        };
        Err(self.error(format!("wrong number of args for {name}: {count}")).into())
    }
}
