use kubewright_machinery::object::GroupKind;
use serde_json::Value;

use super::write_observer::{Write, WriteObserver};
use crate::api::{Fate, WriteRequest};
use crate::watch::Watches;

/// Reports the effect of a successful write of this process to the observer and to all stores of a cluster; `known` is the kind that its path addresses. A
/// write whose answer does not show its effect is not reported.
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
