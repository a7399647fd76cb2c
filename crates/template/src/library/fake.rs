//! Calls of functions without an engine, for tests.

use std::any::Any;
use std::cell::Cell;

use jiff::Timestamp;
use serde_json::Value;

use super::{add_bits_and_addresses, add_durations, add_helm, add_sprig};
use crate::error::FunctionError;
use crate::format;
use crate::function::{FunctionCall, FunctionSet, TemplateEngine, TemplateHost};
use crate::value::{GoMap, GoString, GoValue};

/// An engine that prints the names and texts that it is asked to execute.
struct FakeEngine;

impl TemplateEngine for FakeEngine {
    fn include(&mut self, name: &str, data: &GoValue) -> Result<GoString, FunctionError> {
        Ok(format!("include {name} with {}", shown(data)).into())
    }

    fn evaluate(&mut self, text: &str, data: &GoValue) -> Result<GoString, FunctionError> {
        Ok(format!("evaluate {text} with {}", shown(data)).into())
    }
}

/// A host at the beginning of time, whose random bytes are those of a linear congruential generator.
pub(crate) struct FakeHost {
    state: Cell<u32>,
}

impl FakeHost {
    pub(crate) const fn new() -> Self {
        Self { state: Cell::new(1) }
    }
}

impl TemplateHost for FakeHost {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        for byte in buffer {
            self.state.set(self.state.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
            *byte = (self.state.get() >> 24) as u8;
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Returns a value as an action prints it.
pub(super) fn shown(value: &GoValue) -> String {
    let mut output = Vec::new();
    format::print_value(&mut output, value);
    String::from_utf8_lossy(&output).into_owned()
}

/// Returns all functions.
pub(super) fn functions() -> FunctionSet {
    let mut functions = FunctionSet::new();
    add_sprig(&mut functions);
    add_helm(&mut functions);
    add_durations(&mut functions);
    add_bits_and_addresses(&mut functions);
    functions
}

/// Calls one of all functions. The error is its text.
pub(super) fn call(name: &str, arguments: impl IntoIterator<Item = GoValue>) -> Result<GoValue, String> {
    call_in(&functions(), name, arguments)
}

/// Calls a function of a set. The error is its text.
pub(super) fn call_in(
    functions: &FunctionSet,
    name: &str,
    arguments: impl IntoIterator<Item = GoValue>,
) -> Result<GoValue, String> {
    let function = functions.get(name).unwrap_or_else(|| panic!("function {name} is in the set"));
    let host = FakeHost::new();
    let mut call = FunctionCall { arguments: arguments.into_iter().collect(), engine: &mut FakeEngine, host: &host };
    function.call(&mut call).map_err(|error| match error {
        FunctionError::Failed(text) | FunctionError::Told(text) => text,
        other => format!("{other:?}"),
    })
}

/// Returns a value of a template for a JSON value: a number without fraction is an `int`.
pub(super) fn value(json: &Value) -> GoValue {
    match json {
        Value::Number(number) if number.is_i64() => GoValue::int(number.as_i64().unwrap()),
        Value::Array(items) => GoValue::list(items.iter().map(value)),
        Value::Object(entries) => GoMap::from_pairs(entries.iter().map(|(key, item)| (key.as_str(), value(item)))).into(),
        other => GoValue::from(other),
    }
}

/// Calls a function with the elements of a JSON array; returns its result as an action prints it.
pub(super) fn printed(name: &str, arguments: &Value) -> Result<String, String> {
    let arguments = arguments.as_array().unwrap();
    call(name, arguments.iter().map(value)).map(|value| shown(&value))
}

/// Checks the printed results of functions.
pub(super) fn check_results<const N: usize>(cases: [(&str, Value, &str); N]) {
    for (name, arguments, expected) in cases {
        assert_eq!(printed(name, &arguments).as_deref(), Ok(expected), "{name} {arguments}");
    }
}

/// Checks the errors of functions.
pub(super) fn check_errors<const N: usize>(cases: [(&str, Value, &str); N]) {
    for (name, arguments, expected) in cases {
        assert_eq!(printed(name, &arguments).err().as_deref(), Some(expected), "{name} {arguments}");
    }
}
