//! The effects of an answer on the memory over passes.

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use super::Projection;
use crate::dependents::fights::CorrectionCause;
use crate::dependents::memory::Deletions;
use crate::dependents::{Engine, Memory, ObjectAction, Request, RequestPurpose};

/// Counts a correction that succeeded.
pub(super) fn remember_success(
    engine: &Engine,
    action: &ObjectAction,
    live: Option<&Projection>,
    body: &Value,
    memory: &mut Memory,
    now: Timestamp,
) {
    memory.update(&action.key, |problems| {
        let corrections = problems.corrections_of(live.map_or("", Projection::uid));
        match live {
            _ if action.contested => corrections.count([CorrectionCause::Marks], now),
            Some(live) if action.purpose == RequestPurpose::Update => {
                corrections.restored(body, live, &engine.context.field_manager, now);
            }
            _ => corrections.count([CorrectionCause::Object], now),
        }
        if action.purpose == RequestPurpose::Recreate {
            corrections.outlive_object();
        }
    });
}

/// Counts a deletion, because another program may re-create the object.
pub(super) fn remember_deletion(action: &ObjectAction, memory: &mut Memory, now: Timestamp) {
    if action.purpose != RequestPurpose::Delete {
        return;
    }
    memory.update(&action.key, |problems| {
        let deletions = problems.deletions.get_or_insert(Deletions { count: 0, last: now });
        deletions.count += 1;
        deletions.last = now;
    });
}

/// Records whether the object kept the marks with which it was written. If it did not, each pass would otherwise write it again.
pub(super) fn remember_marks(
    engine: &Engine,
    action: &ObjectAction,
    (uid, kept): (&str, &str),
    memory: &mut Memory,
    now: Timestamp,
) {
    let (Request::Create(sent) | Request::Replace(sent) | Request::Apply { body: sent, .. }) = &action.request else {
        return;
    };
    let sent = sent.annotation(&engine.context.operator.digest_key()).unwrap_or_default();
    memory.update(&action.key, |problems| {
        if sent == kept {
            if let Some(corrections) = &mut problems.corrections {
                corrections.unkept = None;
            }
            return;
        }
        let corrections = problems.corrections_of(uid);
        if corrections.unkept.as_deref() != Some(sent) {
            corrections.unkept = Some(sent.to_owned());
            corrections.forget_marks();
        }
        corrections.count([CorrectionCause::Marks], now);
    });
}
