//! The pass whose code runs in the current task.

use std::future::Future;
use std::sync::Arc;

use super::scope::PassScope;
use crate::cluster::{WriteObserver, observe_writes};
use crate::config::with_snapshot;

tokio::task_local! {
    static PASS: Arc<PassScope>;
}

/// Runs a method of a reconciler as code of its pass, which records the writes of the clients that the operator hands out, and keeps the configuration with
/// which the pass began. Tasks that the method spawns are not part of the pass.
pub(super) fn within<F: Future>(scope: Arc<PassScope>, method: F) -> impl Future<Output = F::Output> {
    let observer: Arc<dyn WriteObserver> = Arc::clone(&scope.pass) as _;
    let method = with_snapshot(&scope.services.configs, scope.config(), method);
    observe_writes(observer, PASS.scope(scope, method))
}

/// Returns the pass whose code runs in the current task.
pub(crate) fn pass() -> Option<Arc<PassScope>> {
    PASS.try_with(Arc::clone).ok()
}
