//! The interface through which a controller runs passes.

use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::flow::{BoxError, Conclusion};
use kubewright_machinery::object::Key;

use super::{LeaderTerm, PassContext};

/// The passes of a controller, each for one object.
#[async_trait]
pub trait RunPass: Send + Sync + 'static {
    /// Runs one pass. Its outcome becomes a conclusion by [`PassContext::report`] and [`PassContext::conclude`].
    ///
    /// The future is dropped if it still runs some seconds after [`PassContext::cancelled`]. A panic ends only this pass.
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion;

    /// Reports a pass that did not end by itself because it panicked or took too long. The conclusion says so; this method can make it visible on the object.
    /// The default does nothing.
    async fn interrupted(&self, pass: &PassContext, conclusion: &Conclusion) {
        let _ = (pass, conclusion);
    }

    /// Prepares the reconciler for leading a bucket, before keys of the bucket are queued. After an error it is called again. The default does nothing.
    async fn promoted(&self, term: &LeaderTerm) -> Result<(), BoxError> {
        let _ = term;
        Ok(())
    }

    /// Tells the reconciler that this replica no longer leads a bucket and that all passes of the term have ended. `is_lost` tells which keys were in the
    /// bucket: memory about them is of no further use. An error is logged. The default does nothing.
    async fn demoted(
        &self,
        term: &LeaderTerm,
        is_lost: &(dyn for<'k> Fn(&'k Key) -> bool + Send + Sync),
    ) -> Result<(), BoxError> {
        let _ = (term, is_lost);
        Ok(())
    }
}
