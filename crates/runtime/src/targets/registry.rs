use std::collections::{HashMap, HashSet};
use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kubewright_core::time::Moment;
use parking_lot::Mutex;

use super::TargetKey;
use crate::clock::Clock;
use crate::defaults::TARGET_LINGER;
use crate::task::Tasks;

/// The value that users share for each target.
pub trait Used<U>: Send + Sync + 'static {
    /// Removes a user that no longer uses the target.
    fn forget(&self, user: &U);

    /// Ends the target, which has had no user for 15 minutes, or was made although another user had already made it.
    fn end(&self);
}

/// The targets by their keys, with the users of each. Cheap to clone. A user uses one target at a time.
pub struct TargetsInUse<U, T> {
    inner: Arc<SharedRegistry<U, T>>,
}

struct SharedRegistry<U, T> {
    clock: Clock,
    tasks: Tasks,
    made: AtomicU64,
    state: Mutex<RegistryState<U, T>>,
}

struct RegistryState<U, T> {
    targets: HashMap<TargetKey, RegisteredTarget<U, T>>,
    used: HashMap<U, TargetKey>,
}

struct RegisteredTarget<U, T> {
    target: Arc<T>,
    users: HashSet<U>,
    /// The moment since which there is no user.
    unused: Option<Moment>,
}

impl<U, T> TargetsInUse<U, T>
where
    U: Clone + Eq + Hash + Send + Sync + 'static,
    T: Used<U>,
{
    /// Creates a registry without targets.
    pub fn new(clock: Clock, tasks: Tasks) -> Self {
        let state = Mutex::new(RegistryState { targets: HashMap::new(), used: HashMap::new() });
        Self { inner: Arc::new(SharedRegistry { clock, tasks, made: AtomicU64::new(0), state }) }
    }

    /// Returns the target that a user uses from now on; `make` makes it unless the registry still has it. The user leaves the target that it used before. If
    /// the target cannot be made, nothing changes.
    pub async fn select<E>(&self, user: &U, key: &TargetKey, make: impl Future<Output = Result<T, E>>) -> Result<Arc<T>, E> {
        let known = self.inner.state.lock().targets.get(key).map(|entry| Arc::clone(&entry.target));
        let target = if let Some(target) = known {
            target
        } else {
            let made = make.await?;
            self.inner.made.fetch_add(1, Ordering::Relaxed);
            Arc::new(made)
        };
        self.leave_unless(user, Some(key));
        let mut state = self.inner.state.lock();
        let new = || RegisteredTarget { target: Arc::clone(&target), users: HashSet::new(), unused: None };
        // Two users may have made the target at the same time; the first one counts.
        let entry = state.targets.entry(key.clone()).or_insert_with(new);
        entry.users.insert(user.clone());
        entry.unused = None;
        let first = Arc::clone(&entry.target);
        state.used.insert(user.clone(), key.clone());
        drop(state);
        if !Arc::ptr_eq(&first, &target) {
            target.end();
        }
        Ok(first)
    }

    /// Returns the target that a user uses.
    pub fn known(&self, user: &U) -> Option<Arc<T>> {
        let state = self.inner.state.lock();
        let key = state.used.get(user)?;
        state.targets.get(key).map(|entry| Arc::clone(&entry.target))
    }

    /// Makes a user leave its target. Returns the target that it used.
    pub fn leave(&self, user: &U) -> Option<Arc<T>> {
        self.leave_unless(user, None)
    }

    /// Returns all targets, in no particular order.
    pub fn targets(&self) -> Vec<Arc<T>> {
        self.inner.state.lock().targets.values().map(|entry| Arc::clone(&entry.target)).collect()
    }

    /// Returns the number of targets that were made so far.
    pub fn made(&self) -> u64 {
        self.inner.made.load(Ordering::Relaxed)
    }

    fn leave_unless(&self, user: &U, next: Option<&TargetKey>) -> Option<Arc<T>> {
        let now = self.inner.clock.moment();
        let mut state = self.inner.state.lock();
        if state.used.get(user) == next {
            return None;
        }
        let key = state.used.remove(user)?;
        let entry = state.targets.get_mut(&key)?;
        entry.users.remove(user);
        let target = Arc::clone(&entry.target);
        if entry.users.is_empty() {
            entry.unused = Some(now);
            self.sweep_later();
        }
        drop(state);
        target.forget(user);
        Some(target)
    }

    fn sweep_later(&self) {
        let inner = Arc::downgrade(&self.inner);
        let (clock, stopping) = (self.inner.clock.clone(), self.inner.tasks.stopping());
        let sweep = async move {
            tokio::select! {
                () = stopping.cancelled() => return,
                () = clock.sleep(TARGET_LINGER) => {}
            }
            if let Some(inner) = inner.upgrade() {
                Self { inner }.sweep();
            }
        };
        self.inner.tasks.spawn("unused targets", sweep).detach();
    }

    /// Ends the targets that have been unused for long.
    fn sweep(&self) {
        let now = self.inner.clock.moment();
        let is_over = |entry: &RegisteredTarget<U, T>| {
            entry.users.is_empty() && entry.unused.is_some_and(|since| now.since(since) >= TARGET_LINGER)
        };
        let over: Vec<_> = self.inner.state.lock().targets.extract_if(|_, entry| is_over(entry)).collect();
        for (_, entry) in over {
            entry.target.end();
        }
    }
}

impl<U, T> Clone for TargetsInUse<U, T> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<U, T> fmt::Debug for TargetsInUse<U, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TargetsInUse").field("targets", &self.inner.state.lock().targets.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use super::*;

    /// A target that records the calls of its methods.
    struct Noted(&'static str, Arc<Mutex<Vec<String>>>);

    impl Used<u8> for Noted {
        fn forget(&self, user: &u8) {
            self.1.lock().push(format!("{} forgets {user}", self.0));
        }

        fn end(&self) {
            self.1.lock().push(format!("{} ends", self.0));
        }
    }

    struct Bench {
        registry: TargetsInUse<u8, Noted>,
        notes: Arc<Mutex<Vec<String>>>,
        clock: Clock,
    }

    impl Bench {
        fn new() -> Self {
            let clock = Clock::virtual_from("2026-01-01T00:00:00Z".parse().unwrap());
            Self { registry: TargetsInUse::new(clock.clone(), Tasks::new()), notes: Arc::default(), clock }
        }

        async fn select(&self, user: u8, name: &'static str) -> Arc<Noted> {
            let key = TargetKey::of(Some(name.as_bytes()), None).unwrap();
            let notes = Arc::clone(&self.notes);
            let make = async move {
                tokio::task::yield_now().await;
                Ok::<_, Infallible>(Noted(name, notes))
            };
            self.registry.select(&user, &key, make).await.unwrap()
        }

        fn notes(&self) -> Vec<String> {
            std::mem::take(&mut *self.notes.lock())
        }
    }

    // TGT-4
    #[tokio::test(start_paused = true)]
    async fn a_target_ends_a_quarter_of_an_hour_after_its_last_user() {
        let bench = Bench::new();
        let first = bench.select(1, "a").await;
        assert!(Arc::ptr_eq(&first, &bench.select(2, "a").await), "equal kubeconfigs share a target");
        bench.select(1, "b").await;
        assert_eq!(bench.notes(), ["a forgets 1"]);
        bench.clock.sleep(Duration::from_mins(20)).await;
        assert_eq!(bench.registry.targets().len(), 2, "the other one uses it still");
        assert!(bench.registry.leave(&2).is_some());
        bench.clock.sleep(Duration::from_mins(14)).await;
        assert!(Arc::ptr_eq(&first, &bench.select(3, "a").await), "who comes back in time finds it");
        bench.clock.sleep(Duration::from_mins(10)).await;
        bench.registry.leave(&3);
        assert_eq!(bench.notes(), ["a forgets 2", "a forgets 3"]);
        bench.clock.sleep(Duration::from_mins(14)).await;
        assert_eq!(bench.notes(), Vec::<String>::new());
        bench.clock.sleep(Duration::from_mins(2)).await;
        assert_eq!(bench.notes(), ["a ends"]);
        assert_eq!((bench.registry.targets().len(), bench.registry.made()), (1, 2));
    }

    // TGT-4
    #[tokio::test(start_paused = true)]
    async fn of_two_that_are_made_at_once_the_first_counts_and_the_other_ends() {
        let bench = Bench::new();
        let (one, two) = tokio::join!(bench.select(1, "a"), bench.select(2, "a"));
        assert!(Arc::ptr_eq(&one, &two));
        assert_eq!(bench.notes(), ["a ends"]);
    }
}
