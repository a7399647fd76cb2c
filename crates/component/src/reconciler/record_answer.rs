//! Recording of the answer to a request about a dependent.

use kubewright_core::dependents::{Engine, ObjectAction, Observed, Refusal, Request, RequestPurpose, Response};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::select_target::TargetedPass;
use super::watch_dependents::WatchedPass;
use crate::execute::{SentAction, refusal_of};
use crate::observe::DependentWatches;

impl WatchedPass<'_> {
    /// Records an answer in memory, caches, events and counters.
    pub(super) fn record_answer(&mut self, engine: &Engine, sent: &SentAction, observed: &mut Observed) {
        let TargetedPass { pass, target, .. } = &mut self.targeted;
        let (shared, action) = (pass.shared, &sent.action);
        let version_before = observed.get(&action.key).map(|live| live.resource_version().to_owned());
        let now = pass.now;
        let refusal = sent.answer.as_ref().err().map(refusal_of);
        let lost = refusal.as_ref().is_some_and(|refusal| lost_race(action.purpose, refusal));
        let failed = shared.metrics.sent(action.purpose, action.corrective, sent.answer.as_ref().err(), lost);
        pass.error_counted |= failed;
        match (&sent.answer, refusal) {
            (Ok(answer), _) => {
                let body = &answer.object;
                if !matches!(action.purpose, RequestPurpose::CreateNamespace | RequestPurpose::ReadLive | RequestPurpose::Compare)
                {
                    remember(&self.watches, action, body);
                }
                if action.purpose == RequestPurpose::Create {
                    shared.leftovers.created(pass.key, &action.key, body.uid());
                }
                let changed = version_before.is_none_or(|before| before != body.resource_version());
                if action.purpose.is_write() && changed {
                    pass.tally.count(action.purpose);
                    pass.wrote_dependent(action);
                    shared.events.dependent_written(&pass.object, action, &target.recorder);
                }
                if let Some(note) = &action.note {
                    shared.events.note(&pass.object, note);
                }
                observed.note_warnings(action, &answer.warnings);
                let told = observed.record(engine, action, Response::Success(body), &mut pass.memory.engine, now);
                if let Some(note) = &told {
                    shared.events.note(&pass.object, note);
                }
            }
            (Err(_), None) => {}
            (Err(_), Some(refusal)) => {
                if action.purpose == RequestPurpose::Create {
                    shared.leftovers.refused(pass.key, &action.key, &refusal);
                }
                let told = observed.record(engine, action, Response::Refused(&refusal), &mut pass.memory.engine, now);
                if let Some(note) = &told {
                    shared.events.note(&pass.object, note);
                }
                let goes_on = observed.goes_on(&action.key);
                let silent = goes_on || told.is_some() || lost;
                if action.purpose.is_write() && !silent && !refusal.is_transient() && !refusal.is_absent() {
                    let there = &target.recorder;
                    shared.events.dependent_failed(&pass.object, action, &refusal.to_string(), there);
                }
            }
        }
    }
}

/// Records an own write in the watches, so that it is visible at once.
fn remember(watches: &DependentWatches, action: &ObjectAction, body: &Value) {
    let gone = match action.purpose {
        RequestPurpose::Delete | RequestPurpose::Recreate => body.kind() == "Status" || body.deletion_timestamp().is_none(),
        _ => body.deletion_timestamp().is_some() && body.finalizers().next().is_none(),
    };
    if !gone {
        watches.record_write(body);
        return;
    }
    let uid = match &action.request {
        Request::Delete { uid, .. } => uid.as_str(),
        _ => body.uid(),
    };
    watches.record_delete(&action.key, uid);
}

/// Returns true if a write lost a race. A failed test of a JSON patch has the same code as an invalid object.
fn lost_race(purpose: RequestPurpose, refusal: &Refusal) -> bool {
    refusal.is_conflict()
        || (matches!(purpose, RequestPurpose::ReleaseFinalizer | RequestPurpose::Reclaim) && refusal.code == 422)
}

#[cfg(test)]
mod tests {
    use super::*;

    // EVT-3
    #[test]
    fn a_failed_test_of_a_finalizer_patch_is_a_lost_race_and_no_error() {
        let invalid = Refusal { code: 422, ..Refusal::default() };
        assert!(lost_race(RequestPurpose::ReleaseFinalizer, &invalid));
        assert!(!lost_race(RequestPurpose::Update, &invalid));
        assert!(lost_race(RequestPurpose::Update, &Refusal { code: 409, ..Refusal::default() }));
    }
}
