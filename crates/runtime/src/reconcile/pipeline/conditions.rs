use std::sync::Arc;

use kubewright_core::condition::{self, PAUSED, REQUIRES_UPDATE, WAITING};
use kubewright_core::flow::{Halt, Prior, PriorWait, WaitingMark};

use super::staged::{InnerStages, PassService, PassStage};
use super::{Method, PassEnd, PassRequest, Work};
use crate::reconcile::EndedMethod;
use crate::reconcile::draft::StatusDraft;
use crate::reconcile::object::PassObject;
use crate::reconcile::scope::PassScope;

/// The stage that prepares the conditions before the method, and completes them by its outcome (STAGE-9, STAGE-10).
#[derive(Clone, Copy)]
pub(super) struct ConditionsStage;

impl PassStage for ConditionsStage {
    async fn around(self, mut request: PassRequest, inner: InnerStages<impl PassService>) -> PassEnd {
        let scope = Arc::clone(&request.scope);
        let Some(work) = &mut request.work else { return inner.call(request).await };
        let (generation, method) = (work.object.generation(), work.method);
        let before = Arc::clone(&work.object);
        let prepared = prepare(&scope, work);
        let (prior, wait) = work.draft.as_mut().and_then(|draft| scope.services.methods.prior(&mut **draft)).unzip();
        let mut end = inner.call(request).await;
        if scope.is_inconclusive(&end.outcome, &before) {
            return silent(&scope, end, &before);
        }
        let waiting = apply_deadline(&scope, &mut end, (prepared, wait.unwrap_or_default()), &before, method);
        if let Some(prior) = prior {
            conclude(&scope, &mut end, prior, &waiting, method);
        }
        let Some(draft) = end.draft.as_mut().filter(|_| prepared) else { return end };
        if let Some(manager) = draft.manager() {
            end.prior = manager.prior();
            if let Some(is_paused) = scope.paused().filter(|_| manager.is_free(PAUSED)) {
                manager.mark_paused(is_paused);
            }
            if method == Method::Reconcile && manager.is_free(REQUIRES_UPDATE) {
                let is_complete = matches!(end.outcome, Ok(()) | Err(Halt::Done));
                manager.mark_requires_update(&scope.held_children(), is_complete);
            }
            let Some(mut report) = scope.pass.report(&end.outcome, &end.prior) else { return end };
            let method = if method == Method::Finalize {
                condition::ConcludedMethod::Finalize
            } else {
                condition::ConcludedMethod::Reconcile
            };
            if let Some(warning) = manager.conclude(&report, method) {
                tracing::warn!("{warning}");
            }
            if before.is_deleting() {
                manager.conclude_deletion(&report);
            }
            if end.outcome.is_ok() && !manager.is_happy() {
                // The pass succeeded, but the object is not ready yet, so no success is reported.
                report.event = None;
            }
            end.report = Some(report);
        }
        let is_applied = matches!(end.outcome, Ok(()) | Err(Halt::Done));
        match draft.end(generation, is_applied, scope.services.condition_events) {
            Ok(events) => end.condition_events = events,
            Err(failure) => {
                end.outcome = Err(Halt::Failed(failure));
                end.report = None;
            }
        }
        end
    }
}

/// Lets the reconciler report the outcome itself.
fn conclude(scope: &Arc<PassScope>, end: &mut PassEnd, prior: Prior, waiting: &WaitingMark, method: Method) {
    end.prior = prior;
    let (Some(draft), Some(mut report)) = (&mut end.draft, scope.pass.report(&end.outcome, &end.prior)) else { return };
    let mut ended = EndedMethod { method, outcome: &end.outcome, report: &mut report, waiting, is_paused: scope.paused() };
    scope.services.methods.conclude(scope, &mut ended, &mut **draft);
    end.report = Some(report);
}

/// Replaces a wait that takes too long, and writes the condition `Waiting` if the framework prepared conditions (STEP-9). A kind whose set declares the
/// condition itself, and one without conditions, uses the previous wait that its reconciler reports, or the memory of the key.
fn apply_deadline(
    scope: &PassScope,
    end: &mut PassEnd,
    (prepared, told): (bool, PriorWait),
    object: &PassObject,
    method: Method,
) -> WaitingMark {
    let is_released = method == Method::Finalize && matches!(end.outcome, Ok(()) | Err(Halt::Done));
    if !matches!(method, Method::Reconcile | Method::Finalize) || is_released {
        return WaitingMark::Keep;
    }
    let manager = end.draft.as_mut().filter(|_| prepared).and_then(|draft| draft.manager());
    let mut manager = manager.filter(|manager| manager.is_free(WAITING));
    let before = match &manager {
        Some(manager) => PriorWait::Condition(manager.waiting(object.observed_generation())),
        None => told,
    };
    let outcome = std::mem::replace(&mut end.outcome, Ok(()));
    let (outcome, mark) = scope.pass.apply_deadline(outcome, before, object.generation());
    end.outcome = outcome;
    if let Some(manager) = &mut manager {
        manager.mark_waiting(&mark);
    }
    mark
}

/// Returns the end of a pass that reports nothing: the status stays as it was, and no event is recorded (CLU-4).
fn silent(scope: &PassScope, mut end: PassEnd, before: &PassObject) -> PassEnd {
    end.report = scope.pass.report(&end.outcome, &end.prior).map(|mut report| {
        report.event = None;
        report
    });
    if let Some(draft) = &mut end.draft
        && let Err(failure) = draft.restore(before.status())
    {
        end.outcome = Err(Halt::Failed(failure));
        end.report = None;
    }
    end
}

/// Prepares the conditions. Returns true if there are conditions to complete.
fn prepare(scope: &PassScope, work: &mut Work) -> bool {
    let now = scope.services.cluster.clock().now();
    let generation = work.object.generation();
    let is_new = generation.is_some() && work.object.observed_generation() != generation && work.method == Method::Reconcile;
    let Some(draft) = &mut work.draft else { return false };
    if !StatusDraft::begin(&mut **draft, scope.services.policy, scope.services.cluster.redactor(), now, generation) {
        return false;
    }
    if let Some(manager) = draft.manager() {
        manager.initialize();
        if is_new {
            manager.new_generation();
        }
    }
    true
}
