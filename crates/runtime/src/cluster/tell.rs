use kubewright_machinery::object::GroupKind;
use serde_json::Value;

use super::own_write::{Fate, WriteRequest};
use super::write_observer::{Write, WriteObserver};
use crate::watch::Watches;

/// Tells the observer and all stores of a cluster what a write of this process has done, by its successful answer; `known` is the kind that its path
/// addresses. Nothing is told if the answer does not show it.
pub(super) fn tell(
    watches: &Watches,
    write: &WriteRequest,
    answered: &Value,
    known: Option<GroupKind>,
    observer: Option<&dyn WriteObserver>,
) {
    let Some(effect) = write.effect(answered, known) else { return };
    if let Some(observer) = observer {
        let subresource = &write.path.subresource;
        observer.wrote(&Write { verb: write.verb, kind: &effect.kind, key: &effect.key, subresource });
    }
    match effect.fate {
        Fate::Stays => watches.record_write(answered),
        Fate::Gone { uid } => watches.record_delete(&effect.kind, &effect.key, uid),
    }
}
