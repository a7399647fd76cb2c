//! Walking an expression.

use std::collections::HashMap;
use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::{Key, Map, OptionalValue};

use crate::schema::cel::syntax::{self, Comprehension, Expression, Kind, Literal, Parsed};

use super::compare::equal;
use super::failure::Failure;
use super::types::TypeValue;
use super::{functions, operators};

/// A compiled expression.
#[derive(Debug)]
pub(in crate::schema::cel) struct Program {
    parsed: Parsed,
}

/// The values of variables by name.
pub(in crate::schema::cel) type Variables<'v> = &'v [(&'static str, Cel)];

type Outcome = Result<Cel, Failure>;

impl Program {
    /// Compiles an expression; absent when it is none.
    pub(in crate::schema::cel) fn compile(source: &str) -> Option<Self> {
        Some(Self { parsed: syntax::parse(source)? })
    }

    /// Whether a variable occurs.
    pub(in crate::schema::cel) fn mentions(&self, variable: &str) -> bool {
        let mut found = false;
        self.parsed.root.visit(&mut |part| found |= matches!(&part.kind, Kind::Ident(name) if name == variable));
        found
    }

    pub(in crate::schema::cel) fn evaluate(&self, variables: Variables<'_>) -> Outcome {
        Scope { outer: variables, inner: Vec::new() }.evaluate(&self.parsed.root)
    }
}

struct Scope<'v> {
    outer: Variables<'v>,
    /// The variables of loops, innermost last.
    inner: Vec<(String, Cel)>,
}

impl Scope<'_> {
    fn evaluate(&mut self, expression: &Expression) -> Outcome {
        match &expression.kind {
            Kind::Literal(literal) => Ok(literal_value(literal)),
            Kind::Ident(name) => self.variable(name),
            Kind::Select { operand, field, test } => {
                if let Some(type_) = syntax::qualified_name(expression).and_then(|name| TypeValue::named(&name)) {
                    return Ok(type_.value());
                }
                let operand = self.evaluate(operand)?;
                if *test { has(&operand, field) } else { select(&operand, field) }
            }
            Kind::Call { function, target, arguments } => self.call(function, target.as_deref(), arguments),
            Kind::List(elements) => {
                let mut items = Vec::with_capacity(elements.len());
                for (element, optional) in elements {
                    let value = self.evaluate(element)?;
                    items.extend(if *optional { content(&value)? } else { Some(value) });
                }
                Ok(Cel::List(Arc::new(items)))
            }
            Kind::Map(entries) => {
                let mut map = HashMap::new();
                for (key, value, optional) in entries {
                    let key = map_key(&self.evaluate(key)?)?;
                    let value = self.evaluate(value)?;
                    if let Some(value) = if *optional { content(&value)? } else { Some(value) } {
                        map.insert(key, value);
                    }
                }
                Ok(Cel::Map(Map { map: Arc::new(map) }))
            }
            Kind::Struct { name, .. } => Err(Failure::new(format!("unknown type: {name}"))),
            Kind::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    fn variable(&self, name: &str) -> Outcome {
        if let Some((_, value)) = self.inner.iter().rev().find(|(known, _)| known == name) {
            return Ok(value.clone());
        }
        if let Some((_, value)) = self.outer.iter().find(|(known, _)| *known == name) {
            return Ok(value.clone());
        }
        match TypeValue::named(name) {
            Some(type_) => Ok(type_.value()),
            None => Err(Failure::new(format!("no such attribute(s): {name}"))),
        }
    }

    fn boolean(&mut self, expression: &Expression) -> Result<bool, Failure> {
        match self.evaluate(expression)? {
            Cel::Bool(value) => Ok(value),
            _ => Err(Failure::NoSuchOverload),
        }
    }

    fn call(&mut self, function: &str, target: Option<&Expression>, arguments: &[Expression]) -> Outcome {
        match (function, arguments) {
            // An operand that decides hides the failure of the other one.
            ("_||_", [left, right]) => return self.logical(left, right, true),
            ("_&&_", [left, right]) => return self.logical(left, right, false),
            ("_?_:_", [condition, positive, negative]) => {
                let chosen = if self.boolean(condition)? { positive } else { negative };
                return self.evaluate(chosen);
            }
            ("@not_strictly_false", [condition]) => {
                return Ok(Cel::Bool(!matches!(self.evaluate(condition), Ok(Cel::Bool(false)))));
            }
            ("_?._", [operand, field]) => {
                let (operand, field) = (self.evaluate(operand)?, self.evaluate(field)?);
                let Cel::String(field) = field else { return Err(Failure::NoSuchOverload) };
                return select_optional(&operand, &field);
            }
            _ => {}
        }
        let mut values = Vec::with_capacity(arguments.len() + 1);
        for part in target.into_iter().chain(arguments) {
            values.push(self.evaluate(part)?);
        }
        match operators::apply(function, &values) {
            Some(result) => result,
            None => functions::call(function, target.is_some(), &values),
        }
    }

    fn logical(&mut self, left: &Expression, right: &Expression, deciding: bool) -> Outcome {
        let left = self.boolean(left);
        if left == Ok(deciding) {
            return Ok(Cel::Bool(deciding));
        }
        let right = self.boolean(right);
        if right == Ok(deciding) {
            return Ok(Cel::Bool(deciding));
        }
        left?;
        right?;
        Ok(Cel::Bool(!deciding))
    }

    fn comprehension(&mut self, comprehension: &Comprehension) -> Outcome {
        let range = self.evaluate(&comprehension.range)?;
        let start = self.evaluate(&comprehension.start);
        let rounds = rounds(range, comprehension.second_variable.is_some())?;
        let outer = self.inner.len();
        self.inner.push((comprehension.accumulator.clone(), Cel::Null));
        let mut accumulated = start;
        for (first, second) in rounds {
            // A failure in a quantifier is kept until an item decides.
            let result = self.round(comprehension, outer, accumulated, first, second);
            match result {
                Round::Next(value) => accumulated = value,
                Round::Stop(value) => {
                    accumulated = value;
                    break;
                }
            }
        }
        let result = match accumulated {
            Ok(value) => {
                self.inner[outer].1 = value;
                self.evaluate(&comprehension.result)
            }
            Err(failure) => Err(failure),
        };
        self.inner.truncate(outer);
        result
    }

    fn round(
        &mut self,
        comprehension: &Comprehension,
        outer: usize,
        accumulated: Outcome,
        first: Cel,
        second: Option<Cel>,
    ) -> Round {
        let quantifier = match &comprehension.step.kind {
            Kind::Call { function, arguments, .. } if matches!(function.as_str(), "_||_" | "_&&_") => {
                arguments.get(1).map(|predicate| (predicate, function == "_||_"))
            }
            _ => None,
        };
        self.inner.push((comprehension.variable.clone(), first));
        if let (Some(name), Some(second)) = (&comprehension.second_variable, second) {
            self.inner.push((name.clone(), second));
        }
        let round = match (quantifier, accumulated) {
            (Some((predicate, deciding)), accumulated) => {
                if accumulated == Ok(Cel::Bool(deciding)) {
                    Round::Stop(accumulated)
                } else {
                    Round::Next(match self.boolean(predicate) {
                        Ok(found) if found == deciding => Ok(Cel::Bool(deciding)),
                        Ok(_) => accumulated,
                        Err(failure) => accumulated.and(Err(failure)),
                    })
                }
            }
            (None, Err(failure)) => Round::Stop(Err(failure)),
            (None, Ok(value)) => {
                self.inner[outer].1 = value;
                match self.boolean(&comprehension.condition) {
                    Ok(true) => Round::Next(self.evaluate(&comprehension.step)),
                    Ok(false) => Round::Stop(Ok(self.inner[outer].1.clone())),
                    Err(failure) => Round::Stop(Err(failure)),
                }
            }
        };
        self.inner.truncate(outer + 1);
        round
    }
}

enum Round {
    Next(Outcome),
    Stop(Outcome),
}

/// The values of the variables of each round of a loop.
fn rounds(range: Cel, two: bool) -> Result<Vec<(Cel, Option<Cel>)>, Failure> {
    match range {
        Cel::List(items) if two => {
            Ok(items.iter().enumerate().map(|(index, item)| (Cel::Int(index as i64), Some(item.clone()))).collect())
        }
        Cel::List(items) => Ok(items.iter().map(|item| (item.clone(), None)).collect()),
        Cel::Map(map) => {
            let mut entries: Vec<_> = map.map.iter().collect();
            entries.sort_by_key(|(a, _)| *a);
            Ok(entries.into_iter().map(|(key, value)| (key_value(key), two.then(|| value.clone()))).collect())
        }
        _ => Err(Failure::NoSuchOverload),
    }
}

fn literal_value(literal: &Literal) -> Cel {
    match literal {
        Literal::Null => Cel::Null,
        Literal::Bool(value) => Cel::Bool(*value),
        Literal::Int(value) => Cel::Int(*value),
        Literal::Uint(value) => Cel::UInt(*value),
        Literal::Double(value) => Cel::Float(*value),
        Literal::Text(text) => Cel::String(Arc::new(text.clone())),
        Literal::Bytes(bytes) => Cel::Bytes(Arc::new(bytes.clone())),
    }
}

pub(super) fn key_value(key: &Key) -> Cel {
    match key {
        Key::Int(value) => Cel::Int(*value),
        Key::Uint(value) => Cel::UInt(*value),
        Key::Bool(value) => Cel::Bool(*value),
        Key::String(text) => Cel::String(text.clone()),
    }
}

pub(super) fn map_key(value: &Cel) -> Result<Key, Failure> {
    Ok(match value {
        Cel::Int(value) => Key::Int(*value),
        Cel::UInt(value) => Key::Uint(*value),
        Cel::Bool(value) => Key::Bool(*value),
        Cel::String(text) => Key::String(text.clone()),
        _ => return Err(Failure::new("unsupported key type")),
    })
}

/// The optional that a value is.
pub(super) fn as_optional(value: &Cel) -> Option<&OptionalValue> {
    match value {
        Cel::Opaque(opaque) => opaque.downcast_ref::<OptionalValue>(),
        _ => None,
    }
}

pub(super) fn some(value: Cel) -> Cel {
    Cel::Opaque(Arc::new(OptionalValue::of(value)))
}

pub(super) fn none() -> Cel {
    Cel::Opaque(Arc::new(OptionalValue::none()))
}

fn content(value: &Cel) -> Result<Option<Cel>, Failure> {
    as_optional(value).map(|optional| optional.value().cloned()).ok_or(Failure::NoSuchOverload)
}

fn text_key(field: &str) -> Key {
    Key::String(Arc::new(field.to_owned()))
}

fn has(operand: &Cel, field: &str) -> Outcome {
    if let Some(optional) = as_optional(operand) {
        return optional.value().map_or(Ok(Cel::Bool(false)), |value| has(value, field));
    }
    match operand {
        Cel::Map(map) => Ok(Cel::Bool(map.map.contains_key(&text_key(field)))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn select(operand: &Cel, field: &str) -> Outcome {
    if as_optional(operand).is_some() {
        return select_optional(operand, field);
    }
    match operand {
        Cel::Map(map) => map.map.get(&text_key(field)).cloned().ok_or_else(|| Failure::new(format!("no such key: {field}"))),
        _ => Err(Failure::NoSuchOverload),
    }
}

fn select_optional(operand: &Cel, field: &str) -> Outcome {
    let value = match as_optional(operand) {
        Some(optional) => match optional.value() {
            Some(value) => value,
            None => return Ok(none()),
        },
        None => operand,
    };
    match value {
        Cel::Map(map) => Ok(map.map.get(&text_key(field)).map_or_else(none, |value| some(value.clone()))),
        _ => Err(Failure::NoSuchOverload),
    }
}

/// Whether a list or map holds a value.
pub(super) fn contains(container: &Cel, value: &Cel) -> Outcome {
    match container {
        Cel::List(items) => Ok(Cel::Bool(items.iter().any(|item| equal(item, value)))),
        Cel::Map(map) => Ok(Cel::Bool(map.map.keys().any(|key| equal(&key_value(key), value)))),
        _ => Err(Failure::NoSuchOverload),
    }
}
