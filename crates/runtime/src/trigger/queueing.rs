use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexSet;
use kubewright_core::filter::{Cause, Change, Filter};
use kubewright_core::flow::Delay;
use kubewright_core::queue::Lane;
use kubewright_machinery::object::{GroupKind, Key};
use tokio_util::sync::CancellationToken;

use super::describe::{Describe, Description};
use super::{News, follow};
use crate::controller::QueueHandle;
use crate::task::Tasks;
use crate::watch::ProjectedStore;

/// The function that maps an object to keys.
type Mapper<P> = Box<dyn Fn(&Key, &P) -> Vec<Key> + Send + Sync>;

/// A trigger, which queues keys when objects of a store are created, changed or deleted.
pub struct StoreTrigger<P: Send + Sync + 'static> {
    store: ProjectedStore<P>,
    filter: Box<dyn Filter<P> + Send + Sync>,
    map: Mapper<P>,
    at_first: AtFirst,
    lane: Lane,
    debounce: Option<Delay>,
    forgets: bool,
    description: Description<P>,
}

/// The treatment of the objects that are present when the trigger starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AtFirst {
    /// Their keys are queued in the slow lane (QUE-7).
    Queued,
    /// No key is queued: the first passes read these objects anyway.
    Skipped,
}

impl<P: Send + Sync + 'static> StoreTrigger<P> {
    /// Creates a trigger that queues the key of the object itself (MAP-1).
    pub fn of_objects(store: ProjectedStore<P>) -> Self {
        Self::mapped(store, |key, _| vec![key.clone()])
    }

    /// Creates a trigger that queues the keys which the mapper returns for the old and for the new state of an object, each key once (MAP-7, MAP-10).
    pub fn mapped(store: ProjectedStore<P>, map: impl Fn(&Key, &P) -> Vec<Key> + Send + Sync + 'static) -> Self {
        Self {
            store,
            filter: Box::new(|_: &Change<P>| true),
            map: Box::new(map),
            at_first: AtFirst::Queued,
            lane: Lane::Fast,
            debounce: None,
            forgets: false,
            description: Description::none(),
        }
    }

    /// Passes only changes that this filter selects; it replaces an earlier one. By default all changes pass.
    #[must_use]
    pub fn filter(mut self, filter: impl Filter<P> + Send + Sync + 'static) -> Self {
        self.filter = Box::new(filter);
        self
    }

    /// Sets the treatment of the objects that are present at the start. Default: [`AtFirst::Queued`].
    #[must_use]
    pub fn at_first(mut self, at_first: AtFirst) -> Self {
        self.at_first = at_first;
        self
    }

    /// Sets the lane of the keys. Default: fast. The keys of objects that are present at the start always go to the slow lane.
    #[must_use]
    pub fn lane(mut self, lane: Lane) -> Self {
        self.lane = lane;
        self
    }

    /// Queues a key this long after the first change that affects it; later changes join the first one and do not extend the wait (QUE-10).
    #[must_use]
    pub fn debounce(mut self, delay: Delay) -> Self {
        self.debounce = Some(delay);
        self
    }

    /// Drops the controller's memory of an object that is deleted, even if the deletion does not pass the filter (EF-2): for objects of the primary kind.
    #[must_use]
    pub fn forgetting(mut self) -> Self {
        self.forgets = true;
        self
    }

    /// Adds the changed fields and their writer to the cause of each change that queues a key (WHY-2). By default the cause contains only the object.
    #[must_use]
    pub fn described(mut self) -> Self
    where
        P: Describe,
    {
        self.description = Description::of_states();
        self
    }

    /// Starts the trigger. It ends when the returned token is cancelled, or when the tasks stop.
    pub fn start(self, name: impl Into<Cow<'static, str>>, queue: QueueHandle, tasks: &Tasks) -> CancellationToken {
        let stop = CancellationToken::new();
        self.start_until(name, queue, tasks, stop.clone());
        stop
    }

    /// Starts the trigger, until the token is cancelled or the tasks stop.
    pub(crate) fn start_until(
        self,
        name: impl Into<Cow<'static, str>>,
        queue: QueueHandle,
        tasks: &Tasks,
        stop: CancellationToken,
    ) {
        let store = self.store.clone();
        let kind = Arc::new(store.kind().clone());
        follow(store, name, tasks, stop, move |news| {
            if let News::Changed(change) = news {
                self.told(&change, &kind, &queue);
            }
        });
    }

    fn told(&self, change: &Change<P>, kind: &Arc<GroupKind>, queue: &QueueHandle) {
        if self.forgets && change.new.is_none() {
            queue.forget(&change.key);
        }
        let is_first = change.cause == Cause::Initial;
        if is_first && self.at_first == AtFirst::Skipped || !self.filter.passes(change) {
            return;
        }
        let states = [change.old.as_deref(), change.new.as_deref()];
        let keys: IndexSet<Key> = states.into_iter().flatten().flat_map(|state| (self.map)(&change.key, state)).collect();
        if keys.is_empty() {
            return;
        }
        let cause = self.description.cause(kind, change);
        for key in keys {
            match (is_first, self.debounce) {
                (true, _) => queue.because(key, Lane::Slow, cause.clone()),
                (false, Some(delay)) => queue.because_after(key, delay, self.lane, cause.clone()),
                (false, None) => queue.because(key, self.lane, cause.clone()),
            }
        }
    }
}

impl<P: Send + Sync + 'static> fmt::Debug for StoreTrigger<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreTrigger").field("store", &self.store).field("lane", &self.lane).finish_non_exhaustive()
    }
}
