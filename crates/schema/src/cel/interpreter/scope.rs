//! Evaluation of the parts of an expression.
//!
//! Every step is charged as the real server charges it, <https://github.com/google/cel-go/blob/master/interpreter/runtimecost.go>.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;

use super::failure::EvaluationFailure;
use super::meter::Meter;
use super::program::{CelProgram, Known, Variables};
use super::types::TypeValue;
use super::values::{self, as_optional, content};
use super::{cost, functions, operators, texts};
use crate::cel::syntax::{self, Expression, ExpressionKind};

type Outcome = Result<Cel, EvaluationFailure>;

/// The values of variables, and the costs so far.
pub(super) struct EvaluationScope<'p> {
    pub(super) program: &'p CelProgram,
    outer: Variables<'p>,
    /// The variables of loops, innermost last.
    pub(super) inner: Vec<(&'p str, Cel)>,
    pub(super) meter: Meter,
}

impl<'p> EvaluationScope<'p> {
    pub(super) fn new(program: &'p CelProgram, outer: Variables<'p>, meter: Meter) -> Self {
        Self { program, outer, inner: Vec::new(), meter }
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(&mut self, expression: &'p Expression) -> Outcome {
        if let Known::Value(value) = self.program.known(expression) {
            return Ok(value.clone());
        }
        match &expression.kind {
            ExpressionKind::Literal(literal) => Ok(values::literal(literal)),
            ExpressionKind::Call { function, target, arguments } if !is_path(expression) => {
                self.call(expression, function, target.as_deref(), arguments)
            }
            ExpressionKind::List(elements) => {
                let mut items = Vec::with_capacity(elements.len());
                for (element, optional) in elements {
                    let value = self.evaluate(element)?;
                    items.extend(if *optional { content(&value)? } else { Some(value) });
                }
                self.meter.charge(cost::NEW_LIST)?;
                Ok(Cel::List(Arc::new(items)))
            }
            ExpressionKind::Map(entries) => {
                let mut found = Vec::with_capacity(entries.len());
                for (key, value, optional) in entries {
                    let key = self.evaluate(key)?;
                    let value = self.evaluate(value)?;
                    let value = if *optional { content(&value)? } else { Some(value) };
                    found.extend(value.map(|value| (key, value)));
                }
                self.meter.charge(cost::NEW_MAP)?;
                values::map(found)
            }
            ExpressionKind::Struct { name, .. } => Err(EvaluationFailure::new(format!("unknown type: {name}"))),
            ExpressionKind::Comprehension(comprehension) => self.comprehension(comprehension),
            ExpressionKind::Ident(_) | ExpressionKind::Select { .. } | ExpressionKind::Call { .. } => {
                if let Some(type_) = syntax::qualified_name(expression).and_then(|name| self.type_named(&name)) {
                    return Ok(type_);
                }
                if !matches!(&expression.kind, ExpressionKind::Select { test: true, .. }) && !is_condition(expression) {
                    self.meter.charge(cost::ACCESS)?;
                }
                self.path(expression)
            }
        }
    }

    /// Evaluates a variable, a lookup below a value, or a conditional, without charging the one unit that the whole path costs. The branches of a
    /// conditional and the keys of lookups are not charged that unit either.
    fn path(&mut self, expression: &'p Expression) -> Outcome {
        match &expression.kind {
            ExpressionKind::Ident(name) => self.variable(name),
            ExpressionKind::Select { operand, field, test } => {
                let operand = self.operand(operand)?;
                if *test {
                    self.meter.charge(cost::ACCESS)?;
                    return values::has(&operand, field);
                }
                self.looked_up(as_optional(&operand).is_some(), |_| values::select(&operand, field))
            }
            ExpressionKind::Call { function, arguments, .. } => match (function.as_str(), arguments.as_slice()) {
                ("_?_:_", [condition, positive, negative]) => {
                    let chosen = if self.boolean(condition)? { positive } else { negative };
                    self.part(chosen)
                }
                ("_?._", [operand, field]) => {
                    let (operand, field) = (self.operand(operand)?, self.evaluate(field)?);
                    let Cel::String(field) = field else { return Err(EvaluationFailure::NoSuchOverload) };
                    self.looked_up(true, |_| values::select_optional(&operand, &field))
                }
                (_, [container, index]) => {
                    let container = self.operand(container)?;
                    let optional = function == "_[?_]" || as_optional(&container).is_some();
                    let index = self.part(index)?;
                    self.looked_up(optional, |_| {
                        operators::apply(function, &[container, index]).unwrap_or(Err(EvaluationFailure::NoSuchOverload))
                    })
                }
                _ => Err(EvaluationFailure::NoSuchOverload),
            },
            _ => self.evaluate(expression),
        }
    }

    /// Evaluates a part of a path. A part that is a path too is not charged separately.
    fn part(&mut self, expression: &'p Expression) -> Outcome {
        if is_path(expression) && syntax::qualified_name(expression).is_none_or(|name| self.type_named(&name).is_none()) {
            self.path(expression)
        } else {
            self.evaluate(expression)
        }
    }

    /// Evaluates the operand of a lookup. A presence test, and any expression that is no path, is charged as a value of its own.
    fn operand(&mut self, expression: &'p Expression) -> Outcome {
        if matches!(&expression.kind, ExpressionKind::Select { test: true, .. }) {
            self.evaluate(expression)
        } else {
            self.part(expression)
        }
    }

    /// Charges for one lookup, unless the lookup is optional and finds nothing.
    fn looked_up(&mut self, optional: bool, look: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        let found = look(self);
        let absent =
            optional && found.as_ref().is_ok_and(|found| as_optional(found).is_some_and(|found| found.value().is_none()));
        if !absent {
            self.meter.charge(cost::ACCESS)?;
        }
        found
    }

    /// Returns the type with this name, unless a variable has the same name.
    fn type_named(&self, name: &str) -> Option<Cel> {
        let known = |variable: &str| variable == name;
        if self.inner.iter().any(|(variable, _)| known(variable)) || self.outer.iter().any(|(variable, _)| known(variable)) {
            return None;
        }
        TypeValue::named(name).map(TypeValue::value)
    }

    fn variable(&self, name: &str) -> Outcome {
        if let Some((_, value)) = self.inner.iter().rev().find(|(known, _)| *known == name) {
            return Ok(value.clone());
        }
        if let Some((_, value)) = self.outer.iter().find(|(known, _)| *known == name) {
            return Ok(value.clone());
        }
        Err(EvaluationFailure::new(format!("no such attribute(s): {name}")))
    }

    pub(super) fn boolean(&mut self, expression: &'p Expression) -> Result<bool, EvaluationFailure> {
        match self.evaluate(expression)? {
            Cel::Bool(value) => Ok(value),
            _ => Err(EvaluationFailure::NoSuchOverload),
        }
    }

    fn call(
        &mut self,
        expression: &'p Expression,
        function: &'p str,
        target: Option<&'p Expression>,
        arguments: &'p [Expression],
    ) -> Outcome {
        match (function, target, arguments) {
            // An operand that decides the result hides the failure of the other one.
            ("_||_", None, [left, right]) => return self.logical(left, right, true),
            ("_&&_", None, [left, right]) => return self.logical(left, right, false),
            ("@not_strictly_false", None, [condition]) => {
                let outcome = self.evaluate(condition);
                self.meter.charge(cost::CALL)?;
                return Ok(Cel::Bool(!matches!(outcome, Ok(Cel::Bool(false)))));
            }
            ("or" | "orValue", Some(target), [other]) => {
                let value = self.evaluate(target)?;
                let Some(optional) = as_optional(&value) else { return Err(EvaluationFailure::NoSuchOverload) };
                return match optional.value() {
                    None => self.evaluate(other),
                    Some(_) if function == "or" => Ok(value),
                    Some(content) => Ok(content.clone()),
                };
            }
            ("@in", None, [value, list]) => {
                if let Known::Value(list) = self.program.known(list)
                    && cost::is_set(list)
                {
                    let value = self.evaluate(value)?;
                    return values::contains(list, &value);
                }
            }
            _ => {}
        }
        let count = arguments.len() + usize::from(target.is_some());
        let mut found = Vec::with_capacity(count);
        let mut failure = None;
        for part in target.into_iter().chain(arguments) {
            match self.evaluate(part) {
                Ok(value) => found.push(value),
                Err(problem) => {
                    self.meter.check()?;
                    // With two operands, the other one is evaluated even if one fails.
                    if count > 2 {
                        return Err(problem);
                    }
                    failure.get_or_insert(problem);
                }
            }
        }
        if let Some(failure) = failure {
            self.meter.charge(cost::CALL)?;
            return Err(failure);
        }
        self.meter.charge(cost::of_call(function, target.is_some(), &found))?;
        self.meter.work(cost::work_of_call(function, &found))?;
        if let (Known::Pattern(pattern), Some(Cel::String(text))) = (self.program.known(expression), found.first()) {
            return texts::with_pattern(function, pattern, text, &found[1..]);
        }
        match operators::apply(function, &found) {
            Some(result) => result,
            None => functions::call(function, target.is_some(), &found),
        }
    }

    fn logical(&mut self, left: &'p Expression, right: &'p Expression, deciding: bool) -> Outcome {
        let left = self.boolean(left);
        if left == Ok(deciding) {
            return Ok(Cel::Bool(deciding));
        }
        self.meter.check()?;
        let right = self.boolean(right);
        if right == Ok(deciding) {
            return Ok(Cel::Bool(deciding));
        }
        self.meter.check()?;
        left?;
        right?;
        Ok(Cel::Bool(!deciding))
    }
}

/// Returns true if an expression is a path: a variable, a member or an item, or a conditional.
fn is_path(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Ident(_) | ExpressionKind::Select { .. } => true,
        ExpressionKind::Call { function, target: None, .. } => matches!(function.as_str(), "_?_:_" | "_?._" | "_[_]" | "_[?_]"),
        _ => false,
    }
}

/// Returns true if the root of a path is a conditional, whose branches were charged already.
fn is_condition(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Call { function, target: None, arguments } => match function.as_str() {
            "_?_:_" => true,
            "_?._" | "_[_]" | "_[?_]" => arguments.first().is_some_and(is_condition),
            _ => false,
        },
        ExpressionKind::Select { operand, .. } => is_condition(operand),
        _ => false,
    }
}
