//! The reconciler that the runner of controllers calls.

use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::flow::{BoxError, Conclusion, Delay};
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_runtime::controller::{LeaderTerm, PassContext, RunPass};
use serde_json::Value;

use super::begin::BegunPass;
use super::{Own, SharedPassState};

/// The delay before the remains of a deleted component are checked again, if a removal was refused.
const SWEEP_AGAIN: Delay = Delay::secs::<10>();

/// The reconciler of the components of one type.
pub(crate) struct ComponentReconciler {
    shared: Arc<SharedPassState>,
    own: Arc<Own>,
}

impl ComponentReconciler {
    pub(crate) fn new(shared: Arc<SharedPassState>, own: Arc<Own>) -> Self {
        Self { shared, own }
    }

    /// Forgets a component that is gone.
    async fn forget(&self, context: &PassContext) {
        self.shared.forget(context.key());
        context.forget();
        self.sweep(context).await;
    }

    /// Removes objects that were created for a component while another process let it go.
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
        let ended = BegunPass::of_component(&self.shared, &self.own, context, object).run().await;
        // Another replica may be working on the component already, so the pass is abandoned without a write (STA-7).
        if context.has_lost_term() {
            return Conclusion::cancelled();
        }
        let outcome = ended.finish().await;
        // No event reports a component that was removed by a write of this very pass.
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

    /// Records on the component that a pass panicked or took too long (PASS-10). Nothing else of the pass is recorded.
    async fn interrupted(&self, context: &PassContext, conclusion: &Conclusion) {
        let Some(object) = self.component(context) else {
            return;
        };
        BegunPass::of_component(&self.shared, &self.own, context, object).interrupted(conclusion.report.message.clone()).await;
    }
}
