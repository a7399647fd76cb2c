//! What a controller runs.

use async_trait::async_trait;
use kubewright_core::flow::Conclusion;

use super::PassContext;

/// Works on one object at a time.
#[async_trait]
pub trait Reconciler: Send + Sync + 'static {
    /// One pass. Its outcome becomes a conclusion by [`PassContext::report`] and [`PassContext::conclude`].
    ///
    /// The future is dropped when it still runs some seconds after [`PassContext::cancelled`]; a panic ends this pass only.
    async fn reconcile(&self, pass: &PassContext) -> Conclusion;

    /// Called when a pass did not come to its end: it panicked, or took too long. The conclusion says so; here it can be
    /// made visible on the object. The default does nothing.
    async fn interrupted(&self, pass: &PassContext, conclusion: &Conclusion) {
        let _ = (pass, conclusion);
    }
}
