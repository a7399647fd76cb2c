//! Calls of functions.

use super::arguments::{CallArguments, fitting, literal};
use super::language::{self, LanguageFunction};
use super::noted_host::NotedHost;
use super::place::FailingNode;
use super::run::{Outcome, TreeExecution};
use super::seen::SeenValue;
use crate::error::FunctionError;
use crate::format::quote;
use crate::function::{FunctionCall, Signature};
use crate::syntax::{Operand, OperandTerm};
use crate::value::GoValue;

/// The largest number of arguments for which memory is kept.
const KEPT_ARGUMENTS: usize = 16;

impl<'a> TreeExecution<'a> {
    /// Calls a function. Those of the set stand in front of those of the language: sprig has a `slice` of its own.
    pub(super) fn function(&mut self, name: &str, call: FailingNode<'a>, arguments: CallArguments<'a, '_>) -> Outcome<SeenValue> {
        let (set, written) = (self.scope.set, arguments.written);
        if let Some(function) = set.functions.get(name) {
            let arguments = self.arguments(name, &function.signature, arguments)?;
            let host = NotedHost::new(self.host);
            let mut called = FunctionCall { arguments, engine: self, host: &host };
            let result = function.call(&mut called);
            let arguments = called.arguments;
            if host.is_asked() || !function.is_repeatable() {
                self.usage.included.note_unrepeatable();
            }
            self.keep(arguments);
            return self.result(result, name, call, written);
        }
        let result = match language::find(name) {
            None => return Err(self.error(format!("{} is not a defined function", quote(name.as_bytes()))).into()),
            Some(LanguageFunction::Junction { stops_at }) => return self.junction(name, stops_at, arguments),
            Some(LanguageFunction::Seen(signature, body)) => {
                self.check_count(name, &signature, &arguments)?;
                let mut values = Vec::with_capacity(arguments.len());
                for operand in written {
                    values.push(self.operand(operand, arguments.dot)?);
                }
                values.extend(arguments.piped.map(SeenValue::from));
                body(&values)
            }
            Some(LanguageFunction::Call) => {
                let callee = match written.first() {
                    Some(operand) => FailingNode::of(operand).to_string(),
                    None => arguments.piped.as_ref().map(language::reflected).unwrap_or_default(),
                };
                let values = self.arguments(name, &language::SOME, arguments)?;
                Err(language::no_function(&callee, &values))
            }
            Some(LanguageFunction::Plain(signature, body)) => {
                let values = self.arguments(name, &signature, arguments)?;
                body(&values)
            }
        };
        self.result(result, name, call, written)
    }

    /// Evaluates `and` and `or`: the arguments up to the first that decides.
    fn junction(&mut self, name: &str, stops_at: bool, arguments: CallArguments<'a, '_>) -> Outcome<SeenValue> {
        self.check_count(name, &language::SOME, &arguments)?;
        let mut value = SeenValue::default();
        for operand in arguments.written {
            value = self.operand(operand, arguments.dot)?;
            if value.value.is_true() == stops_at {
                return Ok(value);
            }
        }
        Ok(arguments.piped.map_or(value, Into::into))
    }

    /// Evaluates and checks the arguments of a call.
    pub(super) fn arguments(
        &mut self,
        name: &str,
        signature: &Signature,
        arguments: CallArguments<'a, '_>,
    ) -> Outcome<Vec<GoValue>> {
        self.check_count(name, signature, &arguments)?;
        let rest = std::iter::repeat_with(|| signature.rest).map_while(|rest| rest);
        let mut parameters = signature.fixed.iter().copied().chain(rest);
        let mut values = self.spare.pop().unwrap_or_default();
        values.reserve(arguments.len());
        for operand in arguments.written {
            let Some(parameter) = parameters.next() else { break };
            let value = match &operand.term {
                OperandTerm::Nil | OperandTerm::Bool(_) | OperandTerm::Number(_) | OperandTerm::String { .. } => {
                    self.node = FailingNode::Operand(operand);
                    literal(operand, parameter)
                }
                _ => fitting(self.operand(operand, arguments.dot)?, parameter),
            };
            values.push(value.map_err(|message| self.error(message))?);
        }
        if let (Some(piped), Some(parameter)) = (arguments.piped, parameters.next()) {
            values.push(fitting(piped.into(), parameter).map_err(|message| self.error(message))?);
        }
        Ok(values)
    }

    /// Keeps the memory of the arguments of a call for those of another one.
    fn keep(&mut self, mut arguments: Vec<GoValue>) {
        arguments.clear();
        if arguments.capacity() <= KEPT_ARGUMENTS {
            self.spare.push(arguments);
        }
    }

    /// Checks the result of a function or method.
    pub(super) fn result(
        &mut self,
        result: Result<GoValue, FunctionError>,
        name: &str,
        call: FailingNode<'a>,
        written: &'a [Operand],
    ) -> Outcome<SeenValue> {
        let value = result.map_err(|error| self.call_error(error, name, call, written))?;
        self.usage.called(&value).map_err(|message| {
            self.node = call;
            self.limit(message)
        })?;
        Ok(value.into())
    }

    /// Checks the number of arguments. Go leaves the argument out of its text that comes through the pipe if any number is allowed.
    fn check_count(&self, name: &str, signature: &Signature, arguments: &CallArguments<'_, '_>) -> Outcome<()> {
        let (fixed, written, given) = (signature.fixed.len(), arguments.written.len(), arguments.len());
        let count = match signature.rest {
            Some(_) if given < fixed => format!("want at least {fixed} got {written}"),
            None if given != fixed => format!("want {fixed} got {given}"),
            _ => return Ok(()),
        };
        Err(self.error(format!("wrong number of args for {name}: {count}")).into())
    }
}
