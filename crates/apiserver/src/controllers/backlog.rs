//! The backlog of a controller: its pending and its failed items.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

use kubewright_middleware::Status;
use parking_lot::Mutex;

/// The wait before the first retry of a failed item; each further wait is twice as long.
const RETRY: Duration = Duration::from_secs(1);
/// The longest wait between two retries.
const LONGEST: Duration = Duration::from_secs(1000);

/// A set of pending items; an item that is added repeatedly is handled once. A failing item does not hold up the others.
#[derive(Debug)]
pub(super) struct Backlog<T> {
    items: Mutex<Items<T>>,
}

#[derive(Clone, Debug)]
struct Items<T> {
    pending: BTreeSet<T>,
    /// The item that is being handled.
    current: Option<T>,
    /// The time of the next retry of each failed item.
    failed: BTreeMap<T, Duration>,
    /// The number of consecutive failures of each item.
    failures: BTreeMap<T, u32>,
}

impl<T> Default for Backlog<T> {
    fn default() -> Self {
        Self {
            items: Mutex::new(Items {
                pending: BTreeSet::new(),
                current: None,
                failed: BTreeMap::new(),
                failures: BTreeMap::new(),
            }),
        }
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

    /// Returns true if an item is due at `now`.
    pub(super) fn is_due(&self, now: Duration) -> bool {
        let items = self.items.lock();
        !items.pending.is_empty() || items.current.is_some() || items.failed.values().any(|due| *due <= now)
    }

    /// Takes the next item that is due. [`finish`](Self::finish) reports its outcome; an item whose outcome was never reported is returned again.
    pub(super) fn next(&self, now: Duration) -> Option<T> {
        let mut items = self.items.lock();
        let Items { pending, current, failed, .. } = &mut *items;
        pending.extend(current.take());
        let next = pending.pop_first().or_else(|| {
            let due = failed.iter().find(|(_, due)| **due <= now);
            due.map(|(item, _)| item.clone())
        })?;
        failed.remove(&next);
        *current = Some(next.clone());
        Some(next)
    }

    /// Takes all items that are due.
    pub(super) fn take(&self, now: Duration) -> BTreeSet<T> {
        let mut items = self.items.lock();
        let Items { pending, failed, .. } = &mut *items;
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

    /// Records the outcome of an item. A failed item is retried later, each time after a longer wait.
    pub(super) fn finish<R>(&self, item: T, now: Duration, outcome: Result<R, Status>) -> Option<R> {
        let mut items = self.items.lock();
        items.current = items.current.take().filter(|current| *current != item);
        let status = match outcome {
            Ok(result) => {
                items.failures.remove(&item);
                return Some(result);
            }
            Err(status) => status,
        };
        let failures = items.failures.entry(item.clone()).or_default();
        let wait = RETRY.saturating_mul(2u32.saturating_pow(*failures)).min(LONGEST);
        *failures = failures.saturating_add(1);
        items.failed.insert(item.clone(), now + wait);
        drop(items);
        tracing::warn!(?item, error = %status, again_in = ?wait, "a controller failed at one object");
        None
    }

    /// Removes an item from the backlog.
    pub(super) fn forget(&self, item: &T) {
        let mut items = self.items.lock();
        items.pending.remove(item);
        items.current = items.current.take().filter(|current| current != item);
        items.failed.remove(item);
        items.failures.remove(item);
    }

    /// Returns the time of the first retry.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.items.lock().failed.values().min().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(backlog: &Backlog<&'static str>, now: Duration) {
        assert_eq!(backlog.finish("a", now, Err::<(), _>(Status::internal("no"))), None);
    }

    #[test]
    fn a_failed_entry_is_due_again_after_its_wait_or_when_it_is_added_again() {
        let backlog = Backlog::default();
        let second = Duration::from_secs(1);
        backlog.extend(["a", "b", "a"]);
        assert_eq!(backlog.take(Duration::ZERO), BTreeSet::from(["a", "b"]));
        fail(&backlog, Duration::ZERO);
        assert_eq!(backlog.next_due(), Some(second));
        assert!(backlog.take(second / 2).is_empty());
        assert_eq!(backlog.take(second), BTreeSet::from(["a"]));
        fail(&backlog, second);
        backlog.add("a");
        assert_eq!((backlog.take(second), backlog.next_due()), (BTreeSet::from(["a"]), None));
    }

    #[test]
    fn an_item_that_was_begun_and_never_finished_comes_again() {
        let backlog = Backlog::default();
        backlog.extend(["a", "b"]);
        assert_eq!(backlog.next(Duration::ZERO), Some("a"));
        // The round was cancelled before the outcome was reported.
        assert!(backlog.is_due(Duration::ZERO));
        assert_eq!(backlog.next(Duration::ZERO), Some("a"));
        // An item that is added while it is handled is handled once more.
        backlog.add("a");
        assert_eq!(backlog.finish("a", Duration::ZERO, Ok(())), Some(()));
        assert_eq!(backlog.next(Duration::ZERO), Some("a"));
        fail(&backlog, Duration::ZERO);
        assert_eq!(backlog.next(Duration::ZERO), Some("b"));
        assert_eq!(backlog.finish("b", Duration::ZERO, Ok(())), Some(()));
        assert_eq!((backlog.next(Duration::ZERO), backlog.is_due(Duration::ZERO)), (None, false));
        assert_eq!(backlog.next(Duration::from_secs(1)), Some("a"));
    }

    #[test]
    fn waits_grow_with_each_failure_and_start_anew_after_a_success() {
        let backlog = Backlog::default();
        let waits = |times: usize| {
            let wait = |_| {
                fail(&backlog, Duration::ZERO);
                backlog.next_due().unwrap().as_secs()
            };
            (0..times).map(wait).collect::<Vec<_>>()
        };
        assert_eq!(waits(12), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000]);
        assert_eq!(backlog.finish("a", Duration::ZERO, Ok(5)), Some(5));
        assert_eq!(waits(2), [1, 2]);
        backlog.forget(&"a");
        assert_eq!((backlog.next_due(), waits(1)), (None, vec![1]));
    }
}
