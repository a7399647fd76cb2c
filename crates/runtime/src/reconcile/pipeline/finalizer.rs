use std::sync::Arc;

use kubewright_core::finalizer::Released;
use kubewright_core::flow::Halt;

use super::staged::{InnerStages, PassService, PassStage};
use super::{Method, PassEnd, PassRequest};
use crate::reconcile::options::FinalizerCare;
use crate::reconcile::scope::Held;

/// The stage that sets the controller's finalizer before `reconcile`, and clears it after `finalize` (STAGE-8, STAGE-11).
#[derive(Clone, Copy)]
pub(super) struct Finalizers;

impl PassStage for Finalizers {
    async fn around(self, mut request: PassRequest, inner: InnerStages<impl PassService>) -> PassEnd {
        let scope = Arc::clone(&request.scope);
        let (Some(finalizer), Some(work)) = (&scope.services.finalizer, &mut request.work) else {
            return inner.call(request).await;
        };
        match work.method {
            Method::Reconcile if finalizer.care == FinalizerCare::Always => {
                match scope.hold(finalizer, &work.object).await {
                    Ok(Held::Here(object)) => work.object = object,
                    // An object that is being deleted and never had the finalizer is not worked on.
                    Ok(Held::TooLate) => return PassEnd::of(Err(Halt::Done)),
                    Err(halt) => work.instead = Some(halt.context("failed to set finalizers")),
                }
                inner.call(request).await
            }
            Method::Finalize if finalizer.care != FinalizerCare::ByHand => {
                let mut end = inner.call(request).await;
                let Some(object) = scope.latest().filter(|_| !scope.pass.is_void()) else { return end };
                let event = match scope.after_cleanup(finalizer, &object, &end.outcome) {
                    Released::Done => None,
                    Released::GivenUp(event) => Some(event),
                    Released::Later(delay) => {
                        scope.pass.recheck_after(delay);
                        return end;
                    }
                    _ => return end,
                };
                match (scope.release(finalizer, &object).await, event) {
                    (Ok(()), None) => {}
                    (Ok(()), Some(event)) => {
                        scope.record(event);
                        // There is nothing left to retry; the status and the event report the end.
                        end.outcome = Err(Halt::Done);
                        end.report = None;
                    }
                    (Err(halt), _) => {
                        end.outcome = Err(halt.context("failed to clear finalizers"));
                        end.report = None;
                    }
                }
                end
            }
            Method::Release => PassEnd::of(scope.release(finalizer, &work.object).await),
            _ => inner.call(request).await,
        }
    }
}
