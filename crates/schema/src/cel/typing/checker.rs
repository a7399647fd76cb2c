//! Type checking of every part of an expression.

use std::collections::BTreeSet;

use super::functions::{Overload, overloads};
use super::types::{CelType, Variable};
use super::unify::{InferredTypes, most_general};
use crate::cel::names::RESERVED;
use crate::cel::syntax::{Comprehension, Expression, ExpressionKind, Literal, ParsedExpression, qualified_name};

/// An error with the position that it points at.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ExpressionError {
    pub(super) at: usize,
    pub(super) text: String,
}

/// An expression whose parts have types.
#[derive(Debug)]
pub(super) struct Checked<'e> {
    pub(super) root: &'e Expression,
    /// The type of each part, by its id.
    types: Vec<CelType>,
    calls: Vec<Option<ResolvedCall>>,
    /// The variables of the rule that occur.
    pub(super) variables: BTreeSet<String>,
}

/// The resolved meaning of a call.
#[derive(Clone, Debug)]
pub(super) struct ResolvedCall {
    /// The function, including the namespace that may look like the target of the call.
    pub(super) function: String,
    /// True if the function is called on a value.
    pub(super) member: bool,
    pub(super) overloads: Vec<&'static Overload>,
}

impl Checked<'_> {
    pub(super) fn type_of(&self, expression: &Expression) -> &CelType {
        self.types.get(expression.id).unwrap_or(&CelType::Dynamic)
    }

    pub(super) fn call(&self, expression: &Expression) -> Option<&ResolvedCall> {
        self.calls.get(expression.id)?.as_ref()
    }
}

/// Checks an expression in which variables have these types.
pub(super) fn check<'e>(
    parsed: &'e ParsedExpression,
    variables: &[(&str, CelType)],
) -> Result<Checked<'e>, Vec<ExpressionError>> {
    let count = parsed.positions.len();
    let mut checker = Checker {
        parsed,
        outer: variables,
        scopes: Vec::new(),
        known: InferredTypes::default(),
        free: 0,
        types: vec![CelType::Dynamic; count],
        calls: vec![None; count],
        variables: BTreeSet::new(),
        problems: Vec::new(),
    };
    checker.check(&parsed.root);
    if !checker.problems.is_empty() {
        checker.problems.sort();
        checker.problems.dedup();
        return Err(checker.problems);
    }
    let types = checker.types.iter().map(|type_| checker.known.resolve(type_, true)).collect();
    Ok(Checked { root: &parsed.root, types, calls: checker.calls, variables: checker.variables })
}

struct Checker<'c> {
    parsed: &'c ParsedExpression,
    outer: &'c [(&'c str, CelType)],
    scopes: Vec<(String, CelType)>,
    known: InferredTypes,
    free: usize,
    types: Vec<CelType>,
    calls: Vec<Option<ResolvedCall>>,
    variables: BTreeSet<String>,
    problems: Vec<ExpressionError>,
}

impl Checker<'_> {
    fn report(&mut self, at: &Expression, text: String) {
        self.problems.push(ExpressionError { at: self.parsed.positions[at.id], text });
    }

    fn mismatch(&mut self, at: &Expression, wanted: &CelType, found: &CelType) {
        let (wanted, found) = (self.known.resolve(wanted, false), self.known.resolve(found, false));
        self.report(at, format!("expected type '{wanted}' but found '{found}'"));
    }

    fn free_type(&mut self) -> CelType {
        self.free += 1;
        CelType::Variable(Variable::Free(self.free - 1))
    }

    fn type_of(&self, expression: &Expression) -> CelType {
        self.types[expression.id].clone()
    }

    fn check(&mut self, expression: &Expression) -> CelType {
        let found = match &expression.kind {
            ExpressionKind::Literal(literal) => literal_type(literal),
            ExpressionKind::Ident(name) => self.ident(expression, name),
            ExpressionKind::Select { operand, field, test } => self.select(expression, operand, field, *test),
            ExpressionKind::Call { function, target, arguments } => self.call(expression, function, target.as_deref(), arguments),
            ExpressionKind::List(elements) => self.list(elements),
            ExpressionKind::Map(entries) => self.map(entries),
            ExpressionKind::Struct { name, fields } => {
                for field in fields {
                    self.check(field);
                }
                if let Some(type_) = CelType::named(name) {
                    type_
                } else {
                    self.report(expression, format!("undeclared reference to '{name}' (in container '')"));
                    CelType::Error
                }
            }
            ExpressionKind::Comprehension(comprehension) => self.comprehension(comprehension),
        };
        self.types[expression.id] = found.clone();
        found
    }

    fn lookup(&mut self, name: &str) -> Option<CelType> {
        if let Some((_, type_)) = self.scopes.iter().rev().find(|(known, _)| known == name) {
            return Some(type_.clone());
        }
        if let Some((_, type_)) = self.outer.iter().find(|(known, _)| *known == name) {
            self.variables.insert(name.to_owned());
            return Some(type_.clone());
        }
        CelType::named(name).map(|type_| CelType::Type(Some(type_.into())))
    }

    fn ident(&mut self, expression: &Expression, name: &str) -> CelType {
        if RESERVED.contains(&name) {
            self.report(expression, format!("reserved identifier: {name}"));
            return CelType::Error;
        }
        self.lookup(name).unwrap_or_else(|| {
            self.report(expression, format!("undeclared reference to '{name}' (in container '')"));
            CelType::Error
        })
    }

    fn select(&mut self, expression: &Expression, operand: &Expression, field: &str, test: bool) -> CelType {
        if let Some(name) = qualified_name(expression).filter(|name| name.contains('.'))
            && let Some(type_) = CelType::named(&name)
        {
            return CelType::Type(Some(type_.into()));
        }
        let found = self.field(expression, operand, field, false);
        if test { CelType::Bool } else { self.known.resolve(&found, false) }
    }

    fn field(&mut self, expression: &Expression, operand: &Expression, field: &str, optional: bool) -> CelType {
        let operand = self.check(operand);
        let (target, was_optional) = self.known.resolve(&operand, false).unwrapped();
        let result = match &target {
            CelType::Map(_, value) => (**value).clone(),
            CelType::Object(object) => object.field(field).cloned().unwrap_or_else(|| {
                self.report(expression, format!("undefined field '{field}'"));
                CelType::Error
            }),
            CelType::Opaque(name) if name.starts_with("kubernetes.") => {
                self.report(expression, format!("undefined field '{field}'"));
                CelType::Error
            }
            CelType::Variable(_) => {
                self.known.fit(&[CelType::Dynamic], std::slice::from_ref(&target));
                CelType::Dynamic
            }
            other => {
                if !other.is_dynamic_or_error() {
                    self.report(expression, format!("type '{other}' does not support field selection"));
                }
                CelType::Dynamic
            }
        };
        if optional || was_optional { CelType::optional(result) } else { result }
    }

    fn call(
        &mut self,
        expression: &Expression,
        function: &str,
        target: Option<&Expression>,
        arguments: &[Expression],
    ) -> CelType {
        if function == "_?._"
            && let [operand, field] = arguments
            && let ExpressionKind::Literal(Literal::Text(name)) = &field.kind
        {
            let found = self.field(expression, operand, name, true);
            self.calls[expression.id] =
                Some(ResolvedCall { function: function.to_owned(), member: false, overloads: Vec::new() });
            return self.known.resolve(&found, false);
        }
        for argument in arguments {
            self.check(argument);
        }
        let Some(target) = target else {
            return self.overloaded(expression, function, None, arguments);
        };
        if let Some(prefix) = qualified_name(target) {
            let name = format!("{prefix}.{function}");
            if overloads(&name).is_some() {
                return self.overloaded(expression, &name, None, arguments);
            }
        }
        self.check(target);
        self.overloaded(expression, function, Some(target), arguments)
    }

    fn overloaded(
        &mut self,
        expression: &Expression,
        function: &str,
        target: Option<&Expression>,
        arguments: &[Expression],
    ) -> CelType {
        let Some(candidates) = overloads(function) else {
            self.report(expression, format!("undeclared reference to '{function}' (in container '')"));
            return CelType::Error;
        };
        let member = target.is_some();
        let found: Vec<CelType> = target.into_iter().chain(arguments).map(|argument| self.type_of(argument)).collect();
        let mut call = ResolvedCall { function: function.to_owned(), member, overloads: Vec::new() };
        let mut result: Option<CelType> = None;
        for overload in candidates.iter().filter(|overload| overload.member == member) {
            if matches!(function, "_&&_" | "_||_") {
                let wrong = self.problems.len();
                for (argument, found) in arguments.iter().zip(&found) {
                    if !self.known.fit(std::slice::from_ref(found), &[CelType::Bool]) {
                        self.mismatch(argument, &CelType::Bool, found);
                    }
                }
                call.overloads.push(overload);
                result = Some(if self.problems.len() > wrong { CelType::Error } else { CelType::Bool });
                break;
            }
            let (parameters, yields) = self.instance(overload);
            if !self.known.fit(&found, &parameters) {
                continue;
            }
            call.overloads.push(overload);
            let yields = self.known.resolve(&yields, false);
            result = Some(match result {
                None => yields,
                Some(before) if before == CelType::Dynamic || before == yields => before,
                Some(_) => CelType::Dynamic,
            });
        }
        self.calls[expression.id] = Some(call);
        result.unwrap_or_else(|| {
            let mut texts: Vec<_> = found.iter().map(|found| self.known.resolve(found, true).to_string()).collect();
            let target = if member { format!("{}.", texts.remove(0)) } else { String::new() };
            let signature = format!("{target}({})", texts.join(", "));
            self.report(expression, format!("found no matching overload for '{function}' applied to '{signature}'"));
            CelType::Error
        })
    }

    /// Returns an overload with its type parameters replaced by fresh unknown types.
    fn instance(&mut self, overload: &Overload) -> (Vec<CelType>, CelType) {
        let mut names = BTreeSet::new();
        overload.parameters.iter().chain([&overload.result]).for_each(|type_| declared(type_, &mut names));
        let mut fresh = InferredTypes::default();
        for name in names {
            let free = self.free_type();
            fresh.learn(Variable::Declared(name), free);
        }
        let parameters = overload.parameters.iter().map(|parameter| fresh.resolve(parameter, false)).collect();
        (parameters, fresh.resolve(&overload.result, false))
    }

    fn list(&mut self, elements: &[(Expression, bool)]) -> CelType {
        let mut joined = None;
        for (element, optional) in elements {
            let found = self.check(element);
            let found = self.content(element, found, *optional);
            joined = Some(self.join(element, joined, found));
        }
        CelType::list(joined.unwrap_or_else(|| self.free_type()))
    }

    fn map(&mut self, entries: &[(Expression, Expression, bool)]) -> CelType {
        let (mut keys, mut values) = (None, None);
        for (key, value, optional) in entries {
            let found = self.check(key);
            keys = Some(self.join(key, keys, found));
            let found = self.check(value);
            let found = self.content(value, found, *optional);
            values = Some(self.join(value, values, found));
        }
        let keys = keys.unwrap_or_else(|| self.free_type());
        let values = values.unwrap_or_else(|| self.free_type());
        CelType::map(keys, values)
    }

    /// Returns the type that an element contributes; an optional element contributes its content.
    fn content(&mut self, element: &Expression, found: CelType, optional: bool) -> CelType {
        if !optional {
            return found;
        }
        let (content, was_optional) = found.unwrapped();
        if !was_optional && content != CelType::Dynamic {
            self.mismatch(element, &CelType::optional(content.clone()), &content);
        }
        content
    }

    /// Returns the common type of elements that must all have one type.
    fn join(&mut self, element: &Expression, before: Option<CelType>, found: CelType) -> CelType {
        let Some(before) = before else {
            return found;
        };
        if self.known.fit(std::slice::from_ref(&before), std::slice::from_ref(&found)) {
            return most_general(&before, &found);
        }
        self.mismatch(element, &before, &found);
        CelType::Error
    }

    fn comprehension(&mut self, comprehension: &Comprehension) -> CelType {
        let range = self.check(&comprehension.range);
        let start = self.check(&comprehension.start);
        let range = self.known.resolve(&range, false);
        let (first, second) = match &range {
            CelType::List(element) if comprehension.second_variable.is_some() => (CelType::Int, (**element).clone()),
            CelType::List(element) => ((**element).clone(), CelType::Error),
            CelType::Map(key, value) => ((**key).clone(), (**value).clone()),
            CelType::Dynamic | CelType::Error | CelType::Variable(_) => {
                self.known.fit(&[CelType::Dynamic], std::slice::from_ref(&range));
                (CelType::Dynamic, CelType::Dynamic)
            }
            other => {
                let text =
                    format!("expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)");
                self.report(&comprehension.range, text);
                (CelType::Error, CelType::Error)
            }
        };
        let outer = self.scopes.len();
        self.scopes.push((comprehension.accumulator.clone(), start.clone()));
        self.scopes.push((comprehension.variable.clone(), first));
        if let Some(name) = &comprehension.second_variable {
            self.scopes.push((name.clone(), second));
        }
        for (part, wanted) in [(&comprehension.condition, CelType::Bool), (&comprehension.step, start)] {
            let found = self.check(part);
            if !self.known.fit(std::slice::from_ref(&wanted), std::slice::from_ref(&found)) {
                self.mismatch(part, &wanted, &found);
            }
        }
        self.scopes.truncate(outer + 1);
        let result = self.check(&comprehension.result);
        self.scopes.truncate(outer);
        self.known.resolve(&result, false)
    }
}

fn declared(type_: &CelType, names: &mut BTreeSet<char>) {
    match type_ {
        CelType::Variable(Variable::Declared(name)) => {
            names.insert(*name);
        }
        CelType::List(inner) | CelType::Optional(inner) | CelType::Type(Some(inner)) => declared(inner, names),
        CelType::Map(key, value) => {
            declared(key, names);
            declared(value, names);
        }
        _ => {}
    }
}

fn literal_type(literal: &Literal) -> CelType {
    match literal {
        Literal::Null => CelType::Null,
        Literal::Bool(_) => CelType::Bool,
        Literal::Int(_) => CelType::Int,
        Literal::Uint(_) => CelType::Uint,
        Literal::Double(_) => CelType::Double,
        Literal::Text(_) => CelType::Text,
        Literal::Bytes(_) => CelType::Bytes,
    }
}
