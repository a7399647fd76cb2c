//! Type checking of every part of an expression.

use std::collections::BTreeSet;

use crate::schema::cel::convert::RESERVED;
use crate::schema::cel::syntax::{Comprehension, Expression, Kind, Literal, Parsed, qualified_name};

use super::functions::{Overload, overloads};
use super::types::{Type, Variable};
use super::unify::{Known, most_general};

/// An error with the position that it points at.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) text: String,
}

/// An expression whose parts have types.
#[derive(Debug)]
pub(super) struct Checked<'e> {
    pub(super) root: &'e Expression,
    /// The type of each part, by its id.
    types: Vec<Type>,
    calls: Vec<Option<Call>>,
    /// The variables of the rule that occur.
    pub(super) variables: BTreeSet<String>,
}

/// The resolved meaning of a call.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// The function, including the namespace that may look like the target of the call.
    pub(super) function: String,
    /// True if the function is called on a value.
    pub(super) member: bool,
    pub(super) overloads: Vec<&'static Overload>,
}

impl Checked<'_> {
    pub(super) fn type_of(&self, expression: &Expression) -> &Type {
        self.types.get(expression.id).unwrap_or(&Type::Dynamic)
    }

    pub(super) fn call(&self, expression: &Expression) -> Option<&Call> {
        self.calls.get(expression.id)?.as_ref()
    }
}

/// Checks an expression in which variables have these types.
pub(super) fn check<'e>(parsed: &'e Parsed, variables: &[(&str, Type)]) -> Result<Checked<'e>, Vec<Problem>> {
    let count = parsed.places.len();
    let mut checker = Checker {
        parsed,
        outer: variables,
        scopes: Vec::new(),
        known: Known::default(),
        free: 0,
        types: vec![Type::Dynamic; count],
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
    parsed: &'c Parsed,
    outer: &'c [(&'c str, Type)],
    scopes: Vec<(String, Type)>,
    known: Known,
    free: usize,
    types: Vec<Type>,
    calls: Vec<Option<Call>>,
    variables: BTreeSet<String>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    fn report(&mut self, at: &Expression, text: String) {
        self.problems.push(Problem { at: self.parsed.places[at.id], text });
    }

    fn mismatch(&mut self, at: &Expression, wanted: &Type, found: &Type) {
        let (wanted, found) = (self.known.resolve(wanted, false), self.known.resolve(found, false));
        self.report(at, format!("expected type '{wanted}' but found '{found}'"));
    }

    fn free_type(&mut self) -> Type {
        self.free += 1;
        Type::Variable(Variable::Free(self.free - 1))
    }

    fn type_of(&self, expression: &Expression) -> Type {
        self.types[expression.id].clone()
    }

    fn check(&mut self, expression: &Expression) -> Type {
        let found = match &expression.kind {
            Kind::Literal(literal) => literal_type(literal),
            Kind::Ident(name) => self.ident(expression, name),
            Kind::Select { operand, field, test } => self.select(expression, operand, field, *test),
            Kind::Call { function, target, arguments } => self.call(expression, function, target.as_deref(), arguments),
            Kind::List(elements) => self.list(elements),
            Kind::Map(entries) => self.map(entries),
            Kind::Struct { name, fields } => {
                for field in fields {
                    self.check(field);
                }
                if let Some(type_) = Type::named(name) {
                    type_
                } else {
                    self.report(expression, format!("undeclared reference to '{name}' (in container '')"));
                    Type::Error
                }
            }
            Kind::Comprehension(comprehension) => self.comprehension(comprehension),
        };
        self.types[expression.id] = found.clone();
        found
    }

    fn lookup(&mut self, name: &str) -> Option<Type> {
        if let Some((_, type_)) = self.scopes.iter().rev().find(|(known, _)| known == name) {
            return Some(type_.clone());
        }
        if let Some((_, type_)) = self.outer.iter().find(|(known, _)| *known == name) {
            self.variables.insert(name.to_owned());
            return Some(type_.clone());
        }
        Type::named(name).map(|type_| Type::Type(Some(type_.into())))
    }

    fn ident(&mut self, expression: &Expression, name: &str) -> Type {
        if RESERVED.contains(&name) {
            self.report(expression, format!("reserved identifier: {name}"));
            return Type::Error;
        }
        self.lookup(name).unwrap_or_else(|| {
            self.report(expression, format!("undeclared reference to '{name}' (in container '')"));
            Type::Error
        })
    }

    fn select(&mut self, expression: &Expression, operand: &Expression, field: &str, test: bool) -> Type {
        if let Some(name) = qualified_name(expression).filter(|name| name.contains('.'))
            && let Some(type_) = Type::named(&name)
        {
            return Type::Type(Some(type_.into()));
        }
        let found = self.field(expression, operand, field, false);
        if test { Type::Bool } else { self.known.resolve(&found, false) }
    }

    fn field(&mut self, expression: &Expression, operand: &Expression, field: &str, optional: bool) -> Type {
        let operand = self.check(operand);
        let (target, was_optional) = self.known.resolve(&operand, false).unwrapped();
        let result = match &target {
            Type::Map(_, value) => (**value).clone(),
            Type::Object(object) => object.field(field).cloned().unwrap_or_else(|| {
                self.report(expression, format!("undefined field '{field}'"));
                Type::Error
            }),
            Type::Opaque(name) if name.starts_with("kubernetes.") => {
                self.report(expression, format!("undefined field '{field}'"));
                Type::Error
            }
            Type::Variable(_) => {
                self.known.fit(&[Type::Dynamic], std::slice::from_ref(&target));
                Type::Dynamic
            }
            other => {
                if !other.is_dynamic_or_error() {
                    self.report(expression, format!("type '{other}' does not support field selection"));
                }
                Type::Dynamic
            }
        };
        if optional || was_optional { Type::optional(result) } else { result }
    }

    fn call(&mut self, expression: &Expression, function: &str, target: Option<&Expression>, arguments: &[Expression]) -> Type {
        if function == "_?._"
            && let [operand, field] = arguments
            && let Kind::Literal(Literal::Text(name)) = &field.kind
        {
            let found = self.field(expression, operand, name, true);
            self.calls[expression.id] = Some(Call { function: function.to_owned(), member: false, overloads: Vec::new() });
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
    ) -> Type {
        let Some(candidates) = overloads(function) else {
            self.report(expression, format!("undeclared reference to '{function}' (in container '')"));
            return Type::Error;
        };
        let member = target.is_some();
        let found: Vec<Type> = target.into_iter().chain(arguments).map(|argument| self.type_of(argument)).collect();
        let mut call = Call { function: function.to_owned(), member, overloads: Vec::new() };
        let mut result: Option<Type> = None;
        for overload in candidates.iter().filter(|overload| overload.member == member) {
            if matches!(function, "_&&_" | "_||_") {
                let wrong = self.problems.len();
                for (argument, found) in arguments.iter().zip(&found) {
                    if !self.known.fit(std::slice::from_ref(found), &[Type::Bool]) {
                        self.mismatch(argument, &Type::Bool, found);
                    }
                }
                call.overloads.push(overload);
                result = Some(if self.problems.len() > wrong { Type::Error } else { Type::Bool });
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
                Some(before) if before == Type::Dynamic || before == yields => before,
                Some(_) => Type::Dynamic,
            });
        }
        self.calls[expression.id] = Some(call);
        result.unwrap_or_else(|| {
            let mut texts: Vec<_> = found.iter().map(|found| self.known.resolve(found, true).to_string()).collect();
            let target = if member { format!("{}.", texts.remove(0)) } else { String::new() };
            let signature = format!("{target}({})", texts.join(", "));
            self.report(expression, format!("found no matching overload for '{function}' applied to '{signature}'"));
            Type::Error
        })
    }

    /// Returns an overload with its type parameters replaced by fresh unknown types.
    fn instance(&mut self, overload: &Overload) -> (Vec<Type>, Type) {
        let mut names = BTreeSet::new();
        overload.parameters.iter().chain([&overload.result]).for_each(|type_| declared(type_, &mut names));
        let mut fresh = Known::default();
        for name in names {
            let free = self.free_type();
            fresh.learn(Variable::Declared(name), free);
        }
        let parameters = overload.parameters.iter().map(|parameter| fresh.resolve(parameter, false)).collect();
        (parameters, fresh.resolve(&overload.result, false))
    }

    fn list(&mut self, elements: &[(Expression, bool)]) -> Type {
        let mut joined = None;
        for (element, optional) in elements {
            let found = self.check(element);
            let found = self.content(element, found, *optional);
            joined = Some(self.join(element, joined, found));
        }
        Type::list(joined.unwrap_or_else(|| self.free_type()))
    }

    fn map(&mut self, entries: &[(Expression, Expression, bool)]) -> Type {
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
        Type::map(keys, values)
    }

    /// Returns the type that an element contributes; an optional element contributes its content.
    fn content(&mut self, element: &Expression, found: Type, optional: bool) -> Type {
        if !optional {
            return found;
        }
        let (content, was_optional) = found.unwrapped();
        if !was_optional && content != Type::Dynamic {
            self.mismatch(element, &Type::optional(content.clone()), &content);
        }
        content
    }

    /// Returns the common type of elements that must all have one type.
    fn join(&mut self, element: &Expression, before: Option<Type>, found: Type) -> Type {
        let Some(before) = before else {
            return found;
        };
        if self.known.fit(std::slice::from_ref(&before), std::slice::from_ref(&found)) {
            return most_general(&before, &found);
        }
        self.mismatch(element, &before, &found);
        Type::Error
    }

    fn comprehension(&mut self, comprehension: &Comprehension) -> Type {
        let range = self.check(&comprehension.range);
        let start = self.check(&comprehension.start);
        let range = self.known.resolve(&range, false);
        let (first, second) = match &range {
            Type::List(element) if comprehension.second_variable.is_some() => (Type::Int, (**element).clone()),
            Type::List(element) => ((**element).clone(), Type::Error),
            Type::Map(key, value) => ((**key).clone(), (**value).clone()),
            Type::Dynamic | Type::Error | Type::Variable(_) => {
                self.known.fit(&[Type::Dynamic], std::slice::from_ref(&range));
                (Type::Dynamic, Type::Dynamic)
            }
            other => {
                let text =
                    format!("expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)");
                self.report(&comprehension.range, text);
                (Type::Error, Type::Error)
            }
        };
        let outer = self.scopes.len();
        self.scopes.push((comprehension.accumulator.clone(), start.clone()));
        self.scopes.push((comprehension.variable.clone(), first));
        if let Some(name) = &comprehension.second_variable {
            self.scopes.push((name.clone(), second));
        }
        for (part, wanted) in [(&comprehension.condition, Type::Bool), (&comprehension.step, start)] {
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

fn declared(type_: &Type, names: &mut BTreeSet<char>) {
    match type_ {
        Type::Variable(Variable::Declared(name)) => {
            names.insert(*name);
        }
        Type::List(inner) | Type::Optional(inner) | Type::Type(Some(inner)) => declared(inner, names),
        Type::Map(key, value) => {
            declared(key, names);
            declared(value, names);
        }
        _ => {}
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::Text(_) => Type::Text,
        Literal::Bytes(_) => Type::Bytes,
    }
}
