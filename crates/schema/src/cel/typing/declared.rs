//! The type of `self` from a schema, with the sizes that its values can have.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_cel::cel::parser::Parser;
use serde_json::{Map, Value};

use super::checker::{self, ExpressionError};
use super::types::{CelType, Object};
use super::{cost, literals};
use crate::cel::names::declared_name;
use crate::cel::syntax::{self, Refused};
use crate::stack;

/// The number of parts above which the library does not parse an expression again, because that would take long. Only the library's texts of
/// syntax errors are missed.
const READ_AGAIN: usize = 2_000;
/// The recursion limit of the library. It is not needed, because expressions are limited before.
const DEEPEST: u16 = u16::MAX;

/// The size in bytes of the largest request, for which the costs are estimated.
const REQUEST: u64 = 3 * 1024 * 1024;

/// The type and sizes of the values at one path.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredType {
    pub(super) type_: CelType,
    pub(super) fields: BTreeMap<String, Self>,
    /// The items of a list, or the values of a map.
    pub(super) elements: Option<Box<Self>>,
    /// The maximal number of elements, characters or bytes.
    pub(super) most: u64,
    /// The number of bytes that the smallest value takes in a request.
    least_bytes: u64,
}

/// The type of result that an expression must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedType {
    Verdict,
    Message,
}

/// The properties of an expression that compiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled {
    /// The maximal cost of one evaluation.
    pub(crate) cost: u64,
    pub(crate) uses_old_self: bool,
}

impl DeclaredType {
    /// Returns the type of a schema, or `None` for a schema whose values rules cannot access. `root` is true if apiVersion, kind and metadata are
    /// known.
    pub(crate) fn of(schema: &Map<String, Value>, root: bool) -> Option<Self> {
        Self::at(schema, root, "selfType")
    }

    fn at(schema: &Map<String, Value>, root: bool, name: &str) -> Option<Self> {
        let text = |field: &str| schema.get(field).and_then(Value::as_str).unwrap_or_default();
        let limit = |field: &str| schema.get(field).and_then(Value::as_i64).map(|limit| limit.max(0).unsigned_abs());
        // A character takes up to four bytes.
        let length = limit("maxLength").map(|length| length.saturating_mul(4));
        if schema.get("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
            return Some(Self::scalar(CelType::Dynamic, length.unwrap_or(REQUEST - 2), 1));
        }
        match if root { "object" } else { text("type") } {
            "array" => {
                let elements = Self::child(schema.get("items")?.as_object()?, &format!("{name}.@idx"))?;
                let most = limit("maxItems").unwrap_or((REQUEST - 2) / (elements.least_bytes + 1));
                Some(Self::container(CelType::list(elements.type_.clone()), elements, most))
            }
            "object" => Self::object(schema, root, name, limit("maxProperties")),
            "string" => Some(match text("format") {
                "byte" => Self::scalar(CelType::Bytes, limit("maxLength").unwrap_or(REQUEST - 2), 2),
                "duration" => Self::scalar(CelType::Duration, 32, 3),
                "date" => Self::scalar(CelType::Timestamp, 12, 12),
                "date-time" => Self::scalar(CelType::Timestamp, 32, 21),
                _ => {
                    let longest = || {
                        let values = schema.get("enum").and_then(Value::as_array).filter(|values| !values.is_empty())?;
                        values.iter().map(|value| value.as_str().map_or(0, |text| text.len() as u64)).max()
                    };
                    Self::scalar(CelType::Text, length.or_else(longest).unwrap_or(REQUEST - 2), 2)
                }
            }),
            "boolean" => Some(Self::scalar(CelType::Bool, 0, 4)),
            "number" => Some(Self::scalar(CelType::Double, 0, 1)),
            "integer" => Some(Self::scalar(CelType::Int, 0, 1)),
            _ => None,
        }
    }

    fn child(schema: &Map<String, Value>, name: &str) -> Option<Self> {
        Self::at(schema, schema.get("x-kubernetes-embedded-resource") == Some(&Value::Bool(true)), name)
    }

    fn scalar(type_: CelType, most: u64, least_bytes: u64) -> Self {
        Self { type_, fields: BTreeMap::new(), elements: None, most, least_bytes }
    }

    fn container(type_: CelType, elements: Self, most: u64) -> Self {
        Self { type_, fields: BTreeMap::new(), elements: Some(Box::new(elements)), most, least_bytes: 2 }
    }

    fn object(schema: &Map<String, Value>, root: bool, name: &str, most: Option<u64>) -> Option<Self> {
        if let Some(values) = schema.get("additionalProperties").and_then(Value::as_object) {
            let values = Self::child(values, &format!("{name}.@elem"))?;
            let most = most.unwrap_or((REQUEST - 2) / (values.least_bytes + 6));
            return Some(Self::container(CelType::map(CelType::Text, values.type_.clone()), values, most));
        }
        let required: Vec<_> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let mut fields = BTreeMap::new();
        let mut least_bytes = 2;
        for (field, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let Some(property) = property.as_object() else {
                continue;
            };
            let Some(declared) = Self::child(property, &format!("{name}.{field}")) else {
                continue;
            };
            if required.contains(&field.as_str()) && property.get("default").is_none_or(Value::is_null) {
                least_bytes += field.len() as u64 + declared.least_bytes + 4;
            }
            if let Some(escaped) = declared_name(field) {
                fields.insert(escaped, declared);
            }
        }
        if root {
            let text = || Self::scalar(CelType::Text, REQUEST - 2, 2);
            for field in ["apiVersion", "kind"] {
                fields.entry(field.to_owned()).or_insert_with(text);
            }
            let metadata = BTreeMap::from([("name".to_owned(), text()), ("generateName".to_owned(), text())]);
            fields.insert("metadata".to_owned(), Self::with_fields(&format!("{name}.metadata"), metadata, 2));
        }
        Some(Self::with_fields(name, fields, least_bytes))
    }

    fn with_fields(name: &str, fields: BTreeMap<String, Self>, least_bytes: u64) -> Self {
        let types = fields.iter().map(|(field, declared)| (field.clone(), declared.type_.clone())).collect();
        let type_ = CelType::Object(Arc::new(Object { name: name.to_owned(), fields: types }));
        Self { type_, fields, elements: None, most: 0, least_bytes }
    }

    /// Returns the maximal number of these values in one request.
    pub(crate) fn most_in_a_request(&self) -> u64 {
        REQUEST / (self.least_bytes + 1)
    }

    /// Compiles an expression about such a value. An error has the text of the real server.
    pub(crate) fn compile(&self, source: &str, wanted: WantedType, optional: bool) -> Result<Compiled, String> {
        stack::for_the_library(source, || self.compile_here(source, wanted, optional))
            .unwrap_or_else(|| Err("compilation failed: there is no memory to read the expression".to_owned()))
    }

    fn compile_here(&self, source: &str, wanted: WantedType, optional: bool) -> Result<Compiled, String> {
        let prefix = if wanted == WantedType::Message { "messageExpression " } else { "" };
        let failed = |text: String| Err(format!("{prefix}compilation failed: {text}"));
        let parsed = match syntax::parse(source) {
            Ok(parsed) if parsed.root.extent.parts > READ_AGAIN => parsed,
            Err(Refused::Syntax { tokens }) if tokens > READ_AGAIN => {
                return failed(format!("ERROR: <input>:-1:0: {}", Refused::Syntax { tokens }));
            }
            Err(refused @ (Refused::Long(_) | Refused::Nested | Refused::Deep | Refused::Large)) => {
                return failed(format!("ERROR: <input>:-1:0: {refused}"));
            }
            parsed => {
                if let Err(error) = Parser::new().max_recursion_depth(DEEPEST).enable_optional_syntax(true).parse(source) {
                    // The library frames its excerpt without the leading space.
                    return failed(expecting_the_end(&error.to_string().replace("\n| ", "\n | ")));
                }
                match parsed {
                    Ok(parsed) => parsed,
                    Err(_) => return Ok(Compiled { cost: 0, uses_old_self: source.contains("oldSelf") }),
                }
            }
        };
        let old_self = if optional { CelType::optional(self.type_.clone()) } else { self.type_.clone() };
        let variables = [("self", self.type_.clone()), ("oldSelf", old_self)];
        let checked = match checker::check(&parsed, &variables) {
            Ok(checked) => checked,
            Err(problems) => return failed(framed(source, &problems)),
        };
        let problems = literals::check(&parsed, &checked);
        if !problems.is_empty() {
            return failed(framed(source, &problems));
        }
        match (wanted, checked.type_of(checked.root)) {
            (WantedType::Verdict, CelType::Bool) | (WantedType::Message, CelType::Text) => {}
            (WantedType::Verdict, _) => return Err("cel expression must evaluate to a bool".to_owned()),
            (WantedType::Message, _) => return Err("messageExpression must evaluate to a string".to_owned()),
        }
        let uses_old_self = checked.variables.contains("oldSelf");
        Ok(Compiled { cost: cost::estimate(&checked, self).max, uses_old_self })
    }
}

/// Reduces the list of expected tokens to the end of the text, which is the only one that the real server names.
fn expecting_the_end(text: &str) -> String {
    match text.split_once("expecting {<EOF>,") {
        Some((before, after)) => format!("{before}expecting <EOF>{}", after.split_once('}').map_or("", |(_, after)| after)),
        None => text.to_owned(),
    }
}

/// Returns errors with excerpts of the source that point at their positions.
fn framed(source: &str, problems: &[ExpressionError]) -> String {
    let texts: Vec<_> = problems.iter().map(|problem| excerpt(source, problem)).collect();
    texts.join("\n")
}

fn excerpt(source: &str, problem: &ExpressionError) -> String {
    let before: Vec<char> = source.chars().take(problem.at).collect();
    let line_number = before.iter().filter(|c| **c == '\n').count() + 1;
    let column = before.iter().rev().take_while(|c| **c != '\n').count();
    let line = source.split('\n').nth(line_number - 1).unwrap_or_default().replace('\t', " ");
    format!("ERROR: <input>:{line_number}:{}: {}\n | {line}\n | {}^", column + 1, problem.text, ".".repeat(column))
}
