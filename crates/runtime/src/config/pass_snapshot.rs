//! The snapshot of the configuration that a pass keeps while it runs.

use std::future::Future;
use std::sync::Arc;

use super::{ConfigSnapshot, Configs};

tokio::task_local! {
    static KEPT: (Configs, Arc<ConfigSnapshot>);
}

/// Runs a method of a reconciler, in which [`Config::snapshot`](super::Config::snapshot) returns the values of this snapshot. Tasks that the method spawns see
/// the current values.
pub(crate) fn with_snapshot<F: Future>(
    configs: &Configs,
    snapshot: &Arc<ConfigSnapshot>,
    method: F,
) -> impl Future<Output = F::Output> + use<F> {
    KEPT.scope((configs.clone(), Arc::clone(snapshot)), method)
}

/// Returns the snapshot that the running pass keeps of this configuration. None outside of passes, and in a pass of another operator.
pub(super) fn kept_of(configs: &Configs) -> Option<Arc<ConfigSnapshot>> {
    let kept = KEPT.try_with(|(of, snapshot)| of.is(configs).then(|| Arc::clone(snapshot)));
    kept.ok().flatten()
}
