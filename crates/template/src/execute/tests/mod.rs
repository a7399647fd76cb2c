//! Tests of the execution: a small set of functions, and helpers that render a text.

mod errors;
mod included;
mod language;
mod limits;
mod objects;

use std::any::Any;
use std::sync::Arc;

use jiff::Timestamp;

use crate::error::{FunctionError, TemplateError};
use crate::execute::TemplateLimits;
use crate::function::{FunctionSet, Parameter, Signature, TemplateHost};
use crate::set::TemplateSet;
use crate::syntax::Delimiters;
use crate::value::{GoMap, GoValue, IntegerType};

struct TestHost;

impl TemplateHost for TestHost {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(0);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Renders a text as the file `t`, and returns the output or the error as they print.
fn render(text: &str, data: &GoValue) -> Result<String, String> {
    try_render(&[("t", text)], data, &TemplateLimits::default()).map_err(|error| error.to_string())
}

/// Adds files to a set and renders the last one.
fn try_render(files: &[(&str, &str)], data: &GoValue, limits: &TemplateLimits) -> Result<String, TemplateError> {
    let (name, _) = files.last().unwrap();
    render_file(files, name, data, limits)
}

/// Adds files to a set and renders one of them.
fn render_file(files: &[(&str, &str)], name: &str, data: &GoValue, limits: &TemplateLimits) -> Result<String, TemplateError> {
    let mut set = TemplateSet::new(Arc::new(functions()), Delimiters::default());
    for (name, text) in files {
        set.add(name, text)?;
    }
    let output = set.execute(name, data, &TestHost, limits)?;
    Ok(output.to_text().into_owned())
}

/// Asserts the outputs, or the ends of the errors, of texts with the same data.
#[track_caller]
fn assert_rendered(data: &GoValue, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        match render(text, data) {
            Ok(output) => assert_eq!(output, *expected, "{text}"),
            Err(error) => assert!(error.ends_with(expected) && !expected.is_empty(), "{text}: {error}"),
        }
    }
}

/// Returns data from JSON, with numbers as `float64`.
fn data(json: &str) -> GoValue {
    GoValue::from(&serde_json::from_str::<serde_json::Value>(json).unwrap())
}

const ANY: Signature = Signature::of(&[Parameter::Any]);
const TEXT: Signature = Signature::of(&[Parameter::String]);
const TEXT_AND_ANY: Signature = Signature::of(&[Parameter::String, Parameter::Any]);
const TWO: Signature = Signature::of(&[Parameter::Any, Parameter::Any]);
const ALL: Signature = Signature::variadic(&[], Parameter::Any);

/// Returns a few functions with the names that charts know, as simple as these tests need them.
fn functions() -> FunctionSet {
    let mut functions = FunctionSet::new();
    functions.add("include", TEXT_AND_ANY, |call| {
        let (name, data) = (call.string(0), call.take(1));
        call.engine.include(&name.to_text(), &data).map(GoValue::String)
    });
    functions.add("tpl", TEXT_AND_ANY, |call| {
        let (text, data) = (call.string(0), call.take(1));
        call.engine.evaluate(&text.to_text(), &data).map(GoValue::String)
    });
    functions.add("fail", TEXT, |call| Err(FunctionError::Told(call.string(0).to_text().into_owned())));
    functions.add("required", TEXT_AND_ANY, |call| {
        let (message, value) = (call.string(0), call.take(1));
        let is_missing = matches!(&value, GoValue::Nil) || matches!(&value, GoValue::String(text) if text.is_empty());
        if is_missing { Err(FunctionError::Told(message.to_text().into_owned())) } else { Ok(value) }
    });
    functions.add("broken", ALL, |_| Err(FunctionError::new("no way")));
    functions.add("picky", ALL, |_| Err(FunctionError::Argument(1, "wrong second".to_owned())));
    functions.add("upper", TEXT, |call| Ok(call.string(0).to_text().to_uppercase().into()));
    functions.add("lower", TEXT, |call| Ok(call.string(0).to_text().to_lowercase().into()));
    functions.add("twice", TEXT, |call| Ok(call.string(0).to_text().repeat(2).into()));
    functions.add("half", Signature::of(&[Parameter::Float]), |call| Ok((call.float(0) / 2.0).into()));
    functions.add("next", Signature::of(&[Parameter::Int]), |call| Ok(GoValue::int(call.int(0) + 1)));
    functions.add("unsigned", Signature::of(&[Parameter::Uint64]), |call| Ok(call.take(0)));
    functions.add("flag", Signature::of(&[Parameter::Bool]), |call| Ok(call.bool(0).into()));
    functions.add("count", Signature::of(&[Parameter::List]), |call| Ok(GoValue::int(call.list(0).len() as i64)));
    functions
        .add("size", Signature::of(&[Parameter::Map]), |call| Ok(GoValue::int(call.map(0).map_or(0, |map| map.len() as i64))));
    functions.add("type", ANY, |call| Ok(call.take(0).type_name().into()));
    functions.add("list", ALL, |call| Ok(GoValue::list(call.rest(0))));
    functions.alias("tuple", "list");
    functions.add("dict", ALL, |call| {
        let pairs = call.arguments.chunks_exact(2);
        let text = |value: &GoValue| if let GoValue::String(text) = value { text.clone() } else { "".into() };
        Ok(GoMap::from_pairs(pairs.map(|pair| (text(&pair[0]), pair[1].clone()))).into())
    });
    functions.add("set", Signature::of(&[Parameter::Map, Parameter::String, Parameter::Any]), |call| {
        let (map, key, value) = (call.map(0)?, call.string(1), call.take(2));
        map.set(key, value);
        Ok(map.into())
    });
    functions.add("int", ANY, |call| {
        Ok(GoValue::int(match call.take(0) {
            GoValue::Integer(value, _) => value as i64,
            GoValue::Float(value) => value as i64,
            _ => 0,
        }))
    });
    functions.add("int64", ANY, |call| match call.take(0) {
        GoValue::Integer(value, _) => Ok(GoValue::Integer(value, IntegerType::Int64)),
        GoValue::Float(value) => Ok(GoValue::int64(value as i64)),
        _ => Ok(GoValue::int64(0)),
    });
    functions.add("until", Signature::of(&[Parameter::Int]), |call| Ok(GoValue::list((0..call.int(0)).map(GoValue::int))));
    for (name, operation) in
        [("add", i128::wrapping_add as fn(i128, i128) -> i128), ("sub", i128::wrapping_sub), ("mul", i128::wrapping_mul)]
    {
        functions.add(name, ALL, move |call| {
            let number = |value: &GoValue| match value {
                GoValue::Integer(value, _) => *value,
                GoValue::Float(value) => *value as i128,
                GoValue::String(text) => text.to_text().parse().unwrap_or(0),
                _ => 0,
            };
            let result = call.arguments.iter().map(number).reduce(operation).unwrap_or(0);
            Ok(GoValue::int64(result as i64))
        });
    }
    functions.add("default", TWO, |call| {
        let (fallback, value) = (call.take(0), call.take(1));
        Ok(if value.is_true() { value } else { fallback })
    });
    functions.add("trunc", Signature::of(&[Parameter::Int, Parameter::String]), |call| {
        let (length, text) = (call.int(0), call.string(1));
        Ok(text.to_text().chars().take(length as usize).collect::<String>().into())
    });
    functions.add("trimSuffix", Signature::of(&[Parameter::String, Parameter::String]), |call| {
        let (suffix, text) = (call.string(0), call.string(1));
        let text = text.to_text();
        Ok(text.strip_suffix(&*suffix.to_text()).unwrap_or(&text).into())
    });
    functions.add("trim", TEXT, |call| Ok(call.string(0).to_text().trim().into()));
    functions.add("first", Signature::of(&[Parameter::List]), |call| Ok(call.list(0).first().cloned().unwrap_or_default()));
    functions.add("quote", ANY, |call| match call.take(0) {
        GoValue::Nil => Ok("".into()),
        value => Ok(format!("\"{}\"", super::seen::shown(&value)).into()),
    });
    functions
}
