//! The functions of the language itself.

mod compare;
mod escape;
mod index;

use self::compare::{equal, greater, greater_or_equal, less, less_or_equal, not_equal};
use self::escape::{html, js, url_query};
use self::index::{index, slice};
use super::seen::{SeenValue, plain};
use crate::error::FunctionError;
use crate::format;
use crate::function::{Parameter, Signature};
use crate::value::{GoString, GoValue};

/// The body of a function. The engine checks the number of arguments against the signature before the call, so the indexes of fixed parameters are valid.
pub(super) type Body = fn(&[GoValue]) -> Result<GoValue, FunctionError>;

/// A function of the language.
pub(super) enum LanguageFunction {
    /// `and` and `or`, which evaluate their arguments up to the first whose truth is this.
    Junction {
        /// True for `or`.
        stops_at: bool,
    },
    /// `len` and `slice`, which tell elements of type `interface {}` from other values.
    Seen(Signature, fn(&[SeenValue]) -> Result<GoValue, FunctionError>),
    /// `call`, which names the operand that it calls.
    Call,
    /// A function of its arguments alone.
    Plain(Signature, Body),
}

/// One argument of any type.
const ONE: Signature = Signature::of(&[Parameter::Any]);
/// At least one argument of any type.
pub(super) const SOME: Signature = Signature::variadic(&[Parameter::Any], Parameter::Any);
const TWO: Signature = Signature::of(&[Parameter::Any, Parameter::Any]);
const ALL: Signature = Signature::variadic(&[], Parameter::Any);
const FORMAT: Signature = Signature::variadic(&[Parameter::String], Parameter::Any);

/// Returns the function of a name.
pub(super) fn find(name: &str) -> Option<LanguageFunction> {
    use LanguageFunction::{Call, Junction, Plain, Seen};
    Some(match name {
        "and" => Junction { stops_at: false },
        "or" => Junction { stops_at: true },
        "not" => Plain(ONE, |arguments| Ok((!arguments[0].is_true()).into())),
        "eq" => Plain(SOME, equal),
        "ne" => Plain(TWO, not_equal),
        "lt" => Plain(TWO, less),
        "le" => Plain(TWO, less_or_equal),
        "gt" => Plain(TWO, greater),
        "ge" => Plain(TWO, greater_or_equal),
        "len" => Seen(ONE, length),
        "index" => Plain(SOME, index),
        "slice" => Seen(SOME, slice),
        "call" => Call,
        "html" => Plain(ALL, |arguments| Ok(html(arguments))),
        "js" => Plain(ALL, |arguments| Ok(js(arguments))),
        "urlquery" => Plain(ALL, |arguments| Ok(url_query(arguments))),
        "print" => Plain(ALL, |arguments| Ok(format::print(arguments).into())),
        "println" => Plain(ALL, |arguments| Ok(format::println(arguments).into())),
        "printf" => Plain(FORMAT, |arguments| match arguments.split_first() {
            Some((GoValue::String(text), rest)) => format::printf(text, rest).map(Into::into),
            _ => Ok(GoValue::Nil),
        }),
        _ => return None,
    })
}

/// Returns the length of a value.
fn length(arguments: &[SeenValue]) -> Result<GoValue, FunctionError> {
    let Some(seen) = arguments.first() else { return Ok(GoValue::Nil) };
    let length = match &plain(seen.value.clone()) {
        GoValue::Nil if seen.is_element => return Err(FunctionError::new("len of nil pointer")),
        // Go asks an absent value for its type and recovers from the panic.
        GoValue::Nil => return Err(FunctionError::new("reflect: call of reflect.Value.Type on zero Value")),
        GoValue::String(text) => text.len(),
        GoValue::List(list) => list.len(),
        GoValue::Map(map) => map.len(),
        _ => return Err(FunctionError::new(format!("len of type {}", seen.value.type_name()))),
    };
    Ok(GoValue::int(length as i64))
}

/// Returns the error of `call`: no value of a template is a function.
pub(super) fn no_function(callee: &str, arguments: &[GoValue]) -> FunctionError {
    FunctionError::new(match arguments.first() {
        None | Some(GoValue::Nil) => "call of nil".to_owned(),
        Some(value) => format!("non-function {callee} of type {}", value.type_name()),
    })
}

/// Returns the text by which Go's reflection names a value: that of a string, or the type.
pub(super) fn reflected(value: &GoValue) -> String {
    match value {
        GoValue::String(text) => text.to_text().into_owned(),
        GoValue::Nil => "<invalid Value>".to_owned(),
        other => format!("<{} Value>", other.type_name()),
    }
}

/// Returns the arguments of an escaping function as one text: strings as they are, others as `print` prints them.
fn joined(arguments: &[GoValue]) -> GoString {
    if let [GoValue::String(text)] = arguments {
        return text.clone();
    }
    let absent_as_text = |value: &GoValue| match value {
        GoValue::Nil => GoValue::string("<no value>"),
        other => other.clone(),
    };
    format::print(&arguments.iter().map(absent_as_text).collect::<Vec<_>>())
}
