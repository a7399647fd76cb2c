//! The check that a type is no longer in use by other owners (component.md, 10.12).

use std::fmt;

use kubewright_machinery::object::{GroupKind, ObjectKey};

use super::dependent::Dependent;
use super::engine::{is_api_service, is_definition, is_type};
use super::planner::Planner;
use super::teardown::Removal;
use super::{CheckedTypes, Engine, ForeignCheck, Instances, Phase, Projection, RequestPurpose};
use crate::manifest::keys;

/// The seconds after which a check that the cluster could not answer is repeated; no event reports that it could be answered.
pub(super) const ASK_AGAIN: u64 = 10;

impl Engine {
    /// Returns the label selector of all objects that are not ours, including unlabelled ones (GATE-1).
    pub fn foreign_selector(&self) -> String {
        format!("{}!={}", self.context.operator.owner_key(), self.owner.hash())
    }
}

impl Dependent<'_> {
    /// Marks an API service that is Ready as possibly in use even while it is not available. The mark outlasts the phase.
    pub(super) fn remember_readiness(&mut self) {
        if self.item.phase == Phase::Ready && is_api_service(&self.key) {
            self.item.was_ready = true;
        }
    }

    /// Clears the mark of an item in phase Ready, which implies it, so that the status of a healthy component stays the same.
    pub(super) fn compact_readiness(&mut self) {
        if self.item.phase == Phase::Ready {
            self.item.was_ready = false;
        }
    }

    /// Returns the check that the type is not in use; `None` for an object that is not a type or serves nothing.
    pub(super) fn check_of_type(&self, engine: &Engine) -> Option<ForeignCheck> {
        foreign_check(&self.key, self.live().filter(|_| is_type(&self.key))?, engine)
    }

    /// Returns true if instances of an API service may exist that no request shows, because the service is not available at present (GATE-4a).
    pub(super) fn is_unavailable(&self) -> bool {
        let serves = || self.live().and_then(Projection::serves);
        self.item.was_ready && serves().is_some_and(|serves| !serves.available)
    }

    /// Returns the message that explains why an unavailable API service is kept, and how to release it nevertheless.
    pub(super) fn unavailability_message(&self, engine: &Engine, removal: Removal) -> String {
        let (name, operator) = (&self.key.name, &engine.context.operator);
        let way_out = match removal {
            Removal::Deletion => format!("let go with {}=true", operator.key(keys::ABANDON_DEPENDENTS)),
            Removal::Redundant => format!("left in place without its label {}", operator.owner_key()),
        };
        format!(
            "api service {name} is not available, so nobody can tell whether it is in use; it is looked at again when it answers, or \
             {way_out}"
        )
    }
}

impl Planner<'_> {
    /// Handles deletions of objects that may serve an API service which is deleted in a later wave: they explain why the service is unavailable from
    /// then on. The status must record this first, because a restarted process would otherwise wait for an answer of the service for ever.
    pub(super) fn expect_unavailability(&mut self, indices: &[usize], sends_before: usize) {
        for &index in indices {
            let dependent = &mut self.dependents[index];
            if !dependent.item.was_ready || dependent.gone {
                continue;
            }
            let Some(serves) = dependent.live().and_then(Projection::serves) else { continue };
            let may_serve = |key: &ObjectKey| !is_type(key) && *key.group != *serves.group;
            if self.sends[sends_before..].iter().any(|action| action.purpose == RequestPurpose::Delete && may_serve(&action.key))
            {
                dependent.item.was_ready = false;
                dependent.item.phase = Phase::ScheduledForDeletion;
                self.must_record_unavailability = true;
            }
        }
    }
}

/// Returns the check for foreign instances of a type. `None` if the type serves nothing, so that it cannot be in use.
fn foreign_check(key: &ObjectKey, live: &Projection, engine: &Engine) -> Option<ForeignCheck> {
    let types = checked_types(key, live)?;
    Some(ForeignCheck { types, any_owner: false, selector: engine.foreign_selector() })
}

/// Returns the check for instances of a type with any owner or none.
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
    // An unavailable API service cannot answer a LIST.
    (is_api_service(key) && serves.available).then(|| CheckedTypes::ApiService {
        name: key.name.clone(),
        group: serves.group.to_string(),
        version,
    })
}

/// Returns the message of STA-10 for a hit, with the instances that were found.
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
