//! The progress of the parts of an operator in the phase `CachesSynced`.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::cluster::Cluster;

/// The progress of a start, which names the parts that it waits for (PHA-3). Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct StartProgress(Arc<Mutex<PendingParts>>);

#[derive(Debug, Default)]
struct PendingParts {
    /// The part that is being constructed, such as `controller "widget"`.
    constructed: Option<String>,
    /// The parts whose caches are being filled.
    filled: Vec<String>,
}

impl StartProgress {
    /// Records that a part is being constructed.
    pub(super) fn constructs(&self, part: &str) {
        self.0.lock().constructed = Some(part.to_owned());
    }

    /// Records that all parts are constructed, and that the caches of these are being filled.
    pub(super) fn fills(&self, parts: Vec<String>) {
        *self.0.lock() = PendingParts { constructed: None, filled: parts };
    }

    /// Records that the caches of a part are filled.
    pub(super) fn has_filled(&self, part: &str) {
        self.0.lock().filled.retain(|filled| filled != part);
    }

    /// Returns the culprits of a start that waits: the construction of a part, and each watch whose first list is needed. If there are none, it names the
    /// parts that wait for something else.
    pub(super) fn culprits(&self, cluster: &Cluster) -> Vec<String> {
        let progress = self.0.lock();
        let constructed = progress.constructed.iter().map(|part| format!("the construction of the {part}"));
        let awaited = cluster.watches().health().into_iter().filter(|watch| watch.is_awaited);
        let watches = awaited.map(|watch| match watch.status.error {
            Some(error) => format!("the watch of {} ({error})", watch.spec),
            None => format!("the watch of {}", watch.spec),
        });
        let culprits: Vec<String> = constructed.chain(watches).collect();
        if !culprits.is_empty() {
            return culprits;
        }
        progress.filled.iter().map(|part| format!("the caches of the {part}")).collect()
    }
}
