//! Values as YAML, JSON and TOML, and back.

mod budget;
mod json_read;
mod json_write;
#[cfg(test)]
mod tests;
mod toml_read;
mod toml_write;
mod yaml;
mod yaml_read;

use json_write::JsonStyle;
use yaml::YamlDialect;

use serde_json::Value;

use crate::error::FunctionError;
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature};
use crate::value::{GoMap, GoString, GoValue};

/// The answer of the functions to values that cannot be encoded, and to texts that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataFlavour {
    /// As in charts of Helm: an empty text, or the error as data. Texts are read as maps or lists only.
    Helm,
    /// As an error. Texts are read as values of any type.
    Strict,
}

/// Adds the functions. Those that begin with `must` always fail with an error.
pub fn add(functions: &mut FunctionSet, flavour: DataFlavour) {
    let is_helm = flavour == DataFlavour::Helm;
    let mut encoder = |name, must_name, encode: Encode, on_error: OnError| {
        let on_error = if is_helm { on_error } else { OnError::Fail };
        functions.add(name, Signature::of(&[Parameter::Any]), move |call| on_error.settle(encode(&call.take(0))));
        functions.add(must_name, Signature::of(&[Parameter::Any]), move |call| OnError::Fail.settle(encode(&call.take(0))));
    };
    encoder("toYaml", "mustToYaml", to_yaml, OnError::Empty);
    encoder("toJson", "mustToJson", |value| json(value, JsonStyle::default()), OnError::Empty);
    encoder(
        "toPrettyJson",
        "mustToPrettyJson",
        |value| json(value, JsonStyle { is_pretty: true, ..JsonStyle::default() }),
        OnError::Empty,
    );
    encoder("toRawJson", "mustToRawJson", |value| json(value, JsonStyle { is_raw: true, ..JsonStyle::default() }), OnError::Fail);
    encoder("toToml", "mustToToml", to_toml, OnError::Text);
    if is_helm {
        functions.add("toToml", Signature::of(&[Parameter::Any]), |call| match call.take(0) {
            // The encoder panics, which is no error that it returns.
            GoValue::Nil => Err(FunctionError::new("reflect: call of reflect.Value.Type on zero Value")),
            value => OnError::Text.settle(to_toml(&value)),
        });
    }
    functions.add("mustFromJson", TEXT, |call| strict(read_json(&call.string(0))));
    if is_helm {
        functions
            .add("toYamlPretty", Signature::of(&[Parameter::Any]), |call| OnError::Empty.settle(to_yaml_pretty(&call.take(0))));
        functions.add("fromYaml", TEXT, |call| Ok(map_or_error(read_yaml_as(call, DecodedType::Map))));
        functions.add("fromYamlArray", TEXT, |call| Ok(list_or_error(read_yaml_as(call, DecodedType::List))));
        functions.add("fromJson", TEXT, |call| Ok(map_or_error(read_json_as(call, DecodedType::Map))));
        functions.add("fromJsonArray", TEXT, |call| Ok(list_or_error(read_json_as(call, DecodedType::List))));
        functions.add("fromToml", TEXT, |call| Ok(map_or_error(toml_read::read(&call.string(0)).map(GoValue::Map))));
    } else {
        for name in ["fromYaml", "mustFromYaml"] {
            functions
                .add(name, TEXT, |call| strict(yaml_read::read(call.string(0).as_bytes()).map(|value| GoValue::from(&value))));
        }
        for name in ["fromYamlArray", "mustFromYamlArray"] {
            functions.add(name, TEXT, |call| strict(read_yaml_as(call, DecodedType::List)));
        }
        functions.add("fromJson", TEXT, |call| strict(read_json(&call.string(0))));
        for name in ["fromJsonArray", "mustFromJsonArray"] {
            functions.add(name, TEXT, |call| strict(read_json_as(call, DecodedType::List)));
        }
        for name in ["fromToml", "mustFromToml"] {
            functions.add(name, TEXT, |call| strict(toml_read::read(&call.string(0)).map(GoValue::Map)));
        }
    }
}

/// Reads the first document of a YAML text as sigs.k8s.io/yaml does: with the rules of YAML 1.1, and through JSON. Null if there is none. The error
/// is worded as there.
pub fn parse_yaml(text: &[u8]) -> Result<Value, String> {
    yaml_read::read(text)
}

/// Reads these fields of the first document of a YAML text, as [`parse_yaml`] reads the whole document and with its errors, but in less time and memory.
/// A document that is no mapping is returned whole.
pub fn parse_yaml_fields(text: &[u8], names: &[&str]) -> Result<Value, String> {
    yaml_read::read_fields(text, names)
}

/// Returns a value as YAML, as sigs.k8s.io/yaml writes it, with a line break at the end.
pub fn format_yaml(value: &GoValue) -> Result<String, String> {
    yaml::write(value, YamlDialect::Kubernetes)
}

const TEXT: Signature = Signature::of(&[Parameter::String]);

type Encode = fn(&GoValue) -> Result<GoString, String>;

/// The result of a function whose value cannot be encoded.
#[derive(Clone, Copy, Debug)]
enum OnError {
    Fail,
    Empty,
    Text,
}

impl OnError {
    fn settle(self, result: Result<GoString, String>) -> Result<GoValue, FunctionError> {
        match (result, self) {
            (Ok(text), _) => Ok(GoValue::String(text)),
            (Err(error), Self::Fail) => Err(FunctionError::new(error)),
            (Err(_), Self::Empty) => Ok(GoValue::string("")),
            (Err(error), Self::Text) => Ok(GoValue::string(error)),
        }
    }
}

fn strict(result: Result<GoValue, String>) -> Result<GoValue, FunctionError> {
    result.map_err(FunctionError::new)
}

fn to_yaml(value: &GoValue) -> Result<GoString, String> {
    yaml_text(value, YamlDialect::Kubernetes)
}

fn to_yaml_pretty(value: &GoValue) -> Result<GoString, String> {
    yaml_text(value, YamlDialect::Third)
}

fn yaml_text(value: &GoValue, dialect: YamlDialect) -> Result<GoString, String> {
    let mut text = yaml::write(value, dialect)?;
    if text.ends_with('\n') {
        text.pop();
    }
    Ok(text.into())
}

fn json(value: &GoValue, style: JsonStyle) -> Result<GoString, String> {
    json_write::write(value, style).map(GoString::from)
}

fn to_toml(value: &GoValue) -> Result<GoString, String> {
    toml_write::write(value)
}

/// Reads YAML as Helm reads a file of values: a map, which is empty for a text without content. The error is worded as Helm's.
pub fn read_values(text: &GoString) -> Result<GoMap, FunctionError> {
    match read_yaml(text, DecodedType::Map) {
        Ok(GoValue::Map(map)) => Ok(map),
        Ok(_) => Ok(GoMap::default()),
        Err(error) => Err(FunctionError::new(error)),
    }
}

fn read_json(text: &GoString) -> Result<GoValue, String> {
    json_read::read(text.as_bytes())
}

/// The type that Helm's functions decode into.
#[derive(Clone, Copy, Debug)]
enum DecodedType {
    Map,
    List,
}

impl DecodedType {
    /// Returns the value if it is of the type or nil, or else the error of Go's decoder.
    fn check(self, value: GoValue) -> Result<GoValue, String> {
        let (is_fine, type_name) = match self {
            Self::Map => (matches!(value, GoValue::Map(_) | GoValue::Nil), "map[string]interface {}"),
            Self::List => (matches!(value, GoValue::List(_) | GoValue::Nil), "[]interface {}"),
        };
        if is_fine {
            return Ok(value);
        }
        let found = match value {
            GoValue::Bool(_) => "bool",
            GoValue::Float(_) => "number",
            GoValue::String(_) => "string",
            GoValue::List(_) => "array",
            _ => "object",
        };
        Err(format!("json: cannot unmarshal {found} into Go value of type {type_name}"))
    }

    fn empty(self) -> GoValue {
        match self {
            Self::Map => GoMap::default().into(),
            Self::List => GoValue::list([]),
        }
    }
}

fn read_yaml_as(call: &mut FunctionCall<'_>, wanted: DecodedType) -> Result<GoValue, String> {
    read_yaml(&call.string(0), wanted)
}

/// Reads YAML into a type; a text without content is empty.
fn read_yaml(text: &GoString, wanted: DecodedType) -> Result<GoValue, String> {
    match GoValue::from(&yaml_read::read(text.as_bytes())?) {
        GoValue::Nil => Ok(wanted.empty()),
        value => wanted.check(value).map_err(|error| format!("error unmarshaling JSON: while decoding JSON: {error}")),
    }
}

/// Reads JSON into a type; null stays nil.
fn read_json_as(call: &mut FunctionCall<'_>, wanted: DecodedType) -> Result<GoValue, String> {
    wanted.check(read_json(&call.string(0))?)
}

/// Returns the value, or a map with the error under `Error`.
fn map_or_error(result: Result<GoValue, String>) -> GoValue {
    result.unwrap_or_else(|error| GoMap::from_pairs([("Error", GoValue::string(error))]).into())
}

/// Returns the value, or a list with the error as its only item.
fn list_or_error(result: Result<GoValue, String>) -> GoValue {
    result.unwrap_or_else(|error| GoValue::list([GoValue::string(error)]))
}
