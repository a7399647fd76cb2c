use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::component::Ending;
use kubewright_core::flow::{Conclusion, Prior};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::controller::{PassContext, Reconciler};
use kubewright_runtime::watch::{Cause, Change};
use serde_json::Value;

use super::Shared;
use super::end::End;
use super::pass::Pass;

/// Works on the components of one type.
pub(crate) struct ComponentReconciler {
    shared: Arc<Shared>,
}

impl ComponentReconciler {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    fn component(&self, context: &PassContext) -> Option<Arc<Value>> {
        self.shared.components.find(context.key())
    }
}

#[async_trait]
impl Reconciler for ComponentReconciler {
    async fn reconcile(&self, context: &PassContext) -> Conclusion {
        let Some(object) = self.component(context) else {
            self.shared.forget(context.key());
            context.forget();
            return context.conclude(&Ok(()), &Prior::Memory);
        };
        context.object(object.uid());
        let mut pass = Pass::begin(&self.shared, context.key(), object);
        let end = pass.run().await;
        let outcome = pass.finish(end).await;
        if let Some(delay) = outcome.delay() {
            context.recheck_after(delay);
        }
        context.conclude(&outcome.flow, &Prior::Memory)
    }

    /// A pass that panicked or took too long is visible on the component (PASS-10); nothing else of it is recorded.
    async fn interrupted(&self, context: &PassContext, conclusion: &Conclusion) {
        let Some(object) = self.component(context) else {
            return;
        };
        let pass = Pass::begin(&self.shared, context.key(), object);
        if pass.unreadable.is_some() {
            return;
        }
        let end = End::Recorded {
            ending: Ending::Failed { reason: None, message: conclusion.message.clone(), stalled: None },
            flow: Ok(()),
            recheck: None,
        };
        drop(pass.finish(end).await);
    }
}

/// What only others change on a component, and what this process changes too.
const OF_OTHERS: [&str; 4] = ["/metadata/uid", "/metadata/generation", "/metadata/annotations", "/metadata/deletionTimestamp"];
const OURS_TOO: [&str; 2] = ["/metadata/finalizers", "/status"];

/// Whether a change of a component queues a pass (TRG-1). Labels do not, nor does what this process wrote itself. The answer to
/// an own write may show what somebody else changed before; the event about that is old news when it comes.
pub(crate) fn triggers(change: &Change<Value>) -> bool {
    let own = change.cause == Cause::OwnWrite;
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => is_news(own, old, new),
        _ => !own,
    }
}

fn is_news(own: bool, old: &Value, new: &Value) -> bool {
    let differs = |pointer: &&str| old.pointer(pointer) != new.pointer(pointer);
    OF_OTHERS.iter().any(differs) || (!own && OURS_TOO.iter().any(differs))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // TRG-1
    #[test]
    fn an_own_write_queues_a_pass_only_if_its_answer_shows_what_somebody_else_changed() {
        let before = json!({ "metadata": { "generation": 1, "finalizers": [] } });
        let own = json!({ "metadata": { "generation": 1, "finalizers": ["a"], "labels": {} }, "status": { "revision": 1 } });
        let edited = json!({ "metadata": { "generation": 2, "finalizers": ["a"] } });
        let deleted = json!({ "metadata": { "generation": 1, "deletionTimestamp": "2026-01-01T00:00:00Z" } });
        assert!(!is_news(true, &before, &own));
        assert!(is_news(false, &before, &own));
        assert!(is_news(true, &before, &edited));
        assert!(is_news(true, &before, &deleted));
    }
}
