//! Estimates of the minimal and maximal cost of evaluating an expression, in the units of the language definition.

use std::collections::HashMap;

use super::checker::Checked;
use super::declared::DeclaredType;
use super::estimate::{self, Argument, Estimate};
use super::sizes::Range;
use super::types::CelType;
use crate::cel::syntax::{ACCUMULATOR, Comprehension, Expression, ExpressionKind, Literal};

/// Estimates the cost of an expression about a value of this type.
pub(super) fn estimate(checked: &Checked<'_>, declared: &DeclaredType) -> Range {
    let mut coster =
        Coster { checked, declared, scopes: Vec::new(), paths: HashMap::new(), sizes: HashMap::new(), entries: HashMap::new() };
    coster.cost(checked.root)
}

/// The sizes of the keys and values of a list or map that an expression creates.
#[derive(Clone, Copy)]
pub(super) struct Entries {
    list: bool,
    key: Range,
    value: Range,
}

impl Entries {
    fn or(self, other: Self) -> Self {
        Self { list: self.list, key: self.key.or(other.key), value: self.value.or(other.value) }
    }
}

/// A variable of a loop: the path and the size of its values.
struct Local {
    name: String,
    path: Vec<String>,
    size: Option<Range>,
    entries: Option<Entries>,
}

/// Steps of a path that are no fields.
const ITEMS: &str = "@items";
const VALUES: &str = "@values";
const KEYS: &str = "@keys";
const INDICES: &str = "@indices";

pub(super) struct Coster<'c> {
    checked: &'c Checked<'c>,
    declared: &'c DeclaredType,
    scopes: Vec<Local>,
    paths: HashMap<usize, Vec<String>>,
    sizes: HashMap<usize, Range>,
    entries: HashMap<usize, Entries>,
}

const ACCESS: Range = Range::exactly(1);
const NEW_LIST: Range = Range::exactly(10);
const NEW_MAP: Range = Range::exactly(30);
const NEW_STRUCT: Range = Range::exactly(40);

impl Coster<'_> {
    fn cost(&mut self, expression: &Expression) -> Range {
        match &expression.kind {
            ExpressionKind::Literal(_) => Range::NOTHING,
            ExpressionKind::Ident(name) => {
                let path = self.local(name).map_or_else(|| vec![name.clone()], |local| local.path.clone());
                self.paths.insert(expression.id, path);
                ACCESS
            }
            ExpressionKind::Select { operand, test: true, .. } => self.cost(operand),
            ExpressionKind::Select { operand, field, test: false } => {
                let mut sum = self.cost(operand);
                if matches!(self.checked.type_of(operand), CelType::Map(..) | CelType::Object(_) | CelType::Variable(_)) {
                    sum = sum.plus(ACCESS);
                }
                self.step(expression, operand, field);
                sum
            }
            ExpressionKind::Call { target, arguments, .. } => self.call(expression, target.as_deref(), arguments),
            ExpressionKind::List(elements) => {
                let mut sum = Range::NOTHING;
                let mut value = empty_union(elements.is_empty());
                for (element, _) in elements {
                    sum = sum.plus(self.cost(element));
                    value = value.or(self.size_or_any(element));
                }
                self.entries.insert(expression.id, Entries { list: true, key: Range::exactly(1), value });
                sum.plus(NEW_LIST)
            }
            ExpressionKind::Map(entries) => {
                let mut sum = Range::NOTHING;
                let (mut keys, mut values) = (empty_union(entries.is_empty()), empty_union(entries.is_empty()));
                for (key, value, _) in entries {
                    sum = sum.plus(self.cost(key)).plus(self.cost(value));
                    keys = keys.or(self.size_or_any(key));
                    values = values.or(self.size_or_any(value));
                }
                self.entries.insert(expression.id, Entries { list: false, key: keys, value: values });
                sum.plus(NEW_MAP)
            }
            ExpressionKind::Struct { fields, .. } => {
                fields.iter().fold(Range::NOTHING, |sum, field| sum.plus(self.cost(field))).plus(NEW_STRUCT)
            }
            ExpressionKind::Comprehension(comprehension) if is_bind(comprehension) => self.bind(expression, comprehension),
            ExpressionKind::Comprehension(comprehension) => self.comprehension(expression, comprehension),
        }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.scopes.iter().rev().find(|local| local.name == name)
    }

    fn path(&self, expression: &Expression) -> Vec<String> {
        if let ExpressionKind::Ident(name) = &expression.kind
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(&expression.id).cloned().unwrap_or_default()
    }

    /// Records that the path of an expression is one step below that of another one.
    fn step(&mut self, expression: &Expression, from: &Expression, step: &str) {
        let mut path = self.path(from);
        path.push(step.to_owned());
        self.paths.insert(expression.id, path);
    }

    fn call(&mut self, expression: &Expression, target: Option<&Expression>, arguments: &[Expression]) -> Range {
        let Some(call) = self.checked.call(expression).cloned() else {
            return Range::NOTHING;
        };
        if call.function == "dyn"
            && let [argument] = arguments
        {
            let cost = self.cost(argument);
            self.copy_sizes(expression, argument);
            return cost.plus(Range::exactly(1));
        }
        let costs: Vec<_> = arguments.iter().map(|argument| self.cost(argument)).collect();
        if call.overloads.is_empty() && call.function != "_?._" {
            return Range::NOTHING;
        }
        let nodes: Vec<_> = arguments.iter().map(|argument| self.argument(argument)).collect();
        let target = target.filter(|_| call.member);
        let mut sum = Range::NOTHING;
        let mut target_node = None;
        if let Some(target) = target {
            sum = self.cost(target);
            target_node = Some(self.argument(target));
        }
        let spent = costs.iter().fold(Range::NOTHING, |sum, cost| sum.plus(*cost));
        let mut cost: Option<Range> = None;
        let mut size: Option<Range> = None;
        for index in 0..call.overloads.len().max(1) {
            let overload = call.overloads.get(index).copied();
            let found =
                self.overload(expression, &call.function, overload, target_node.as_ref(), (&nodes, arguments), (&costs, spent));
            cost = Some(cost.map_or(found.cost, |cost| cost.or(found.cost)));
            if let Some(found) = found.size {
                size = Some(size.map_or(found, |size| size.or(found)));
            }
            if call.function == "_[_]"
                && let (Some(overload), [container, _]) = (overload, arguments)
            {
                let step = match overload.parameters.first() {
                    Some(CelType::List(_)) => Some(ITEMS),
                    Some(CelType::Map(..)) => Some(VALUES),
                    _ => None,
                };
                if let Some(step) = step {
                    size = self.entries_of(container).map(|entries| entries.value);
                    self.step(expression, container, step);
                }
            }
            if size.is_none() {
                size = self.size(expression);
            }
        }
        if let Some(size) = size {
            self.sizes.insert(expression.id, size);
        }
        sum.plus(cost.unwrap_or(Range::NOTHING))
    }

    fn overload(
        &mut self,
        expression: &Expression,
        function: &str,
        overload: Option<&super::functions::Overload>,
        target: Option<&Argument>,
        (nodes, arguments): (&[Argument], &[Expression]),
        (costs, spent): (&[Range], Range),
    ) -> Estimate {
        match (function, costs) {
            // The second operand may not be evaluated.
            ("_||_" | "_&&_", [left, right]) => {
                return Estimate::cost(Range { min: left.min, max: left.plus(*right).max });
            }
            ("_?_:_", [condition, positive, negative]) => {
                let size = nodes[1].size_or_any().or(nodes[2].size_or_any());
                let entries = (self.entries_of(&arguments[1]), self.entries_of(&arguments[2]));
                if let (Some(positive), Some(negative)) = entries {
                    self.entries.insert(expression.id, positive.or(negative));
                }
                return Estimate { cost: condition.plus(positive.or(*negative)), size: Some(size) };
            }
            _ => {}
        }
        if let ("_+_", [left, right]) = (function, arguments)
            && let (Some(left), Some(right)) = (self.entries_of(left), self.entries_of(right))
        {
            self.entries.insert(expression.id, left.or(right));
        }
        let sizes = |path: &[String]| self.declared_size(path);
        let found = estimate::function(function, overload, target, nodes, &sizes);
        Estimate { cost: found.cost.plus(spent), ..found }
    }

    fn argument(&mut self, expression: &Expression) -> Argument {
        let mut path = self.path(expression);
        if path.first().is_some_and(|first| first == ACCUMULATOR) {
            path.clear();
        }
        Argument {
            type_: self.checked.type_of(expression).clone(),
            path,
            size: self.size(expression),
            literal: match &expression.kind {
                ExpressionKind::Literal(literal) => Some(literal.clone()),
                _ => None,
            },
        }
    }

    fn comprehension(&mut self, expression: &Expression, comprehension: &Comprehension) -> Range {
        let mut sum = self.cost(&comprehension.range).plus(self.cost(&comprehension.start));
        let outer = self.scopes.len();
        self.push_value(&comprehension.accumulator, &comprehension.start);
        self.push_loop(comprehension);
        let condition = self.cost(&comprehension.condition);
        let step = self.cost(&comprehension.step);
        self.scopes.truncate(outer + 1);
        sum = sum.plus(self.cost(&comprehension.result));
        self.scopes.truncate(outer);
        let rounds = self.size_or_any(&comprehension.range);
        match &comprehension.start.kind {
            ExpressionKind::Literal(_) => {
                if let Some(size) = self.size(&comprehension.start) {
                    self.sizes.insert(expression.id, size);
                }
            }
            ExpressionKind::List(_) | ExpressionKind::Map(_) => {
                self.sizes.insert(expression.id, rounds);
                if let Some(entries) = self.entries_of(&comprehension.step) {
                    self.entries.insert(expression.id, entries);
                }
            }
            _ => {}
        }
        sum.plus(rounds.times(step.plus(condition)))
    }

    fn bind(&mut self, expression: &Expression, comprehension: &Comprehension) -> Range {
        let mut sum = self.cost(&comprehension.range).plus(self.cost(&comprehension.start));
        let outer = self.scopes.len();
        self.push_value(&comprehension.accumulator, &comprehension.start);
        sum = sum.plus(self.cost(&comprehension.result));
        self.scopes.truncate(outer);
        self.copy_sizes(expression, &comprehension.result);
        sum
    }

    fn push_value(&mut self, name: &str, value: &Expression) {
        let local =
            Local { name: name.to_owned(), path: self.path(value), size: self.size(value), entries: self.entries_of(value) };
        self.scopes.push(local);
    }

    fn push_loop(&mut self, comprehension: &Comprehension) {
        let entries = self.entries_of(&comprehension.range);
        let list = entries
            .map_or_else(|| matches!(self.checked.type_of(&comprehension.range), CelType::List(_)), |entries| entries.list);
        let (key, value) = (entries.map(|entries| entries.key), entries.map(|entries| entries.value));
        let path = self.path(&comprehension.range);
        let mut push = |name: &str, step: &str, size: Option<Range>| {
            let path = path.iter().cloned().chain([step.to_owned()]).collect();
            self.scopes.push(Local { name: name.to_owned(), path, size, entries: None });
        };
        match &comprehension.second_variable {
            None if list => push(&comprehension.variable, ITEMS, value),
            None => push(&comprehension.variable, KEYS, key),
            Some(second) => {
                push(&comprehension.variable, if list { INDICES } else { KEYS }, key);
                push(second, if list { ITEMS } else { VALUES }, value);
            }
        }
    }

    fn size_or_any(&mut self, expression: &Expression) -> Range {
        self.size(expression).unwrap_or(Range::ANY)
    }

    fn size(&mut self, expression: &Expression) -> Option<Range> {
        if let Some(size) = self.sizes.get(&expression.id) {
            return Some(*size);
        }
        let own = match &expression.kind {
            ExpressionKind::Literal(Literal::Text(text)) => Some(text.chars().count() as u64),
            ExpressionKind::Literal(Literal::Bytes(bytes)) => Some(bytes.len() as u64),
            ExpressionKind::Literal(_) => Some(1),
            ExpressionKind::List(elements) => Some(elements.len() as u64),
            ExpressionKind::Map(entries) => Some(entries.len() as u64),
            _ => None,
        };
        if let Some(own) = own {
            return Some(Range::exactly(own));
        }
        let path = self.path(expression);
        if let Some(size) = self.declared_size(&path) {
            self.sizes.insert(expression.id, size);
            return Some(size);
        }
        let scalar = matches!(
            self.checked.type_of(expression),
            CelType::Bool | CelType::Double | CelType::Duration | CelType::Int | CelType::Timestamp | CelType::Uint
        );
        if scalar {
            return Some(Range::exactly(1));
        }
        match &expression.kind {
            ExpressionKind::Ident(name) => self.local(name).and_then(|local| local.size),
            _ => None,
        }
    }

    /// Returns the size that the schema declares for a path.
    fn declared_size(&self, path: &[String]) -> Option<Range> {
        let mut declared = self.declared;
        for step in path.get(1..)? {
            declared = match step.as_str() {
                ITEMS | VALUES => declared.elements.as_deref()?,
                KEYS if matches!(declared.type_, CelType::Map(..)) => return Some(Range { min: 0, max: 0 }),
                field => declared.fields.get(field)?,
            };
        }
        Some(Range { min: 0, max: declared.most })
    }

    fn entries_of(&self, expression: &Expression) -> Option<Entries> {
        if let Some(entries) = self.entries.get(&expression.id) {
            return Some(*entries);
        }
        match &expression.kind {
            ExpressionKind::Ident(name) => self.local(name)?.entries,
            _ => None,
        }
    }

    fn copy_sizes(&mut self, to: &Expression, from: &Expression) {
        if let Some(size) = self.size(from) {
            self.sizes.insert(to.id, size);
        }
        if let Some(entries) = self.entries_of(from) {
            self.entries.insert(to.id, entries);
        }
    }
}

/// Returns the union of no sizes: zero for an empty list or map, otherwise the neutral element.
fn empty_union(empty: bool) -> Range {
    Range { min: if empty { 0 } else { u64::MAX }, max: 0 }
}

/// Returns true for a loop of no rounds that binds a value to a name.
fn is_bind(comprehension: &Comprehension) -> bool {
    matches!(&comprehension.range.kind, ExpressionKind::List(elements) if elements.is_empty())
        && matches!(comprehension.condition.kind, ExpressionKind::Literal(Literal::Bool(false)))
        && comprehension.accumulator != ACCUMULATOR
}
