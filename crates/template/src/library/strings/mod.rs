//! Functions of strings.

mod affix;
mod case;
mod characters;
mod cut;
mod join;
mod random;
mod split;
#[cfg(test)]
mod tests;
mod words;
mod wrap;

pub(super) use characters::{is_digit, is_letter};

use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::{GoString, GoValue};

const TEXT: Signature = Signature::of(&[Parameter::String]);
const TWO_TEXTS: Signature = Signature::of(&[Parameter::String, Parameter::String]);
const NUMBER_AND_TEXT: Signature = Signature::of(&[Parameter::Int, Parameter::String]);

/// Adds the functions of strings.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("hello", Signature::of(&[]), |_| Ok("Hello!".into()));
    affix::add(functions);
    case::add(functions);
    cut::add(functions);
    join::add(functions);
    random::add(functions);
    split::add(functions);
    wrap::add(functions);
}

/// Adds a function from a string to a string.
fn add_mapping<T: Into<GoString>>(
    functions: &mut FunctionSet,
    name: &'static str,
    map: impl Fn(&GoString) -> T + Send + Sync + 'static,
) {
    functions.add(name, TEXT, move |call| Ok(GoValue::string(map(&call.string(0)))));
}
