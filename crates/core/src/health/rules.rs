//! The health rules in the order in which they apply (READY-2).

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::{Health, Hints, Readiness, kinds};

/// The health rule of a kind. It returns `None` for objects that it does not judge.
pub type ReadinessRule<'a> = dyn Fn(&Value) -> Option<Readiness> + 'a;

/// Returns the health of an object.
pub fn readiness(object: &Value, hints: &Hints) -> Readiness {
    readiness_with(object, hints, None)
}

/// Returns the health of an object whose kind has its own rule (READY-7). `kind_rule` replaces the built-in rule of the kind; if it returns `None`,
/// the general rules apply.
pub fn readiness_with(object: &Value, hints: &Hints, kind_rule: Option<&ReadinessRule<'_>>) -> Readiness {
    if object.deletion_timestamp().is_some() {
        return Readiness::new(Health::Terminating, "object is being deleted");
    }
    let view = match View::of(object, hints) {
        Ok(view) => view,
        Err(problem) => return Readiness::new(Health::Unknown, problem),
    };
    if let Some((generation, observed)) = view.unseen_generation() {
        let mut readiness = Readiness::in_progress(format!("generation {generation} is not observed yet (observed: {observed})"));
        readiness.lagging = view.after_generation(kind_rule).status == Health::Current;
        return readiness;
    }
    view.after_generation(kind_rule)
}

/// A condition of the object's status.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReportedCondition<'a> {
    pub(super) kind: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    pub(super) observed_generation: Option<i64>,
    pub(super) since: Option<Timestamp>,
}

impl ReportedCondition<'_> {
    pub(super) fn is_true(&self) -> bool {
        self.status == "True"
    }

    pub(super) fn is_false(&self) -> bool {
        self.status == "False"
    }

    /// Returns the message, or the reason if the message is empty.
    pub(super) fn text(&self) -> &str {
        if self.message.is_empty() { self.reason } else { self.message }
    }
}

/// An object with its parsed conditions and hints.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) object: &'a Value,
    pub(super) hints: &'a Hints,
    conditions: Vec<ReportedCondition<'a>>,
}

impl<'a> View<'a> {
    fn of(object: &'a Value, hints: &'a Hints) -> Result<Self, String> {
        let conditions = match object.status() {
            None | Some(Value::Null) => Vec::new(),
            Some(status @ Value::Object(_)) => conditions(status)?,
            Some(_) => return Err("status is not a map".to_owned()),
        };
        Ok(Self { object, hints, conditions })
    }

    pub(super) fn condition(&self, kind: &str) -> Option<&ReportedCondition<'a>> {
        self.conditions.iter().find(|condition| condition.kind == kind)
    }

    pub(super) fn is_true(&self, kind: &str) -> bool {
        self.condition(kind).is_some_and(ReportedCondition::is_true)
    }

    /// Returns a number below `spec` or `status`.
    pub(super) fn number(&self, part: &str, field: &str) -> Option<i64> {
        self.object.get(part)?.get(field)?.as_i64()
    }

    /// Returns a text below `spec` or `status`; empty if it does not exist.
    pub(super) fn text(&self, part: &str, field: &str) -> &'a str {
        self.object.get(part).and_then(|part| part.get(field)).and_then(Value::as_str).unwrap_or("")
    }

    fn observed_generation(&self) -> Option<i64> {
        let observed = self.number("status", "observedGeneration");
        if observed.is_some() || !self.hints.has_observed_generation {
            return observed;
        }
        Some(self.condition("Ready").and_then(|ready| ready.observed_generation).unwrap_or(-1))
    }

    fn unseen_generation(&self) -> Option<(i64, i64)> {
        let generation = self.object.generation()?;
        let observed = self.observed_generation()?;
        (generation != observed).then_some((generation, observed))
    }

    fn after_generation(&self, kind_rule: Option<&ReadinessRule<'_>>) -> Readiness {
        if let Some(condition) = self.condition("Reconciling").filter(|condition| condition.is_true()) {
            return Readiness::in_progress(condition.text());
        }
        if let Some(condition) = self.condition("Stalled").filter(|condition| condition.is_true()) {
            return Readiness::failed(condition.text());
        }
        let by_kind = match kind_rule {
            Some(rule) => rule(self.object),
            None => kinds::readiness(self),
        };
        let readiness = by_kind.unwrap_or_else(|| self.by_ready_condition());
        if readiness.status == Health::Current { self.with_hinted_conditions(readiness) } else { readiness }
    }

    fn by_ready_condition(&self) -> Readiness {
        match self.condition("Ready") {
            Some(ready) if ready.is_true() => Readiness::current(),
            Some(ready) => Readiness::in_progress(ready.text()),
            None if self.hints.has_ready_condition => Readiness::in_progress("condition Ready is missing"),
            None => Readiness::current(),
        }
    }

    fn with_hinted_conditions(&self, readiness: Readiness) -> Readiness {
        let open = self.hints.conditions.iter().find(|kind| !self.is_true(kind));
        match open {
            None => readiness,
            Some(kind) => match self.condition(kind) {
                None => Readiness::in_progress(format!("condition {kind} is missing")),
                Some(condition) if condition.text().is_empty() => {
                    Readiness::in_progress(format!("condition {kind} is {}", condition.status))
                }
                Some(condition) => Readiness::in_progress(condition.text()),
            },
        }
    }
}

fn conditions(status: &Value) -> Result<Vec<ReportedCondition<'_>>, String> {
    let items = match status.get("conditions") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(_) => return Err("status.conditions is not a list".to_owned()),
    };
    items.iter().map(|item| condition(item).ok_or_else(|| "status.conditions has a malformed entry".to_owned())).collect()
}

fn condition(item: &Value) -> Option<ReportedCondition<'_>> {
    let optional = |field: &str| match item.get(field) {
        None | Some(Value::Null) => Some(""),
        Some(value) => value.as_str(),
    };
    Some(ReportedCondition {
        kind: item.get("type")?.as_str()?,
        status: item.get("status")?.as_str()?,
        reason: optional("reason")?,
        message: optional("message")?,
        observed_generation: item.get("observedGeneration").and_then(Value::as_i64),
        since: item.get("lastTransitionTime").and_then(Value::as_str).and_then(|text| text.parse().ok()),
    })
}
