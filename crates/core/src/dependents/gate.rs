//! Is a type still in use by others? (component.md, 10.12)

use std::fmt;

use kubewright_machinery::object::{GroupKind, ObjectKey};

use super::engine::{is_api_service, is_definition, is_type};
use super::planner::Planner;
use super::teardown::Removal;
use super::{CheckedTypes, Engine, ForeignCheck, Instances, Phase, Projection, Verb};

/// Seconds after which a question that the cluster could not answer is asked again: no event tells that it can.
pub(super) const ASK_AGAIN: u64 = 10;

impl Engine {
    /// The label selector of everything that is not ours, unlabelled objects included (GATE-1).
    pub fn foreign_selector(&self) -> String {
        format!("{}!={}", self.context.operator.owner_key(), self.owner.hash())
    }
}

impl Planner<'_> {
    /// Notes of each API service that is ready, or was before its phase changed, that it may be in use even while it is not available.
    pub(super) fn remember_readiness(&mut self) {
        for item in self.items.iter_mut().filter(|item| item.phase == Phase::Ready && is_api_service(&item.key())) {
            item.was_ready = true;
        }
    }

    /// The phase Ready says the same, and a healthy component's status stays as it is.
    pub(super) fn compact_readiness(&mut self) {
        for item in self.items.iter_mut().filter(|item| item.phase == Phase::Ready) {
            item.was_ready = false;
        }
    }

    /// Whether instances of an API service may exist that no request shows, because it is not available at the moment (GATE-4a).
    pub(super) fn is_silent(&self, place: usize) -> bool {
        let item = &self.items[place];
        let serves = || self.live(&item.key()).and_then(Projection::serves);
        item.was_ready && serves().is_some_and(|serves| !serves.available)
    }

    /// Why an API service that is not available stays, and how to let go of it all the same.
    pub(super) fn silence_message(&self, place: usize, removal: Removal) -> String {
        let (name, operator) = (&self.items[place].name, &self.engine.context.operator);
        let way_out = match removal {
            Removal::Deletion => format!("let go with {}=true", operator.key("abandon-dependents")),
            Removal::Redundant => format!("left in place without its label {}", operator.owner_key()),
        };
        format!(
            "api service {name} is not available, so nobody can tell whether it is in use; it is looked at again when it answers, or \
             {way_out}"
        )
    }

    /// Objects are deleted that may be what serves an API service which goes in a later wave: if it is not available from then on, that
    /// is why. The status must say so first, since a restarted process would wait for its answer for ever.
    pub(super) fn expect_silence(&mut self, places: &[usize], sends_before: usize) {
        for &place in places {
            if !self.items[place].was_ready || self.gone.contains(&place) {
                continue;
            }
            let Some(serves) = self.live(&self.items[place].key()).and_then(Projection::serves) else { continue };
            let may_serve = |key: &ObjectKey| !is_type(key) && *key.group != *serves.group;
            if self.sends[sends_before..].iter().any(|action| action.verb == Verb::Delete && may_serve(&action.key)) {
                let item = &mut self.items[place];
                item.was_ready = false;
                item.phase = Phase::ScheduledForDeletion;
                self.tells_of_silence = true;
            }
        }
    }
}

/// The question whether a type has foreign instances. `None` for a type that serves nothing: then nothing can be in use.
pub(super) fn foreign_check(key: &ObjectKey, live: &Projection, engine: &Engine) -> Option<ForeignCheck> {
    let types = checked_types(key, live)?;
    Some(ForeignCheck { types, any_owner: false, selector: engine.foreign_selector() })
}

/// The question whether a type has any instances at all.
pub(super) fn instances_check(key: &ObjectKey, live: &Projection) -> Option<ForeignCheck> {
    let types = checked_types(key, live)?;
    Some(ForeignCheck { types, any_owner: true, selector: String::new() })
}

fn checked_types(key: &ObjectKey, live: &Projection) -> Option<CheckedTypes> {
    let serves = live.serves()?;
    let version = serves.version.as_deref()?.to_owned();
    if is_definition(key) {
        return Some(CheckedTypes::Definition {
            name: key.name.clone(),
            kind: GroupKind::new(&*serves.group, &*serves.kind),
            plural: serves.plural.to_string(),
            version,
        });
    }
    // An API service that is not available answers no question.
    (is_api_service(key) && serves.available).then(|| CheckedTypes::ApiService {
        name: key.name.clone(),
        group: serves.group.to_string(),
        version,
    })
}

/// The message of STA-10 for a hit, with the instances that were found.
pub(super) fn blocked_message(check: &ForeignCheck, found: &Instances) -> String {
    let types = match &check.types {
        CheckedTypes::Declared(_) => format!("type {}", found.kind),
        types => types.to_string(),
    };
    format!("Deletion blocked: {types} is still in use (instances exist): {found}")
}

impl fmt::Display for CheckedTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared(managed) => write!(f, "type {}.{}", managed.kind, managed.group),
            Self::Definition { name, .. } => write!(f, "crd {name}"),
            Self::ApiService { name, .. } => write!(f, "api service {name}"),
        }
    }
}
