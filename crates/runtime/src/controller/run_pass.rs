//! The passes of a controller.

use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::flow::Conclusion;

use super::PassContext;

/// Runs the passes of a controller, each for one object.
#[async_trait]
pub trait RunPass: Send + Sync + 'static {
    /// One pass. Its outcome becomes a conclusion by [`PassContext::report`] and [`PassContext::conclude`].
    ///
    /// The future is dropped when it still runs some seconds after [`PassContext::cancelled`]; a panic ends this pass only.
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion;

    /// Called when a pass did not come to its end: it panicked, or took too long. The conclusion says so; here it can be
    /// made visible on the object. The default does nothing.
    async fn interrupted(&self, pass: &PassContext, conclusion: &Conclusion) {
        let _ = (pass, conclusion);
    }
}
