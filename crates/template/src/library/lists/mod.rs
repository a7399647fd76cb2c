//! Functions of lists.

mod parts;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use self::parts::{chunks, slice};
use super::limits;
use super::printing::{elements_of, is_empty};
use crate::error::FunctionError;
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature};
use crate::value::{DeepComparison, ElementType, GoList, GoValue};

const ANY: Signature = Signature::of(&[Parameter::Any]);
const TWO: Signature = Signature::of(&[Parameter::Any, Parameter::Any]);
const ANY_AND_MORE: Signature = Signature::variadic(&[Parameter::Any], Parameter::Any);

type Body = fn(&mut FunctionCall<'_>) -> Result<GoValue, FunctionError>;

/// Adds the functions of lists. A function and its twin `must…` differ in Go by how they fail, which templates cannot see.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("list", Signature::variadic(&[], Parameter::Any), |call| Ok(GoValue::list(call.rest(0))));
    functions.alias("tuple", "list");
    functions.add("concat", Signature::variadic(&[], Parameter::Any), concat);
    let twins: [(&str, &str, Signature, Body); 14] = [
        ("append", "mustAppend", TWO, append),
        ("push", "mustPush", TWO, append),
        ("prepend", "mustPrepend", TWO, prepend),
        ("first", "mustFirst", ANY, first),
        ("last", "mustLast", ANY, last),
        ("rest", "mustRest", ANY, rest),
        ("initial", "mustInitial", ANY, initial),
        ("reverse", "mustReverse", ANY, reverse),
        ("uniq", "mustUniq", ANY, unique),
        ("without", "mustWithout", ANY_AND_MORE, without),
        ("has", "mustHas", TWO, has),
        ("compact", "mustCompact", ANY, compact),
        ("slice", "mustSlice", ANY_AND_MORE, slice),
        ("chunk", "mustChunk", Signature::of(&[Parameter::Int, Parameter::Any]), chunks),
    ];
    for (name, must_name, signature, body) in twins {
        functions.add(name, signature, body);
        functions.alias(must_name, name);
    }
}

/// Returns the elements of a list. The error of another value begins with a text that ends before its kind; nil has no type and so no kind.
fn elements(value: &GoValue, problem: &str) -> Result<GoList, FunctionError> {
    match (elements_of(value), value) {
        (Some(list), _) => Ok(list),
        (None, GoValue::Nil) => Err(limits::nil_pointer()),
        (None, other) => Err(FunctionError::new(format!("{problem} {}", other.kind()))),
    }
}

fn append(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let (list, value) = (call.take(0), call.take(1));
    let list = elements(&list, "Cannot push on type")?;
    Ok(GoValue::list(list.iter().cloned().chain([value])))
}

fn prepend(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let (list, value) = (call.take(0), call.take(1));
    let list = elements(&list, "Cannot prepend on type")?;
    Ok(GoValue::list([value].into_iter().chain(list.iter().cloned())))
}

fn concat(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let mut all = Vec::new();
    for value in call.rest(0) {
        let kind = value.kind();
        match (elements_of(&value), &value) {
            (Some(list), _) => {
                limits::list_length(all.len() + list.len())?;
                all.extend(list.iter().cloned());
            }
            (None, GoValue::Nil) => return Err(limits::nil_pointer()),
            (None, _) => return Err(FunctionError::new(format!("Cannot concat type {kind} as list"))),
        }
    }
    Ok(list_or_nil(all))
}

fn first(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    Ok(elements(&call.take(0), "Cannot find first on type")?.first().cloned().unwrap_or_default())
}

fn last(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    Ok(elements(&call.take(0), "Cannot find last on type")?.last().cloned().unwrap_or_default())
}

fn rest(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let list = elements(&call.take(0), "Cannot find rest on type")?;
    Ok(list.split_first().map_or_else(nil_list, |(_, rest)| GoValue::list(rest.iter().cloned())))
}

fn initial(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let list = elements(&call.take(0), "Cannot find initial on type")?;
    Ok(list.split_last().map_or_else(nil_list, |(_, initial)| GoValue::list(initial.iter().cloned())))
}

fn reverse(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    Ok(GoValue::list(elements(&call.take(0), "Cannot find reverse on type")?.iter().rev().cloned()))
}

fn unique(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let mut comparison = DeepComparison::new();
    let (mut kept, mut texts, mut integers, mut others) = (Vec::new(), HashSet::new(), HashSet::new(), Vec::new());
    for item in elements(&call.take(0), "Cannot find uniq on type")?.iter() {
        let is_new = match item {
            GoValue::String(text) => texts.insert(text.clone()),
            GoValue::Integer(number, type_) => integers.insert((*number, *type_)),
            other if comparison.is_in(other, &others)? => false,
            other => {
                others.push(other.clone());
                true
            }
        };
        if is_new {
            kept.push(item.clone());
        }
    }
    Ok(GoValue::list(kept))
}

fn without(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let omitted = call.rest(1);
    let list = elements(&call.take(0), "Cannot find without on type")?;
    let mut comparison = DeepComparison::new();
    let mut kept = Vec::new();
    for item in list.iter() {
        if !comparison.is_in(item, &omitted)? {
            kept.push(item.clone());
        }
    }
    Ok(GoValue::list(kept))
}

fn has(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let (value, list) = (call.take(0), call.take(1));
    if matches!(list, GoValue::Nil) {
        return Ok(false.into());
    }
    let list = elements(&list, "Cannot find has on type")?;
    DeepComparison::new().is_in(&value, list.iter()).map(Into::into)
}

fn compact(call: &mut FunctionCall<'_>) -> Result<GoValue, FunctionError> {
    let list = elements(&call.take(0), "Cannot compact on type")?;
    Ok(GoValue::list(list.iter().filter(|item| !is_empty(item)).cloned()))
}

fn nil_list() -> GoValue {
    GoList::nil(ElementType::Any).into()
}

fn list_or_nil(items: Vec<GoValue>) -> GoValue {
    if items.is_empty() { nil_list() } else { GoValue::list(items) }
}
