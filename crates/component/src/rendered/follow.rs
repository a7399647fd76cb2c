//! Clean-up after owners that are gone: their memory is dropped, and objects that were created for them are removed.

use std::sync::Arc;

use kubewright_core::flow::Delay;
use kubewright_runtime::clock::Clock;
use kubewright_runtime::kind::KnownKind;
use kubewright_runtime::store::Store;
use kubewright_runtime::task::Tasks;

use crate::reconciler::SharedPassState;

/// The delay before the remains of a deleted owner are checked again, if a removal was refused.
const SWEEP_AGAIN: Delay = Delay::secs::<10>();

/// Follows the owners, and drops the memory of those that are deleted.
pub(super) fn follow<K: KnownKind>(store: Store<K>, shared: Arc<SharedPassState>, (tasks, clock): (&Tasks, Clock)) {
    let (stop, name) = (tasks.stopping(), format!("owners of {}", shared.operator.as_str()));
    let sweeping = tasks.clone();
    let following = async move {
        let mut changes = store.changes();
        loop {
            let change = tokio::select! {
                () = stop.cancelled() => return,
                change = changes.next() => change,
            };
            let Some(change) = change else { return };
            if change.new.is_some() {
                continue;
            }
            let key = change.key;
            shared.forget(&key);
            if shared.leftovers.is_empty(&key) {
                continue;
            }
            // Removes objects that were created for the owner while another operator released it.
            let (shared, clock, stop, name) = (Arc::clone(&shared), clock.clone(), stop.clone(), format!("sweep of {key}"));
            let sweep = async move {
                while shared.sweep(&key).await {
                    tokio::select! {
                        () = stop.cancelled() => return,
                        () = clock.sleep(SWEEP_AGAIN.as_duration()) => {}
                    }
                }
            };
            sweeping.spawn(name, sweep).detach();
        }
    };
    tasks.spawn(name, following).detach();
}
