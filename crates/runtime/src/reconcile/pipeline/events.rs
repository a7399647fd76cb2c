use kubewright_core::flow::{Conclusion, EventType};

use super::staged::{InnerStages, PassService, PassStage};
use super::{PassEnd, PassRequest};

/// The stage that counts the outcome once, and records its event (EMIT-3).
#[derive(Clone, Copy)]
pub(super) struct EventsStage;

impl PassStage for EventsStage {
    async fn around(self, request: PassRequest, inner: InnerStages<impl PassService>) -> PassEnd {
        let scope = std::sync::Arc::clone(&request.scope);
        let mut end = inner.call(request).await;
        let report = end.report.take().or_else(|| scope.pass.report(&end.outcome, &end.prior));
        let conclusion = report.map_or_else(Conclusion::cancelled, |report| scope.pass.conclude(&end.outcome, report));
        if scope.pass.leads() {
            end.condition_events.drain(..).for_each(|event| scope.record(event));
        }
        // Only the replica that leads the object reports the outcome.
        if let Some(event) = conclusion.event().filter(|_| scope.pass.leads()) {
            let is_first_success = end.outcome.is_ok() && event.kind == EventType::Normal;
            if !(is_first_success && scope.has_told_of_finalizer()) {
                scope.record(event);
            }
        }
        end.conclusion = Some(conclusion);
        end
    }
}
