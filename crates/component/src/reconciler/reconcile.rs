use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::flow::{BoxError, Conclusion, Delay};
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_runtime::controller::{LeaderTerm, PassContext, RunPass};
use serde_json::Value;

use super::pass::Pass;
use super::{Own, Shared};

/// When to look again at what is left of a component that is gone: something refused to be removed.
const SWEEP_AGAIN: Delay = Delay::secs::<10>();

/// Works on the components of one type.
pub(crate) struct ComponentReconciler {
    shared: Arc<Shared>,
    own: Arc<Own>,
}

impl ComponentReconciler {
    pub(crate) fn new(shared: Arc<Shared>, own: Arc<Own>) -> Self {
        Self { shared, own }
    }

    /// The component is gone.
    async fn forget(&self, context: &PassContext) {
        self.shared.forget(context.key());
        context.forget();
        self.sweep(context).await;
    }

    /// What was created for a component that somebody else let go at the same time goes, too.
    async fn sweep(&self, context: &PassContext) {
        if self.shared.sweep(context.key()).await {
            context.recheck_after(SWEEP_AGAIN);
        }
    }

    fn component(&self, context: &PassContext) -> Option<Value> {
        self.own.components.find(context.key())
    }
}

#[async_trait]
impl RunPass for ComponentReconciler {
    async fn run(&self, context: &Arc<PassContext>) -> Conclusion {
        let Some(object) = self.component(context) else {
            self.forget(context).await;
            return context.end(&Ok(()));
        };
        context.object(object.uid());
        let mut pass = Pass::begin(&self.shared, &self.own, context, object);
        let end = pass.run().await;
        // Another replica may be at work already: the pass is abandoned without a write (STA-7).
        if context.has_lost_term() {
            return Conclusion::cancelled();
        }
        let outcome = pass.finish(end).await;
        // Nothing tells of a component that went with an answer to this very pass.
        if self.component(context).is_none() {
            self.forget(context).await;
        } else if outcome.gone {
            self.sweep(context).await;
        }
        if let Some(delay) = outcome.delay() {
            context.recheck_after(delay);
        }
        context.end(&outcome.flow)
    }

    async fn demoted(&self, _: &LeaderTerm, is_lost: &(dyn for<'k> Fn(&'k Key) -> bool + Send + Sync)) -> Result<(), BoxError> {
        let keys = self.own.components.keys();
        keys.iter().filter(|key| is_lost(key)).for_each(|key| self.shared.stand_down(key));
        Ok(())
    }

    /// A pass that panicked or took too long is visible on the component (PASS-10); nothing else of it is recorded.
    async fn interrupted(&self, context: &PassContext, conclusion: &Conclusion) {
        let Some(object) = self.component(context) else {
            return;
        };
        Pass::begin(&self.shared, &self.own, context, object).interrupted(conclusion.report.message.clone()).await;
    }
}
