//! Functions that make strings of values: quoting, joining, sorting.

use crate::error::FunctionError;
use crate::format;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::library::limits;
use crate::library::printing::{display, elements_of, text_of, texts, texts_of};
use crate::value::{ElementType, GoString, GoValue};

const ANY: Signature = Signature::of(&[Parameter::Any]);
const ALL: Signature = Signature::variadic(&[], Parameter::Any);

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("toString", ANY, |call| Ok(text_of(&call.take(0)).into()));
    functions.add("toStrings", ANY, |call| {
        let value = call.take(0);
        match value {
            GoValue::List(list) if list.element() == ElementType::String => Ok(list.into()),
            other => texts_of(&other).map(GoValue::strings),
        }
    });
    functions.add("quote", ALL, |call| {
        joined(b" ", &texts(&call.arguments, |value| format::quote(text_of(value).as_bytes()).into())?)
    });
    functions.add("squote", ALL, |call| {
        joined(b" ", &texts(&call.arguments, |value| [b"'", display(value).as_bytes(), b"'"].concat().into())?)
    });
    functions.add("cat", ALL, |call| joined(b" ", &texts(&call.arguments, display)?));
    functions.add("join", Signature::of(&[Parameter::String, Parameter::Any]), |call| {
        let (separator, value) = (call.string(0), call.take(1));
        joined(separator.as_bytes(), &texts_of(&value)?)
    });
    functions.add("sortAlpha", ANY, |call| {
        let value = call.take(0);
        let mut texts = if elements_of(&value).is_some() { texts_of(&value)? } else { vec![text_of(&value)] };
        texts.sort();
        Ok(GoValue::strings(texts))
    });
    functions.add("plural", Signature::of(&[Parameter::String, Parameter::String, Parameter::Int]), |call| {
        let (one, many, count) = (call.string(0), call.string(1), call.int(2));
        Ok(if count == 1 { one.into() } else { many.into() })
    });
}

fn joined(separator: &[u8], texts: &[GoString]) -> Result<GoValue, FunctionError> {
    limits::text_size(texts.len(), separator.len())?;
    let texts: Vec<&[u8]> = texts.iter().map(GoString::as_bytes).collect();
    Ok(GoValue::string(texts.join(separator)))
}
