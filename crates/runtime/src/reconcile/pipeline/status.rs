use std::sync::Arc;

use kubewright_core::backoff::REQUEUE_TIME;
use kubewright_core::flow::{Event, Failure, Flow, Halt, Persist, join, redact};
use kubewright_core::status::diff;
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::staged::{InnerStages, PassService, PassStage};
use super::{Method, PassEnd, PassRequest};
use crate::reconcile::object::PassObject;
use crate::reconcile::scope::PassScope;
use crate::status::{Meanwhile, Written};

/// The stage that writes the status once, and only if it differs from that at the start of the pass (SW-2 to SW-5).
#[derive(Clone, Copy)]
pub(super) struct StatusStage;

impl PassStage for StatusStage {
    async fn around(self, mut request: PassRequest, inner: InnerStages<impl PassService>) -> PassEnd {
        let scope = Arc::clone(&request.scope);
        let Some(work) = &mut request.work else { return inner.call(request).await };
        if work.method == Method::Observe {
            return inner.call(request).await;
        }
        let begun = scope.services.methods.draft(work.object.status()).and_then(|draft| Ok((draft.json()?, draft)));
        let (before, method) = (Arc::clone(&work.object), work.method);
        let mut start = match begun {
            Ok((start, draft)) => {
                work.draft = Some(draft);
                start
            }
            Err(failure) => return PassEnd::of(Err(Halt::Failed(failure))),
        };
        let mut end = inner.call(request).await;
        if !scope.services.methods.has_status() || scope.pass.is_void() || scope.leaves_status() {
            return end;
        }
        scope.changed(&mut start);
        let stored = stored_delay(&scope, &before, method, &end.outcome);
        if let Some(stored) = &stored {
            set(&mut start, stored.before.as_ref());
        }
        if let Err(failure) = write(&scope, &start, &end, stored.as_ref()).await {
            let outcome = std::mem::replace(&mut end.outcome, Ok(()));
            end.outcome = joined(outcome, failure);
            end.report = None;
            // The conditions will change again in the pass that can write them.
            end.condition_events.clear();
        }
        end
    }
}

/// The delay of a persisted back-off in the status.
struct StoredDelay {
    /// The delay that the object has.
    before: Option<Value>,
    /// The delay that the object should have.
    after: Option<Value>,
}

/// Returns the stored delay before and after a pass (BO-9 to BO-13). Returns None for a controller without one, and for a pass that was cancelled.
fn stored_delay(scope: &PassScope, object: &PassObject, method: Method, outcome: &Flow) -> Option<StoredDelay> {
    let policy = scope.services.persisted.as_ref()?;
    let before = object.status().and_then(|status| status.get(REQUEUE_TIME)).cloned();
    let is_released = method == Method::Finalize && matches!(outcome, Ok(()) | Err(Halt::Done));
    if is_released || scope.is_inconclusive(outcome, object) {
        return Some(StoredDelay { after: before.clone(), before });
    }
    let after = match scope.pass.persist(outcome, policy, before.as_ref())? {
        (Persist::Remove, _) => None,
        (Persist::Grow, next) => u64::try_from(next.as_duration().as_nanos()).ok().map(Value::from),
        _ => before.clone(),
    };
    Some(StoredDelay { before, after })
}

fn set(status: &mut Value, stored: Option<&Value>) {
    if let Value::Object(fields) = status {
        match stored {
            Some(stored) => fields.insert(REQUEUE_TIME.to_owned(), stored.clone()),
            None => fields.remove(REQUEUE_TIME),
        };
    }
}

/// Joins the outcome with the failure to write it (STAGE-13).
fn joined(outcome: Flow, failure: Failure) -> Flow {
    match outcome {
        Ok(()) | Err(Halt::Done) => Err(Halt::Failed(failure)),
        halted => join([("outcome", halted), ("status", Err(Halt::Failed(failure)))]).map(drop),
    }
}

async fn write(scope: &PassScope, start: &Value, end: &PassEnd, stored: Option<&StoredDelay>) -> Result<(), Failure> {
    let (Some(draft), Some(object)) = (&end.draft, scope.latest()) else { return Ok(()) };
    let mut new = draft.json()?;
    if let Some(stored) = stored {
        set(&mut new, stored.after.as_ref());
    }
    let Some(change) = diff(start, &new) else { return Ok(()) };
    let change = change.to_string();
    tracing::debug!(change = %redact(&change), "the status is written");
    let name = object.head().name();
    let statuses = &scope.services.statuses;
    let whole = statuses.sends_whole_objects().then(|| object.json());
    let (primary, key) = (&scope.services.primary, scope.pass.key());
    let is_known = || primary.get(key).is_some_and(|known| known.uid() == object.uid());
    let meanwhile = Meanwhile::Rebase { start, new: &new, is_known: &is_known };
    let built_on = whole.as_ref().unwrap_or_else(|| object.head());
    match statuses.write(built_on, change, meanwhile).await {
        Ok(Written::Persisted(answer)) => {
            scope.wrote(&answer, "status");
            Ok(())
        }
        Ok(Written::Gone) => {
            // The watch may show the deletion much later, and until then each pass would work on an object that does not exist.
            if is_known() && statuses.is_gone(object.head()).await {
                primary.record_delete(key, object.uid());
            }
            Ok(())
        }
        Ok(Written::Overtaken(live)) => {
            scope.services.primary.record_write(&live);
            let text = format!("write the status of {name:?}: other writers were faster each time");
            Err(Failure::unclassified(kubewright_core::flow::Classified::conflict(text)))
        }
        // The replica that now leads the object will write the status.
        Err(error) if scope.pass.is_void() => Err(Failure::unclassified(error)),
        Err(error) => {
            tracing::warn!(%error, "the status could not be written");
            scope.record(Event::warning("UpdateFailed", format!("Failed to update status for {name:?}: {error}")));
            Err(Failure::unclassified(error).reason("StatusWriteFailed"))
        }
    }
}
