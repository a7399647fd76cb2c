use std::convert::Infallible;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kubewright_core::flow::{Failure, Flow, Halt, Origin};
use serde_json::Value;
use tower::Service;
use tracing::Instrument as _;

use super::{PassEnd, PassRequest, Work};
use crate::reconcile::current;
use crate::reconcile::draft::StatusDraft;
use crate::reconcile::scope::PassScope;
use crate::task::panic_message;

/// The innermost service, which calls the method of the user.
#[derive(Clone, Copy)]
pub(super) struct CallMethod;

impl Service<PassRequest> for CallMethod {
    type Response = PassEnd;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<PassEnd, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: PassRequest) -> Self::Future {
        Box::pin(async move { Ok(call(request).await) })
    }
}

async fn call(request: PassRequest) -> PassEnd {
    let PassRequest { scope, work: Some(work) } = request else { return PassEnd::of(Ok(())) };
    let Work { object, method, draft, instead } = work;
    let mut draft = match draft {
        Some(draft) => draft,
        None => match scope.services.methods.draft(object.status()) {
            Ok(draft) => draft,
            Err(failure) => return PassEnd::of(Err(Halt::Failed(failure))),
        },
    };
    let outcome = if let Some(halt) = instead {
        Err(halt)
    } else {
        let span = tracing::info_span!("method", method = method.as_str());
        let running = async {
            match scope.services.methods.run(method, &scope, &object, &mut *draft).await {
                outcome @ (Ok(()) | Err(Halt::Done)) => scope.complete(method).await.and(outcome),
                outcome => outcome,
            }
        };
        let (outcome, is_broken) = limited(&scope, running).instrument(span).await;
        scope.settle(&outcome);
        if is_broken && let Err(failure) = restore(&scope, &mut *draft, object.status()) {
            return PassEnd::of(Err(Halt::Failed(failure)));
        }
        outcome
    };
    PassEnd { draft: Some(draft), ..PassEnd::of(outcome) }
}

/// Restores the original status with the changes that were already written in the middle of the pass.
fn restore(scope: &PassScope, draft: &mut dyn StatusDraft, status: Option<&Value>) -> Result<(), Failure> {
    let mut status = status.cloned().unwrap_or_default();
    scope.changed(&mut status);
    draft.restore(Some(&status).filter(|status| !status.is_null()))
}

/// Runs a method; a panic or the end of its time is a failure (ACT-13).
pub(super) async fn guarded(scope: &Arc<PassScope>, method: impl Future<Output = Flow> + Send) -> Flow {
    limited(scope, method).await.0
}

/// Runs a method. Returns its outcome, and true if the method was interrupted.
async fn limited(scope: &Arc<PassScope>, method: impl Future<Output = Flow> + Send) -> (Flow, bool) {
    scope.pass.calls_method();
    let method = AssertUnwindSafe(current::within(Arc::clone(scope), method)).catch_unwind();
    let ended = match scope.services.time_limit {
        Some(limit) => scope.services.cluster.clock().limit(limit, method).await,
        None => Ok(method.await),
    };
    let failure = match ended {
        Ok(Ok(outcome)) => return (outcome, false),
        Ok(Err(payload)) => {
            scope.pass.count_panic();
            let message = panic_message(payload.as_ref());
            Failure::backoff(format!("the pass panicked: {message}")).reason("Panic").origin(Origin::Bug)
        }
        Err(elapsed) => Failure::backoff(format!("the pass took longer than {:?}", elapsed.after)).reason("Timeout").slow(),
    };
    (Err(Halt::Failed(failure)), true)
}
