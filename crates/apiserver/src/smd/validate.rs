//! Validation of an applied configuration against its type (SMD-5).

use std::collections::BTreeSet;
use std::fmt;

use kubewright_machinery::fieldset::{Path, PathElement};
use kubewright_schema::go::{go_syntax, go_type, go_value};
use kubewright_schema::limit::MOST_NOTED;
use serde_json::Value;
use thiserror::Error;

use super::types::{List, Map, Scalar, Shape, Type};

/// The errors of an object, with the texts of the real server.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct TypeErrors(Vec<String>);

impl fmt::Display for TypeErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [error] => f.write_str(error),
            errors => {
                f.write_str("errors:")?;
                errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
            }
        }
    }
}

/// Checks that an object fits its type.
pub(super) fn validate(object: &Value, type_: &Type) -> Result<(), TypeErrors> {
    let mut check = TypeCheck::default();
    check.value(object, type_);
    if check.errors.is_empty() { Ok(()) } else { Err(TypeErrors(check.errors)) }
}

#[derive(Default)]
struct TypeCheck {
    path: Path,
    errors: Vec<String>,
    bytes: usize,
}

impl TypeCheck {
    fn fail(&mut self, problem: impl fmt::Display) {
        let text = if self.path.is_empty() { problem.to_string() } else { format!("{}: {problem}", self.path) };
        self.bytes += text.len();
        self.errors.push(text);
    }

    fn below(&mut self, element: PathElement, value: &Value, type_: &Type) {
        self.path.push(element);
        self.value(value, type_);
        self.path.pop();
    }

    fn value(&mut self, value: &Value, type_: &Type) {
        if self.bytes > MOST_NOTED {
            return;
        }
        match (type_.shape(value), value) {
            (_, Value::Null) => {}
            (Shape::Scalar(scalar), _) => self.scalar(value, scalar),
            (Shape::Map(map), Value::Object(members)) => self.members(map, members),
            (Shape::List(list), Value::Array(items)) => self.items(list, items),
            (Shape::Map(_), _) => self.fail(format_args!("expected map, got &{{{}}}", go_value(value))),
            (Shape::List(_), _) => self.fail(format_args!("expected list, got &{{{}}}", go_value(value))),
        }
    }

    fn scalar(&mut self, value: &Value, scalar: Scalar) {
        match (scalar, value) {
            (Scalar::String | Scalar::Untyped, Value::String(_))
            | (Scalar::Numeric | Scalar::Untyped, Value::Number(_))
            | (Scalar::Boolean | Scalar::Untyped, Value::Bool(_)) => {}
            (Scalar::String, _) => {
                self.fail(format_args!("expected string, got &value.valueUnstructured{{Value:{}}}", go_syntax(value)))
            }
            (Scalar::Numeric, _) => self.fail(format_args!("expected numeric (int or float), got {}", go_type(value))),
            (Scalar::Boolean, _) => self.fail(format_args!("expected boolean, got &{{{}}}", go_value(value))),
            (Scalar::Untyped, _) => self.fail(format_args!("expected any scalar, got {}", go_type(value))),
        }
    }

    fn members(&mut self, map: &Map, members: &serde_json::Map<String, Value>) {
        for (name, value) in members {
            let element = PathElement::field(name.as_str());
            if let Some(type_) = map.declared_member(name) {
                self.below(element, value, type_);
            } else {
                // The real server stops at the first undeclared field of a map.
                self.path.push(element);
                self.fail("field not declared in schema");
                self.path.pop();
                break;
            }
        }
    }

    fn items(&mut self, list: &List, items: &[Value]) {
        let mut seen = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let element = if list.atomic {
                PathElement::Index(i64::try_from(index).unwrap_or(i64::MAX))
            } else {
                match list.element(item) {
                    Ok(element) => element,
                    Err(error) => return self.fail(format_args!("element {index}: {error}")),
                }
            };
            if !seen.insert(element.clone()) {
                self.fail(format_args!("duplicate entries for key {element}"));
            }
            self.below(element, item, list.items.get());
        }
    }
}
