//! Is a type still in use by others? (10.12)

use std::fmt;

use kubewright_machinery::object::{GroupKind, ObjectKey};

use super::engine::{is_api_service, is_definition};
use super::{CheckedTypes, Engine, ForeignCheck, Projection};

/// Seconds after which a question that the cluster could not answer is asked again: no event tells that it can.
pub(super) const ASK_AGAIN: u64 = 10;

impl Engine {
    /// The label selector of everything that is not ours, unlabelled objects included (GATE-1).
    pub fn foreign_selector(&self) -> String {
        format!("{}!={}", self.context.operator.owner_key(), self.owner.hash())
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
    // An API service that is not available answers no request, so nobody can use it, and nobody can be asked.
    (is_api_service(key) && serves.available).then(|| CheckedTypes::ApiService {
        name: key.name.clone(),
        group: serves.group.to_string(),
        version,
    })
}

/// The message of STA-10 for a hit.
pub(super) fn blocked_message(check: &ForeignCheck, found: &GroupKind) -> String {
    match &check.types {
        CheckedTypes::Declared(_) => {
            format!("Deletion blocked: type {found} is still in use (instances exist)")
        }
        types => format!("Deletion blocked: {types} is still in use (instances exist)"),
    }
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
