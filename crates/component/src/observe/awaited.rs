use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::controller::Key;
use kubewright_runtime::task::Tasks;
use kubewright_runtime::watch::{Cause, WatchSpec, project_with};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::Notify;

/// Watches on what stands in the way of single components: foreign instances of their types, objects that are not
/// theirs. Metadata only, and only while they wait.
#[derive(Clone)]
pub(crate) struct AwaitedWatches {
    inner: Arc<Inner>,
}

struct Inner {
    cluster: Cluster,
    tasks: Tasks,
    notify: Notify,
    awaited: Mutex<HashMap<Key, Awaited>>,
}

struct Awaited {
    specs: HashSet<WatchSpec>,
    stop: CancellationToken,
}

impl AwaitedWatches {
    pub(crate) fn new(cluster: Cluster, tasks: Tasks, notify: Notify) -> Self {
        Self { inner: Arc::new(Inner { cluster, tasks, notify, awaited: Mutex::default() }) }
    }

    /// From now on the component waits for changes of exactly these.
    pub(crate) fn set(&self, component: &Key, specs: HashSet<WatchSpec>) {
        let mut awaited = self.inner.awaited.lock();
        if awaited.get(component).is_some_and(|before| before.specs == specs) {
            return;
        }
        if let Some(before) = awaited.remove(component) {
            before.stop.cancel();
        }
        if specs.is_empty() {
            return;
        }
        let stop = CancellationToken::new();
        for spec in &specs {
            self.listen(component.clone(), spec.clone(), stop.clone());
        }
        awaited.insert(component.clone(), Awaited { specs, stop });
    }

    fn listen(&self, component: Key, spec: WatchSpec, stop: CancellationToken) {
        let inner = &self.inner;
        let name = format!("awaited {spec}");
        let store = inner.cluster.watches().subscribe(spec, project_with(|_| ()));
        let mut changes = store.changes();
        let (notify, stopping) = (Arc::clone(&inner.notify), inner.tasks.stopping());
        let listen = async move {
            let first_list = async {
                store.synced().await;
                // What went away before the first list was complete is told by nobody else.
                if store.is_empty() {
                    notify(&component);
                }
                std::future::pending::<()>().await;
            };
            let events = async {
                while let Some(change) = changes.next().await {
                    if change.cause != Cause::Initial {
                        notify(&component);
                    }
                }
            };
            tokio::select! {
                () = stop.cancelled() => {}
                () = stopping.cancelled() => {}
                () = first_list => {}
                () = events => {}
            }
        };
        inner.tasks.spawn(name, listen).detach();
    }
}

impl fmt::Debug for AwaitedWatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwaitedWatches").field("components", &self.inner.awaited.lock().len()).finish_non_exhaustive()
    }
}
