//! Loops, to which macros are expanded.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;
use kube_cel::cel::objects::Map;

use super::cost;
use super::failure::EvaluationFailure;
use super::functions::insert;
use super::program::Known;
use super::scope::EvaluationScope;
use super::values::key_value;
use crate::cel::syntax::{Comprehension, Expression, ExpressionKind};

type Outcome = Result<Cel, EvaluationFailure>;

/// The macro that a loop was expanded from, which defines the work of a round.
enum LoopMacro<'p> {
    /// `all` and `exists`: an item can decide the result.
    Quantifier {
        predicate: &'p Expression,
        deciding: bool,
    },
    /// `map` and `filter`: a value is appended for each item that passes.
    Append {
        filter: Option<&'p Expression>,
        value: &'p Expression,
    },
    /// `transformMap`: entries are added for each item that passes.
    Insert {
        filter: Option<&'p Expression>,
        entries: &'p [Expression],
    },
    Other,
}

impl<'p> LoopMacro<'p> {
    fn of(comprehension: &'p Comprehension) -> Self {
        let is_accumulator =
            |part: &Expression| matches!(&part.kind, ExpressionKind::Ident(name) if *name == comprehension.accumulator);
        let (filter, step) = match &comprehension.step.kind {
            ExpressionKind::Call { function, target: None, arguments } => match (function.as_str(), arguments.as_slice()) {
                ("_?_:_", [filter, step, same]) if is_accumulator(same) => (Some(filter), step),
                _ => (None, &comprehension.step),
            },
            _ => (None, &comprehension.step),
        };
        let ExpressionKind::Call { function, target: None, arguments } = &step.kind else { return Self::Other };
        match (function.as_str(), filter, arguments.as_slice()) {
            ("_||_" | "_&&_", None, [first, predicate]) if is_accumulator(first) => {
                Self::Quantifier { predicate, deciding: function == "_||_" }
            }
            ("_+_", filter, [first, Expression { kind: ExpressionKind::List(added), .. }]) if is_accumulator(first) => {
                match added.as_slice() {
                    [(value, false)] => Self::Append { filter, value },
                    _ => Self::Other,
                }
            }
            ("cel.@mapInsert", filter, [first, entries @ ..]) if is_accumulator(first) => Self::Insert { filter, entries },
            _ => Self::Other,
        }
    }
}

/// The outcome of a round.
enum Round {
    Next(Outcome),
    Stop(Outcome),
}

impl<'p> EvaluationScope<'p> {
    pub(super) fn comprehension(&mut self, comprehension: &'p Comprehension) -> Outcome {
        let range = self.evaluate(&comprehension.range)?;
        let start = self.evaluate(&comprehension.start);
        let rounds = rounds(range, comprehension.second_variable.is_some())?;
        let shape = LoopMacro::of(comprehension);
        let outer = self.inner.len();
        self.inner.push((&comprehension.accumulator, Cel::Null));
        let mut accumulated = start;
        for (first, second) in rounds {
            self.inner.push((&comprehension.variable, first));
            if let (Some(name), Some(second)) = (&comprehension.second_variable, second) {
                self.inner.push((name, second));
            }
            let round = self.round(&shape, comprehension, outer, accumulated);
            self.inner.truncate(outer + 1);
            self.meter.check()?;
            match round {
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
            Err(failure) => self.meter.charge(cost::ACCESS).and(Err(failure)),
        };
        self.inner.truncate(outer);
        result
    }

    fn round(&mut self, shape: &LoopMacro<'p>, comprehension: &'p Comprehension, outer: usize, accumulated: Outcome) -> Round {
        match (shape, accumulated) {
            // A failure is kept until an item decides the result.
            (LoopMacro::Quantifier { predicate, deciding }, accumulated) => {
                let condition = if *deciding { cost::EXISTS_CONDITION } else { cost::ALL_CONDITION };
                if self.meter.charge(condition).is_err() || accumulated == Ok(Cel::Bool(*deciding)) {
                    return Round::Stop(accumulated);
                }
                Round::Next(match self.meter.charge(cost::ACCESS).and_then(|()| self.boolean(predicate)) {
                    Ok(found) if found == *deciding => Ok(Cel::Bool(*deciding)),
                    Ok(_) => accumulated,
                    Err(failure) => accumulated.and(Err(failure)),
                })
            }
            // After a failure, the remaining rounds are charged as they would be without it.
            (LoopMacro::Append { filter, value }, list) => {
                let added = self.passes(*filter).and_then(|passes| if passes { self.item(value).map(Some) } else { Ok(None) });
                Round::Next(list.and_then(|mut list| {
                    if let (Cel::List(items), Some(added)) = (&mut list, added?) {
                        Arc::make_mut(items).push(added);
                    }
                    Ok(list)
                }))
            }
            (LoopMacro::Insert { filter, entries }, map) => {
                let added = self.passes(*filter).and_then(|passes| {
                    if !passes {
                        return Ok(None);
                    }
                    self.meter.charge(cost::ACCESS + cost::CALL)?;
                    entries.iter().map(|entry| self.evaluate(entry)).collect::<Result<Vec<_>, _>>().map(Some)
                });
                Round::Next(map.and_then(|map| match (map, added?) {
                    (Cel::Map(map), Some(added)) => {
                        let mut entries = Arc::unwrap_or_clone(map.map);
                        insert(&mut entries, &added)?;
                        Ok(Cel::Map(Map { map: Arc::new(entries) }))
                    }
                    (map, _) => Ok(map),
                }))
            }
            (LoopMacro::Other, Err(failure)) => Round::Stop(Err(failure)),
            (LoopMacro::Other, Ok(value)) => {
                self.inner[outer].1 = value;
                match self.boolean(&comprehension.condition) {
                    Ok(true) => Round::Next(self.evaluate(&comprehension.step)),
                    Ok(false) => Round::Stop(Ok(self.inner[outer].1.clone())),
                    Err(failure) => Round::Stop(Err(failure)),
                }
            }
        }
    }

    /// Evaluates a value that is appended, and charges for a list that holds it and for joining that list.
    fn item(&mut self, value: &'p Expression) -> Outcome {
        let item = self.evaluate(value);
        let list = if matches!(self.program.known(value), Known::Value(_)) { 0 } else { cost::NEW_LIST };
        self.meter.charge(cost::ACCESS + cost::CALL + list)?;
        item
    }

    fn passes(&mut self, filter: Option<&'p Expression>) -> Result<bool, EvaluationFailure> {
        filter.map_or(Ok(true), |filter| self.boolean(filter))
    }
}

/// Returns the values of the variables of each round of a loop.
fn rounds(range: Cel, two: bool) -> Result<Vec<(Cel, Option<Cel>)>, EvaluationFailure> {
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
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}
