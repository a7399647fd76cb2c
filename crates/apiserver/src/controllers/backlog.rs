//! What a controller still has to do.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    time::Duration,
};

use parking_lot::Mutex;

use crate::status::Status;

/// What failed is tried again after this time.
const RETRY: Duration = Duration::from_secs(1);

/// Items to look at, each once, however often it was added. One that fails keeps no other from its turn.
#[derive(Debug)]
pub(super) struct Backlog<T> {
    items: Mutex<Items<T>>,
}

#[derive(Clone, Debug)]
struct Items<T> {
    pending: BTreeSet<T>,
    /// When what failed is tried again.
    failed: BTreeMap<T, Duration>,
}

impl<T> Default for Backlog<T> {
    fn default() -> Self {
        Self { items: Mutex::new(Items { pending: BTreeSet::new(), failed: BTreeMap::new() }) }
    }
}

impl<T: Clone> Clone for Backlog<T> {
    fn clone(&self) -> Self {
        Self { items: Mutex::new(self.items.lock().clone()) }
    }
}

impl<T: Ord + Clone + fmt::Debug> Backlog<T> {
    pub(super) fn add(&self, item: T) {
        self.items.lock().pending.insert(item);
    }

    pub(super) fn extend(&self, items: impl IntoIterator<Item = T>) {
        self.items.lock().pending.extend(items);
    }

    /// Everything that is to be done now.
    pub(super) fn take(&self, now: Duration) -> BTreeSet<T> {
        let mut items = self.items.lock();
        let Items { pending, failed } = &mut *items;
        let mut taken = std::mem::take(pending);
        failed.retain(|item, due| {
            let again = *due <= now || taken.contains(item);
            if again {
                taken.insert(item.clone());
            }
            !again
        });
        taken
    }

    /// An item failed: it is tried again a little later.
    pub(super) fn failed(&self, item: T, now: Duration, status: &Status) {
        tracing::warn!(?item, error = %status, again_in = ?RETRY, "a controller failed at one object");
        self.items.lock().failed.insert(item, now + RETRY);
    }

    /// When the first failed item is tried again.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.items.lock().failed.values().min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_comes_back_after_its_wait_or_when_it_is_added_again() {
        let backlog = Backlog::default();
        let second = Duration::from_secs(1);
        backlog.extend(["a", "b", "a"]);
        assert_eq!(backlog.take(Duration::ZERO), BTreeSet::from(["a", "b"]));
        backlog.failed("a", Duration::ZERO, &Status::internal("no"));
        assert_eq!(backlog.next_due(), Some(second));
        assert!(backlog.take(second / 2).is_empty());
        assert_eq!(backlog.take(second), BTreeSet::from(["a"]));
        backlog.failed("a", second, &Status::internal("no"));
        backlog.add("a");
        assert_eq!((backlog.take(second), backlog.next_due()), (BTreeSet::from(["a"]), None));
    }
}
