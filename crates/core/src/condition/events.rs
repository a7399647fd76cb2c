//! Events about conditions that changed (CND-8).

use super::{Condition, ConditionChanges, ConditionStatus};
use crate::flow::Event;
use crate::reason;

/// The mode in which a pass reports the conditions that it changed, as events of type Normal with reason `ConditionChanged`. A condition has changed
/// when it appeared, vanished, or has another status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConditionEvents {
    /// No events.
    #[default]
    Never,
    /// One event for each condition.
    PerCondition,
    /// One event for each new status, and one for the conditions that vanished; each lists the types of the conditions.
    PerStatus,
    /// One event, which lists the types of the conditions.
    Once,
}

impl ConditionEvents {
    /// Returns the events of a pass, in a stable order.
    pub fn of(self, changes: &ConditionChanges, conditions: &[Condition]) -> Vec<Event> {
        let status_of =
            |type_: &String| conditions.iter().find(|condition| condition.type_ == *type_).map(|condition| condition.status);
        let mut changed: Vec<(&str, Option<ConditionStatus>)> =
            changes.appeared.iter().chain(&changes.flipped).map(|type_| (type_.as_str(), status_of(type_))).collect();
        changed.sort_by_key(|(type_, _)| *type_);
        changed.extend(changes.vanished.iter().map(|type_| (type_.as_str(), None)));
        let notes = match self {
            Self::Never => Vec::new(),
            Self::PerCondition => {
                changed.iter().map(|(type_, status)| format!("condition {type_} {}", phrase(*status))).collect()
            }
            Self::PerStatus => {
                let statuses =
                    [ConditionStatus::True, ConditionStatus::False, ConditionStatus::Unknown].map(Some).into_iter().chain([None]);
                let note = |status: Option<ConditionStatus>| {
                    let types: Vec<&str> = changed.iter().filter(|(_, of)| *of == status).map(|(type_, _)| *type_).collect();
                    let verb = if types.len() == 1 { "condition" } else { "conditions" };
                    (!types.is_empty()).then(|| format!("{verb} {}: {}", phrase(status), types.join(", ")))
                };
                statuses.filter_map(note).collect()
            }
            Self::Once if changed.is_empty() => Vec::new(),
            Self::Once => {
                let types: Vec<&str> = changed.iter().map(|(type_, _)| *type_).collect();
                vec![format!("conditions changed: {}", types.join(", "))]
            }
        };
        let event = |note| Event::normal(reason!("ConditionChanged"), note).action(reason!("UpdateStatus"));
        notes.into_iter().map(event).collect()
    }
}

/// Returns the change of a condition in words; a condition without a status has vanished.
fn phrase(status: Option<ConditionStatus>) -> &'static str {
    match status {
        Some(ConditionStatus::True) => "became True",
        Some(ConditionStatus::False) => "became False",
        Some(ConditionStatus::Unknown) => "became Unknown",
        None => "vanished",
    }
}
