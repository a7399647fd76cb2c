//! Arguments and the parameters that they must fit.

use super::number::ideal;
use super::place::FailingNode;
use super::seen::SeenValue;
use crate::function::Parameter;
use crate::syntax::{Operand, OperandTerm};
use crate::value::{ElementType, GoList, GoMap, GoObject, GoValue, IntegerType, MapType};

/// The arguments of a call before they are evaluated.
pub(super) struct CallArguments<'a, 'd> {
    /// The operands behind the name of the function or method.
    pub(super) written: &'a [Operand],
    /// The value that comes through the pipe, which is the last argument.
    pub(super) piped: Option<GoValue>,
    /// The value of dot.
    pub(super) dot: &'d SeenValue,
}

impl<'d> CallArguments<'_, 'd> {
    /// Returns no arguments.
    pub(super) const fn none(dot: &'d SeenValue) -> Self {
        Self { written: &[], piped: None, dot }
    }

    /// Returns true if there are none.
    pub(super) const fn is_empty(&self) -> bool {
        self.written.is_empty() && self.piped.is_none()
    }

    /// Returns the number of arguments.
    pub(super) fn len(&self) -> usize {
        self.written.len() + usize::from(self.piped.is_some())
    }
}

/// Returns the value of a literal as a parameter takes it: numbers have the type that the parameter asks for. The error is Go's text.
pub(super) fn literal(operand: &Operand, parameter: Parameter) -> Result<GoValue, String> {
    let found = |expected: &str| format!("expected {expected}; found {}", FailingNode::of(operand));
    match (parameter, &operand.term) {
        (Parameter::Any, OperandTerm::Number(number)) => ideal(number),
        (_, OperandTerm::Nil) if can_be_nil(parameter) => Ok(GoValue::Nil),
        (_, OperandTerm::Nil) => Err(format!("cannot assign nil to {}", type_name(parameter))),
        (Parameter::Any | Parameter::Bool, OperandTerm::Bool(value)) => Ok(GoValue::Bool(*value)),
        (Parameter::Any | Parameter::String, OperandTerm::String { value, .. }) => Ok(GoValue::String(value.clone())),
        (Parameter::Int | Parameter::Int64, OperandTerm::Number(number)) => {
            let type_ = if parameter == Parameter::Int { IntegerType::Int } else { IntegerType::Int64 };
            number.integer.map(|value| GoValue::Integer(value.into(), type_)).ok_or_else(|| found("integer"))
        }
        (Parameter::Uint64, OperandTerm::Number(number)) => {
            let value = number.unsigned.map(|value| GoValue::Integer(value.into(), IntegerType::Uint64));
            value.ok_or_else(|| found("unsigned integer"))
        }
        (Parameter::Float, OperandTerm::Number(number)) => number.float.map(GoValue::Float).ok_or_else(|| found("float")),
        (Parameter::Bool, _) => Err(found("bool")),
        (Parameter::String, _) => Err(found("string")),
        (Parameter::Int | Parameter::Int64, _) => Err(found("integer")),
        (Parameter::Uint64, _) => Err(found("unsigned integer")),
        (Parameter::Float, _) => Err(found("float")),
        _ => Err(format!("can't handle {} for arg of type {}", FailingNode::of(operand), type_name(parameter))),
    }
}

/// Returns a value as a parameter takes it. The error is Go's text.
pub(super) fn fitting(seen: SeenValue, parameter: Parameter) -> Result<GoValue, String> {
    let is_nil = matches!(seen.value, GoValue::Nil);
    match parameter {
        Parameter::Any => return Ok(seen.value),
        _ if is_nil && !seen.is_element => {
            return if can_be_nil(parameter) {
                Ok(GoValue::Nil)
            } else {
                Err(format!("invalid value; expected {}", type_name(parameter)))
            };
        }
        _ => {}
    }
    converted(seen.value, parameter).map_err(|value| {
        let found = if is_nil { "interface {}" } else { value.type_name() };
        format!("wrong type for value; expected {}; got {found}", type_name(parameter))
    })
}

/// Returns the value as one of the parameter's type if Go can assign it; the error is the value.
fn converted(value: GoValue, parameter: Parameter) -> Result<GoValue, GoValue> {
    let fits = match (&value, parameter) {
        (GoValue::Bool(_), Parameter::Bool)
        | (GoValue::Integer(_, IntegerType::Int), Parameter::Int)
        | (GoValue::Integer(_, IntegerType::Int64), Parameter::Int64)
        | (GoValue::Integer(_, IntegerType::Uint64), Parameter::Uint64)
        | (GoValue::Float(_), Parameter::Float)
        | (GoValue::String(_), Parameter::String) => true,
        (GoValue::List(list), _) => list_fits(list, parameter),
        (GoValue::Map(map), Parameter::Map) => match map.map_type() {
            MapType::Any => true,
            MapType::Named(_) | MapType::Struct => return Ok(unnamed(map)),
            MapType::String => false,
        },
        (GoValue::Object(object), Parameter::Object(name)) => is_of_type(object.as_ref(), name),
        (GoValue::Object(object), _) => match object.elements() {
            // A named type over a slice or a map can be assigned to the type without a name.
            Some(GoValue::List(list)) if list_fits(&list, parameter) => return Ok(GoValue::List(list)),
            Some(GoValue::Map(map)) if parameter == Parameter::Map && map.map_type() != MapType::String => {
                return Ok(unnamed(&map));
            }
            _ => false,
        },
        _ => false,
    };
    if fits { Ok(value) } else { Err(value) }
}

fn list_fits(list: &GoList, parameter: Parameter) -> bool {
    match parameter {
        Parameter::List => list.element() == ElementType::Any,
        Parameter::Strings => list.element() == ElementType::String,
        Parameter::Bytes => list.element() == ElementType::Byte,
        _ => false,
    }
}

fn unnamed(map: &GoMap) -> GoValue {
    GoValue::Map(map.retyped(MapType::Any))
}

/// Returns true for an object of a type, or of the pointer to it.
fn is_of_type(object: &dyn GoObject, name: &str) -> bool {
    let own = object.type_name();
    own == name || own.strip_prefix('*').is_some_and(|target| target == name)
}

fn can_be_nil(parameter: Parameter) -> bool {
    match parameter {
        Parameter::Any | Parameter::Strings | Parameter::List | Parameter::Bytes | Parameter::Map => true,
        Parameter::Object(name) => name.starts_with('*'),
        _ => false,
    }
}

const fn type_name(parameter: Parameter) -> &'static str {
    match parameter {
        Parameter::Any => "interface {}",
        Parameter::Bool => "bool",
        Parameter::Int => "int",
        Parameter::Int64 => "int64",
        Parameter::Uint64 => "uint64",
        Parameter::Float => "float64",
        Parameter::String => "string",
        Parameter::Strings => "[]string",
        Parameter::List => "[]interface {}",
        Parameter::Bytes => "[]uint8",
        Parameter::Map => "map[string]interface {}",
        Parameter::Object(name) => name,
    }
}
