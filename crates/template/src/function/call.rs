//! One call of a function.

use super::TemplateHost;
use crate::error::FunctionError;
use crate::value::{GoList, GoMap, GoString, GoValue};

/// The parts of the engine that functions use to execute templates.
pub trait TemplateEngine {
    /// Executes a named template with data and returns its output.
    fn include(&mut self, name: &str, data: &GoValue) -> Result<GoString, FunctionError>;

    /// Executes a text as a template of its own, which sees all named templates. Templates that the text defines stay inside.
    fn evaluate(&mut self, text: &str, data: &GoValue) -> Result<GoString, FunctionError>;
}

/// The arguments of one call, checked against the signature, with the engine and the host for the function.
#[allow(missing_debug_implementations)]
pub struct FunctionCall<'a> {
    /// The arguments, in order.
    pub arguments: Vec<GoValue>,
    /// The engine, for functions that execute templates.
    pub engine: &'a mut dyn TemplateEngine,
    /// Time and randomness.
    pub host: &'a dyn TemplateHost,
}

impl FunctionCall<'_> {
    /// Takes an argument; nil if there is none of this index.
    pub fn take(&mut self, index: usize) -> GoValue {
        self.arguments.get_mut(index).map(std::mem::take).unwrap_or_default()
    }

    /// Takes an argument whose parameter is `string`.
    pub fn string(&mut self, index: usize) -> GoString {
        match self.take(index) {
            GoValue::String(text) => text,
            _ => "".into(),
        }
    }

    /// Takes an argument whose parameter is an integer.
    pub fn int(&mut self, index: usize) -> i64 {
        match self.take(index) {
            GoValue::Integer(value, _) => value as i64,
            _ => 0,
        }
    }

    /// Takes an argument whose parameter is `float64`.
    pub fn float(&mut self, index: usize) -> f64 {
        match self.take(index) {
            GoValue::Float(value) => value,
            _ => 0.0,
        }
    }

    /// Takes an argument whose parameter is `bool`.
    pub fn bool(&mut self, index: usize) -> bool {
        matches!(self.take(index), GoValue::Bool(true))
    }

    /// Takes an argument whose parameter is a slice.
    pub fn list(&mut self, index: usize) -> GoList {
        match self.take(index) {
            GoValue::List(list) => list,
            _ => GoList::new(Vec::new(), crate::value::ElementType::Any),
        }
    }

    /// Takes an argument whose parameter is `map[string]interface {}`. The error is that of a nil map, which is one that cannot be written.
    pub fn map(&mut self, index: usize) -> Result<GoMap, FunctionError> {
        match self.take(index) {
            GoValue::Map(map) => Ok(map),
            _ => Err(FunctionError::new("assignment to entry in nil map")),
        }
    }

    /// Takes the arguments from an index on.
    pub fn rest(&mut self, index: usize) -> Vec<GoValue> {
        self.arguments.split_off(index.min(self.arguments.len()))
    }
}
