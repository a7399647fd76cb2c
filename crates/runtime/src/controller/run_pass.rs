//! The passes of a controller.

use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::flow::{BoxError, Conclusion};
use kubewright_machinery::object::Key;

use super::{LeaderTerm, PassContext};

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

    /// Called when this replica is about to lead a bucket, before keys of it are queued. After an error it is called again. The default does
    /// nothing.
    async fn promoted(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        let _ = term;
        Ok(())
    }

    /// Called when this replica leads a bucket no longer and all passes of the term have ended. `is_lost` says which keys were in the bucket:
    /// memory about them is of no use any more. An error is logged. The default does nothing.
    async fn demoted(
        &self,
        term: &LeaderTerm,
        is_lost: &(dyn for<'k> Fn(&'k Key) -> bool + Send + Sync),
    ) -> Result<(), BoxError> {
        let _ = (term, is_lost);
        Ok(())
    }
}
